import { cpus } from "node:os";
import { byStatements, byStore, type Care, type Thread } from "./checkpoints-workload.js";
import { median } from "./measure.js";

/** Rounds, each contestant in turn, so that none has the quiet moment. */
const ROUNDS = 9;
const READS = 30;
const STEPS = 300;

/** Time on the wall, us: a write waits for the disk, which no processor time shows. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1_000;
}

function line(name: string, [hand = Number.NaN, ours = Number.NaN]: readonly number[], target: string): void {
  process.stdout.write(
    `| ${name} | ${hand.toFixed(1)} | ${ours.toFixed(1)} | x${(ours / hand).toFixed(2)} | ${target} |\n`,
  );
}

async function compare(care: Care): Promise<void> {
  const write: [number[], number[]] = [[], []];
  const load: [number[], number[]] = [[], []];
  const history: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const thread: Thread = (at === 0 ? byStatements : byStore)(care);
      write[at].push((await timed(() => thread.write(STEPS))) / STEPS);
      for (let read = 0; read < READS; read++) {
        load[at].push(await timed(() => thread.load()));
        history[at].push(await timed(() => thread.history()));
      }
      await thread.close();
    }
  }
  line(`superstep, synchronous ${care}`, write.map(median), "at most x1.5");
  line(`load of the head of ${STEPS}, ${care}`, load.map(median), "under 1,000 us");
  line(`history of ${STEPS}, ${care}`, history.map(median), "under 3,000 us");
}

process.stdout.write(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}.\n\n`);
process.stdout.write("| work, us each | statements | store | ratio | target |\n| --- | ---: | ---: | ---: | --- |\n");
for (const care of ["normal", "full"] as const) await compare(care);
