import { cpus } from "node:os";
import { median } from "./measure.js";
import { byBackend, byStatements, type Care, type Contestant, listingAmong } from "./store-sqlite-workload.js";

/** Rounds, each contestant in turn, so that none has the quiet moment. */
const ROUNDS = 9;
const WRITES: { readonly [care in Care]: number } = { normal: 2_000, full: 100 };
const EVENTS = 100_000;
const OTHERS = 100_000;

/** Time on the wall, us: a write waits for the disk, which no processor time shows. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1_000;
}

async function compare(
  care: Care,
  per: number,
  work: (who: Contestant, round: number) => Promise<unknown>,
  before = 0,
) {
  const contestants = [byStatements(care), byBackend(care)];
  const figures: [number[], number[]] = [[], []];
  if (before > 0) for (const who of contestants) await who.fill(before);
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const who = contestants[at] as Contestant;
      figures[at].push((await timed(() => work(who, round))) / per);
    }
  }
  for (const who of contestants) await who.close();
  return figures.map(median) as [number, number];
}

function row(name: string, [hand, ours]: readonly [number, number], target: string): void {
  process.stdout.write(
    `| ${name} | ${hand.toFixed(2)} | ${ours.toFixed(2)} | x${(ours / hand).toFixed(2)} | ${target} |\n`,
  );
}

async function each(count: number, round: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index++) await work(round * count + index);
}

process.stdout.write(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}.\n\n`);
process.stdout.write("| work, us each | statements | backend | ratio | target |\n| --- | ---: | ---: | ---: | --- |\n");
for (const care of ["normal", "full"] as const) {
  const count = WRITES[care];
  const put = await compare(care, count, (who, round) => each(count, round, (index) => who.put(index)));
  row(`put, synchronous ${care}`, put, "at most x1.5");
  const append = await compare(care, count, (who, round) => each(count, round, (index) => who.append(index)));
  row(`append, synchronous ${care}`, append, "at most x1.5");
}
row(
  `read back one of ${EVENTS} events`,
  await compare("normal", EVENTS, (who) => who.readBack(), EVENTS),
  "at most x2, or 5 us",
);

const listings = [await listingAmong(0), await listingAmong(OTHERS)];
const figures: number[][] = [[], []];
for (let round = 0; round < ROUNDS * 5; round++) {
  for (const [at, { list }] of listings.entries()) figures[at]?.push(await timed(list));
}
for (const { close } of listings) await close();
const [alone = Number.NaN, among = Number.NaN] = figures.map(median);
process.stdout.write(
  `\nA page of 100 records: ${alone.toFixed(0)} us alone, ${among.toFixed(0)} us among ${OTHERS} of other prefixes: x${(among / alone).toFixed(2)}.\n`,
);
