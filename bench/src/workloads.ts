import { allocated, median, processorTime } from "./measure.js";
import { type Contestant, type World, world } from "./world.js";

/** How large a workload is: small for a test that it works, large for a measurement. */
export interface Size {
  readonly turns: number;
  readonly fragments: number;
  readonly runs: number;
  readonly budgetMs: number;
}

export const FULL: Size = { turns: 50, fragments: 20_000, runs: 2_000, budgetMs: 1_500 };

/** One figure of one contestant. */
export interface Workload {
  readonly name: string;
  readonly unit: string;
  /** The most that the ratio to the loop by hand may be, or the figure itself where `absolute`. */
  readonly target?: number;
  readonly absolute?: true;
  measure(contestant: Contestant, size: Size): Promise<number>;
}

export const workloads: readonly Workload[] = [
  { name: "loop, 1 tool call a turn", unit: "us/turn", target: 2, measure: (who, size) => loopTime(who, size, 1) },
  { name: "loop, 10 tool calls a turn", unit: "us/turn", target: 2, measure: (who, size) => loopTime(who, size, 10) },
  { name: "allocation, 1 tool call a turn", unit: "KB/turn", target: 8, absolute: true, measure: loopAllocation },
  { name: "growth from 500 to 1,000 turns", unit: "exponent", target: 1.05, absolute: true, measure: growth },
  { name: "streaming", unit: "us/fragment", target: 1, absolute: true, measure: streamTime },
  { name: "first fragment", unit: "us", target: 20, absolute: true, measure: firstFragment },
  { name: "2,000 runs at once, model takes 5 ms", unit: "ms", target: 1.5, measure: atOnce },
];

async function loopOnce(who: Contestant, of: World, callsPerTurn: number): Promise<void> {
  of.ran = 0;
  const text = await who.loop(of, callsPerTurn);
  if (text !== `done:${of.turns}`) throw new Error(`${who.name} answered ${text}`);
  if (of.ran !== of.turns * callsPerTurn) throw new Error(`${who.name} ran ${of.ran} tool calls`);
}

async function loopTime(who: Contestant, { turns, budgetMs }: Size, callsPerTurn: number): Promise<number> {
  const of = world({ turns, callsPerTurn });
  const once = (): Promise<void> => loopOnce(who, of, callsPerTurn);
  await processorTime(once, budgetMs / 2);
  return (await processorTime(once, budgetMs)) / turns;
}

async function loopAllocation(who: Contestant, { turns, budgetMs }: Size): Promise<number> {
  const of = world({ turns });
  const once = (): Promise<void> => loopOnce(who, of, 1);
  await processorTime(once, budgetMs / 2);
  return (await allocated(once)) / turns / 1_024;
}

async function growth(who: Contestant, { turns, budgetMs }: Size): Promise<number> {
  const time = async (length: number): Promise<number> => {
    const of = world({ turns: length });
    return processorTime(() => loopOnce(who, of, 1), budgetMs);
  };
  await time(turns * 10);
  return Math.log2((await time(turns * 20)) / (await time(turns * 10)));
}

async function streamOnce(who: Contestant, of: World, onFirst: () => void): Promise<void> {
  const count = await who.stream(of, onFirst);
  if (count !== of.fragments) throw new Error(`${who.name} passed on ${count} of ${of.fragments} fragments`);
}

async function streamTime(who: Contestant, { fragments, budgetMs }: Size): Promise<number> {
  const of = world({ fragments });
  const once = (): Promise<void> => streamOnce(who, of, () => {});
  await processorTime(once, budgetMs / 2);
  return (await processorTime(once, budgetMs)) / fragments;
}

/** From the call to the first fragment, on warm runs of 50 fragments. */
async function firstFragment(who: Contestant, { budgetMs }: Size): Promise<number> {
  const of = world({ fragments: 50 });
  const samples: number[] = [];
  await processorTime(() => streamOnce(who, of, () => {}), budgetMs / 2);
  for (let i = 0; i < 200; i++) {
    const start = performance.now();
    await streamOnce(who, of, () => samples.push((performance.now() - start) * 1_000));
  }
  return median(samples);
}

async function atOnce(who: Contestant, { runs }: Size): Promise<number> {
  const of = world({ turns: 3, delayMs: 5 });
  const batch = async (count: number): Promise<number> => {
    const start = performance.now();
    const texts = await Promise.all(Array.from({ length: count }, () => who.loop(of, 1)));
    if (texts.some((text) => text !== "done:3")) throw new Error(`${who.name} mixed up its runs`);
    return performance.now() - start;
  };
  for (let i = 0; i < 3; i++) await batch(Math.min(60, runs));
  return median([await batch(runs), await batch(runs), await batch(runs)]);
}
