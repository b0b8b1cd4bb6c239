import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AppendStore } from "@tinyagents/core";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { median } from "./measure.js";

/** So many rounds follow each other, as they do where somebody writes on and on. */
const IN_A_ROW = 25;

/** What one round of appends took, beside a write and a sync of as many bytes by hand. */
export interface JsonlResult {
  readonly writers: number;
  /** Of one round, in which each writer appends once: median, ms. */
  readonly appendMs: number;
  readonly byHandMs: number;
  /** Median of the ratios of neighbouring rounds. */
  readonly ratio: number;
}

const VALUE = { type: "message", text: "x".repeat(160) };

/** Rows of rounds of appends, and of rounds by hand, in turns, so that both see the same disk. */
export async function measureJsonl(folder: string, writers: number, rounds: number): Promise<JsonlResult> {
  const { log, close } = jsonlBackend({ folder });
  const byHand = await open(join(folder, "by-hand"), "w");
  try {
    await appendOnce(log, writers);
    const line = Buffer.from(`{"offset":1000,"value":${JSON.stringify(VALUE)},"crc":"00000000"}\n`);
    const bytes = Buffer.concat(Array.from({ length: writers }, () => line));
    const samples: { readonly appendMs: number; readonly byHandMs: number }[] = [];
    for (let i = 0; i < rounds; i++) {
      const byHandMs = await timed(async () => {
        for (let j = 0; j < IN_A_ROW; j++) {
          await byHand.write(bytes, 0, bytes.byteLength, (i * IN_A_ROW + j) * bytes.byteLength);
          await byHand.datasync();
        }
      });
      const appendMs = await timed(async () => {
        for (let j = 0; j < IN_A_ROW; j++) await appendOnce(log, writers);
      });
      samples.push({ byHandMs: byHandMs / IN_A_ROW, appendMs: appendMs / IN_A_ROW });
    }
    return {
      writers,
      appendMs: median(samples.map(({ appendMs }) => appendMs)),
      byHandMs: median(samples.map(({ byHandMs }) => byHandMs)),
      ratio: median(samples.map(({ appendMs, byHandMs }) => appendMs / byHandMs)),
    };
  } finally {
    await byHand.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function appendOnce(log: AppendStore, writers: number): Promise<void> {
  await Promise.all(Array.from({ length: writers }, () => log.append("s", [VALUE])));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
