import { temporaryFolder } from "@tinyagents/conformance";
import { onTestFinished } from "vitest";
import { backendOn, type JsonlBackend, type JsonlOptions } from "../../src/backend.js";
import { type Files, nodeFiles } from "../../src/files.js";
import type { Repair } from "../../src/index.js";

/** A new folder, gone after the test. */
export async function newFolder(): Promise<string> {
  const { path, remove } = temporaryFolder("jsonl");
  onTestFinished(remove);
  return path;
}

/** A backend that is closed after the test, and what it repaired. */
export function openBackend(
  options: JsonlOptions,
  files: Files = nodeFiles,
): JsonlBackend & { readonly repairs: readonly Repair[] } {
  const repairs: Repair[] = [];
  const backend = backendOn(files, { onRepair: (repair) => repairs.push(repair), ...options });
  onTestFinished(() => backend.close());
  return { ...backend, repairs };
}

/** Does work for each, several at once. */
export async function forEachOf<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const shared = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = shared.next(); !next.done; next = shared.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Whole numbers from 0 up to `end`, without it. */
export function upTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_, index) => index);
}
