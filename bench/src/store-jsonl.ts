import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureJsonl } from "./store-jsonl-workload.js";

/** Prints what an append to a JSONL log takes, beside the same append to a log by hand that does only what it must. */
for (const writers of [1, 10, 100]) {
  const folder = await mkdtemp(join(tmpdir(), "tinyagents-bench-jsonl-"));
  const { appendMs, byHandMs, ratio } = await measureJsonl(folder, writers, 60);
  console.log(
    `${String(writers).padStart(4)} writers: append ${appendMs.toFixed(3)} ms, by hand ${byHandMs.toFixed(3)} ms, ratio ${ratio.toFixed(2)}`,
  );
}
