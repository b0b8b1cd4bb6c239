import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import type { AppendOptions, AppendStore, JsonValue } from "@tinyagents/core";
import { memoryAppendStore } from "@tinyagents/store-memory";

/** One append, as a line of the file. */
interface Line {
  readonly stream: string;
  readonly values: readonly JsonValue[];
  readonly options?: AppendOptions;
}

/**
 * A double of a durable log, for tests that kill processes: a store in memory that notes each append in a file, and
 * that a later process fills from it. It is for one process at a time, and forgets what is deleted or truncated.
 */
export async function fileAppendStore(file: string): Promise<AppendStore> {
  const memory = memoryAppendStore();
  for (const line of readLines(file)) {
    const { stream, values, options } = JSON.parse(line) as Line;
    await memory.append(stream, values, options);
  }
  return {
    ...memory,
    capabilities: { ...memory.capabilities, durable: true },
    async append(stream, values, options) {
      const offset = await memory.append(stream, values, options);
      const line: Line = { stream, values, ...(options === undefined ? {} : { options }) };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      return offset;
    },
  };
}

/** The lines that are whole. What a killed process left of one that it was writing is taken away. */
function readLines(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return whole.split("\n").slice(0, -1);
}
