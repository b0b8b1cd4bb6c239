import { TinyAgentsError } from "@tinyagents/core";
import type { Deadline } from "../run/deadlines.js";
import type { LiveRun } from "../run/live-run.js";
import type { LiveToolRuntime } from "./runtime.js";

/**
 * An async tool's wait, no longer than it may take. A late end is ignored, no timer stays behind. What ignores the
 * run's cancellation is the run's to leave behind: see `supervise`.
 */
export class TimedWork implements Deadline {
  atMs: number;
  place = -1;
  readonly #run: LiveRun;
  readonly #runtime: LiveToolRuntime;
  readonly #limitMs: number;
  #resolve: (value: unknown) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor(run: LiveRun, runtime: LiveToolRuntime, startedAtMs: number, limitMs: number) {
    this.#run = run;
    this.#runtime = runtime;
    this.#limitMs = limitMs;
    this.atMs = startedAtMs + limitMs;
    runtime.deadline = this;
  }

  wait(work: PromiseLike<unknown>): Promise<unknown> {
    this.#run.deadlines.add(this);
    this.#run.begin(this.#runtime);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      work.then(
        (value) => {
          this.#close();
          this.#resolve(value);
        },
        (error) => {
          this.#close();
          this.#reject(error);
        },
      );
    });
  }

  onPassed(): void {
    const { name } = this.#runtime.spec;
    const error = new TinyAgentsError("timeout", `The tool ${name} did not finish within ${this.#limitMs} ms.`, {
      details: { scope: "tool_call", limitMs: this.#limitMs, name },
    });
    this.#runtime.scope.cancel(error);
    this.#reject(error);
    this.#close();
  }

  #close(): void {
    this.#run.deadlines.met(this);
    this.#run.end(this.#runtime);
    this.#runtime.close();
  }
}

function ignore(): void {}
