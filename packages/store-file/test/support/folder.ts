import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@tinyagents/conformance";
import type { BlobStore, StoreValue } from "@tinyagents/core";
import { onTestFinished } from "vitest";
import { backendOn, type FileOptions } from "../../src/backend.js";
import { type Files, nodeFiles } from "../../src/files.js";

/** A new folder, gone after the test. */
export async function newFolder(): Promise<string> {
  const { path, remove } = temporaryFolder("file");
  onTestFinished(remove);
  return realpath(path);
}

/** A store that is closed after the test. It does not sync, unless it is asked to. */
export function openStore(options: FileOptions, files: Files = nodeFiles): BlobStore {
  const backend = backendOn(files, { sync: "os", ...options });
  onTestFinished(() => backend.close());
  return backend.store;
}

export function text(value: string): StoreValue {
  return { type: "text", text: value };
}

/** The paths of all files below a folder, from there on. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** The one file whose path starts so. */
export async function fileOf(folder: string, start: string): Promise<string> {
  const found = (await filesBelow(folder)).filter((path) => path.startsWith(`${start}/@/`));
  if (found.length !== 1) throw new Error(`${found.length} files below ${start}`);
  return join(folder, found[0] as string);
}
