import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AppendOptions,
  type AppendStore,
  type JsonValue,
  type LogRecord,
  TinyAgentsError,
} from "@tinyagents/core";

/** One append, as a file whose name is its offset. */
interface Batch {
  readonly key: string | null;
  readonly values: readonly JsonValue[];
}

let written = 0;

/**
 * A double of a durable log that several processes use at once. A stream is a folder. An append is a file that is made
 * whole and then linked to the name of its offset, which only one process can do; nothing is ever locked, so one may be
 * killed or stopped at any moment. It is as slow as it is simple.
 */
export function folderAppendStore(folder: string): AppendStore {
  const folderOf = (stream: string): string => join(folder, encodeURIComponent(stream));
  return {
    capabilities: { durable: true, multiProcess: true, follow: false },
    async append(stream, values, options = {}) {
      mkdirSync(folderOf(stream), { recursive: true });
      for (;;) {
        const offset = offsetFor(stream, batchesOf(folderOf(stream)), options);
        if (offset.done) return offset.at;
        if (wrote(folderOf(stream), offset.at, { key: options.idempotencyKey ?? null, values })) return offset.at;
      }
    },
    async read(stream, { from = 0, limit = 1_000 } = {}) {
      return recordsOf(batchesOf(folderOf(stream)))
        .filter(({ offset }) => offset >= from)
        .slice(0, limit);
    },
    head: async (stream) => recordsOf(batchesOf(folderOf(stream))).length,
    truncate: () => Promise.reject(new Error("this double keeps everything")),
    streams: async (prefix = "") =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .map(decodeURIComponent)
        .filter((name) => name.startsWith(prefix))
        .sort(),
    async delete(stream) {
      const there = existsSync(folderOf(stream));
      rmSync(folderOf(stream), { recursive: true, force: true });
      return there;
    },
  };
}

/** Where an append goes; `done` when it has been made before. */
function offsetFor(
  stream: string,
  batches: readonly Batch[],
  { expectedOffset, idempotencyKey }: AppendOptions,
): { readonly at: number; readonly done: boolean } {
  let head = 0;
  for (const { key, values } of batches) {
    if (key !== null && key === idempotencyKey) return { at: head, done: true };
    head += values.length;
  }
  if (expectedOffset === undefined || expectedOffset === head) return { at: head, done: false };
  throw new TinyAgentsError("conflict", `The head of "${stream}" is ${head}.`, {
    details: { resource: stream, expected: expectedOffset, found: head },
  });
}

/** Whether this process was the one to make the file of an offset. */
function wrote(folder: string, offset: number, batch: Batch): boolean {
  const own = join(folder, `.${process.pid}-${written++}`);
  writeFileSync(own, JSON.stringify(batch));
  try {
    linkSync(own, join(folder, `${String(offset).padStart(9, "0")}.json`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own);
  }
}

function batchesOf(folder: string): readonly Batch[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Batch);
}

function recordsOf(batches: readonly Batch[]): readonly LogRecord[] {
  return batches.flatMap(({ values }) => values).map((value, offset) => ({ offset, value }));
}
