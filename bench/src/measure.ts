import { setTimeout as pause } from "node:timers/promises";

/** The middle one. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

/** Processor time of this process so far, in microseconds: unlike the time on the wall, others do not add to it. */
function processorUs(): number {
  return process.cpuUsage().user;
}

/** Processor time of one round of work, us: the median over as many rounds as fit into `budgetMs`, at least five. */
export async function processorTime(work: () => Promise<unknown>, budgetMs: number): Promise<number> {
  const samples: number[] = [];
  const endMs = performance.now() + budgetMs;
  while (samples.length < 5 || performance.now() < endMs) {
    const start = processorUs();
    await work();
    samples.push(processorUs() - start);
  }
  return median(samples);
}

/** Bytes allocated by one round of work. Needs a young generation that is not collected meanwhile. */
export async function allocated(work: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await pause(20);
    const before = process.memoryUsage().heapUsed;
    await work();
    samples.push(process.memoryUsage().heapUsed - before);
  }
  return median(samples);
}
