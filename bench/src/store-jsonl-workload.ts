import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { LogByHand } from "./log-by-hand.js";
import { median } from "./measure.js";

/** So many rounds follow each other, as they do where somebody writes on and on. */
const IN_A_ROW = 25;

/** What one round of appends took, beside the same appends to a log by hand. */
export interface JsonlResult {
  readonly writers: number;
  /** Of one round, in which each writer appends once and waits for its offset: median, ms. */
  readonly appendMs: number;
  readonly byHandMs: number;
  /** Median of the ratios of neighbouring rounds. */
  readonly ratio: number;
}

const VALUE = { type: "message", text: "x".repeat(160) };

/** Rows of rounds of appends, and of rounds by hand, in turns, so that both see the same disk. */
export async function measureJsonl(folder: string, writers: number, rounds: number): Promise<JsonlResult> {
  const { log, close } = jsonlBackend({ folder });
  const file = await open(join(folder, "by-hand"), "w");
  const byHand = new LogByHand(file);
  const sample = async () => ({
    byHandMs: await inRounds(() => byHand.append(VALUE), writers),
    appendMs: await inRounds(() => log.append("s", [VALUE]), writers),
  });
  try {
    // The first makes the files, and nobody has run the code before.
    await sample();
    const samples: Awaited<ReturnType<typeof sample>>[] = [];
    for (let i = 0; i < rounds; i++) samples.push(await sample());
    return {
      writers,
      appendMs: median(samples.map(({ appendMs }) => appendMs)),
      byHandMs: median(samples.map(({ byHandMs }) => byHandMs)),
      ratio: median(samples.map(({ appendMs, byHandMs }) => appendMs / byHandMs)),
    };
  } finally {
    await file.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What one round takes, ms. */
async function inRounds(append: () => Promise<number>, writers: number): Promise<number> {
  const startMs = performance.now();
  for (let i = 0; i < IN_A_ROW; i++) await Promise.all(Array.from({ length: writers }, append));
  return (performance.now() - startMs) / IN_A_ROW;
}
