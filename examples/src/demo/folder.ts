import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { messageOf, throwIfAborted } from "@tinyagents/core";
import { unlessAborted } from "./abandon.js";
import { readAtMost } from "./bounded-read.js";
import { printable } from "./printable.js";
import { UsageError } from "./usage-error.js";

/** A folder whose files may be read, and nothing beside it. */
export interface Folder {
  /** With symbolic links resolved. */
  readonly root: string;
  /** Names in the root that are looked at; absent: all. */
  readonly only: readonly string[] | undefined;
}

/** A text file. */
export interface TextFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

const MAX_FILES = 2_000;
const MAX_DEPTH = 12;
const MAX_BYTES = 2 * 1024 * 1024;
const IGNORED: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", "coverage"]);

/** @throws UsageError when it is missing or no folder. */
export async function openFolder(dir: string, only?: readonly string[]): Promise<Folder> {
  try {
    if (!(await stat(dir)).isDirectory()) throw new UsageError(`${dir} is not a folder.`);
    await readdir(dir);
    return { root: await realpath(dir), only };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The folder ${dir} cannot be read: ${reasonOf(error)}.`);
  }
}

/**
 * The files of a folder and of those in it, by name. Links, hidden names, names with line breaks or control characters
 * and what tools install are left out.
 */
export async function listFiles(folder: Folder, signal?: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (dir: string, depth: number): Promise<void> => {
    throwIfAborted(signal);
    const reading = readdir(join(folder.root, dir), { withFileTypes: true }).catch(() => []);
    const entries = await unlessAborted(reading, signal);
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const entry of entries) {
      const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
      if (found.length === MAX_FILES || !isShown(folder, path)) continue;
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && depth < MAX_DEPTH) await visit(path, depth + 1);
    }
  };
  await visit("", 1);
  return found;
}

/**
 * Reads a text file of the folder.
 * @throws Error, in words for the model, for a path that leads out of it and for what is no readable text; the abort
 * error of the signal.
 */
export function readTextFile(folder: Folder, path: string, signal?: AbortSignal): Promise<TextFile> {
  return unlessAborted(readInside(folder, path, signal), signal);
}

async function readInside(folder: Folder, path: string, signal: AbortSignal | undefined): Promise<TextFile> {
  throwIfAborted(signal);
  const inside = await resolveInside(folder, path);
  const bytes = await readBytes(inside, path, signal);
  if (bytes.includes(0)) throw new Error(`${path} is a binary file`);
  try {
    return {
      path: relative(folder.root, inside).split(sep).join("/"),
      text: new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    };
  } catch {
    throw new Error(`${path} is no UTF-8 text`);
  }
}

/** The real place of a path, links resolved, once it is certain that it lies in the folder. */
async function resolveInside(folder: Folder, path: string): Promise<string> {
  const outside = new Error(
    `${JSON.stringify(path)} is outside of the folder: use a relative path that list_files gives`,
  );
  const steps = path.replace(/^(?:\.\/)+/, "").split("/");
  if (path.includes("\0") || path.includes("\\") || /^[a-zA-Z]:/.test(path) || isAbsolute(path)) throw outside;
  if (steps.includes("..")) throw outside;
  if (!isShown(folder, steps.join("/"))) throw new Error(`${path} does not exist`);
  const real = await realpath(join(folder.root, ...steps)).catch((error) => {
    throw new Error(`${path}: ${reasonOf(error)}`);
  });
  const way = relative(folder.root, real);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw outside;
  if (!isShown(folder, way.split(sep).join("/"))) throw outside;
  return real;
}

/** Opens without following a link that took the file's place, and without waiting for a pipe's other end. */
async function readBytes(real: string, path: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    throw new Error(`${path}: ${reasonOf(error)}`);
  });
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${path} is not a file`);
    const bytes = await readAtMost(handle, MAX_BYTES, signal);
    if (bytes.length > MAX_BYTES) throw new Error(`${path} has more than the ${MAX_BYTES} bytes that are read`);
    return bytes;
  } finally {
    await handle.close();
  }
}

function isShown({ only }: Folder, path: string): boolean {
  const steps = path.split("/");
  if (only !== undefined && !only.includes(steps[0] ?? "")) return false;
  if (/\s/.test(path.replaceAll(" ", "")) || printable(path) !== path) return false;
  return steps.every((step) => !step.startsWith(".") && !IGNORED.has(step));
}

/** Why a file cannot be had, without its absolute path. */
function reasonOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (code === "ENOENT" || code === "ENOTDIR") return "it does not exist";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  if (code === "EISDIR") return "it is a folder";
  return typeof code === "string" ? code : messageOf(error);
}
