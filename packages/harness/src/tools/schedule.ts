import type { Awaitable } from "../awaitable.js";

/** How jobs may run beside each other. */
export interface Schedule<Job> {
  readonly jobs: readonly Job[];
  /** The most at once. */
  readonly most: number;
  mayOverlap(job: Job): boolean;
  /** Asked before each job starts: false leaves the rest undone. */
  goesOn(): boolean;
  /** Starts a job. Whoever sees its end calls `ended` or `failed` of the lanes, once; that may be before this returns. */
  start(job: Job): void;
  /** Called when all jobs that were started have ended, and none has failed. */
  allEnded(): Awaitable<void>;
}

/**
 * Starts jobs in their order: neighbours that may overlap run together, any other runs alone. When one fails the ones
 * under way still run to their end, no further one starts, and the first failure is thrown then. However many jobs there
 * are, there is one promise to wait for, and none when all end at once.
 */
export class Lanes<Job> {
  readonly #schedule: Schedule<Job>;
  #next = 0;
  #running = 0;
  /** Those that run may have others beside them. */
  #together = false;
  #starting = false;
  #failed = false;
  #failure: unknown;
  #resolve: ((end: Awaitable<void>) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(schedule: Schedule<Job>) {
    this.#schedule = schedule;
  }

  /** Runs them all. @throws the first failure. */
  run(): Awaitable<void> {
    this.#startSome();
    if (this.#running === 0) return this.#end();
    return new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  ended(): void {
    this.#running--;
    this.#goOn();
  }

  failed(error: unknown): void {
    if (!this.#failed) this.#failure = error;
    this.#failed = true;
    this.#running--;
    this.#goOn();
  }

  #goOn(): void {
    // The loop that started a job which ended at once goes on by itself.
    if (this.#starting) return;
    this.#startSome();
    if (this.#running > 0) return;
    try {
      this.#resolve?.(this.#end());
    } catch (error) {
      this.#reject?.(error);
    }
  }

  #startSome(): void {
    this.#starting = true;
    for (let job = this.#due(); job !== undefined; job = this.#due()) {
      this.#next++;
      this.#running++;
      this.#schedule.start(job);
    }
    this.#starting = false;
  }

  /** The next job, where it may start now. */
  #due(): Job | undefined {
    const schedule = this.#schedule;
    const job = schedule.jobs[this.#next];
    if (job === undefined || this.#failed || this.#running >= schedule.most) return undefined;
    const overlaps = schedule.mayOverlap(job);
    if (this.#running > 0 && !(this.#together && overlaps)) return undefined;
    if (!schedule.goesOn()) return undefined;
    this.#together = overlaps;
    return job;
  }

  #end(): Awaitable<void> {
    if (this.#failed) throw this.#failure;
    return this.#schedule.allEnded();
  }
}
