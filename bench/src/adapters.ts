import { cpus } from "node:os";
import { adapters, byAdapter, byHand, record } from "./adapter-workload.js";
import { processorTime } from "./measure.js";

/** What reading a provider's stream costs, a fragment: its adapter with the SDK below, beside the least code that finds the text. */
const FRAGMENTS = 2_000;
const BUDGET_MS = 1_500;

process.stdout.write(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}.\n\n`);
process.stdout.write(
  "| adapter | us a fragment, by hand | us a fragment, adapter | ratio |\n| --- | ---: | ---: | ---: |\n",
);
for (const workload of adapters) {
  const recording = await record(workload, FRAGMENTS);
  const costs = [];
  for (const read of [byHand, byAdapter]) {
    for (let warm = 0; warm < 5; warm++) await read(workload, recording);
    costs.push((await processorTime(() => read(workload, recording), BUDGET_MS)) / FRAGMENTS);
  }
  const [hand = Number.NaN, adapter = Number.NaN] = costs;
  process.stdout.write(
    `| ${workload.name} | ${hand.toFixed(2)} | ${adapter.toFixed(2)} | x${(adapter / hand).toFixed(2)} |\n`,
  );
}
