import type { Awaitable } from "../awaitable.js";

/** How jobs may run beside each other. */
export interface Schedule<Job> {
  /** The most at once. */
  readonly most: number;
  readonly mayOverlap: (job: Job) => boolean;
  /** Asked before each job starts: false leaves the rest undone. */
  readonly goesOn: () => boolean;
  readonly work: (job: Job) => Awaitable<void>;
}

/**
 * Starts jobs in their order: neighbours that may overlap run together, any other runs alone. When one fails the ones
 * under way still run to their end, no further one starts, and the first failure is thrown then. Jobs that end at once
 * cost no promise.
 */
export function inParallel<Job>(jobs: readonly Job[], schedule: Schedule<Job>): Awaitable<void> {
  return from(0, jobs, schedule);
}

function from<Job>(index: number, jobs: readonly Job[], schedule: Schedule<Job>): Awaitable<void> {
  for (let start = index; start < jobs.length; ) {
    if (!schedule.goesOn()) return;
    const end = groupEnd(start, jobs, schedule);
    const group = runGroup(jobs, start, end, schedule);
    start = end;
    if (group instanceof Promise) return group.then(() => from(end, jobs, schedule));
  }
}

function groupEnd<Job>(start: number, jobs: readonly Job[], { mayOverlap }: Schedule<Job>): number {
  let end = start + 1;
  if (!mayOverlap(jobs[start] as Job)) return end;
  while (end < jobs.length && mayOverlap(jobs[end] as Job)) end++;
  return end;
}

function runGroup<Job>(
  jobs: readonly Job[],
  start: number,
  end: number,
  { most, work, goesOn }: Schedule<Job>,
): Awaitable<void> {
  let next = start;
  let failed = false;
  let failure: unknown;
  const fail = (error: unknown): void => {
    if (!failed) failure = error;
    failed = true;
  };
  /** Takes jobs until one has to be waited for; then goes on when it has ended. */
  const lane = (): Awaitable<void> => {
    while (next < end && !failed && goesOn()) {
      const job = jobs[next++] as Job;
      try {
        const working = work(job);
        if (working instanceof Promise) return working.then(lane, fail);
      } catch (error) {
        fail(error);
      }
    }
  };
  const lanes: Promise<void>[] = [];
  for (let i = 0; i < most && next < end; i++) {
    const running = lane();
    if (running instanceof Promise) lanes.push(running);
  }
  const done = (): void => {
    if (failed) throw failure;
  };
  return lanes.length === 0 ? done() : Promise.all(lanes).then(done);
}
