import type { AnyTool } from "@tinyagents/core";

/** Counts what is in flight at once. */
export interface Gauge {
  readonly current: number;
  /** The most that ever were in flight at once. */
  readonly highest: number;
  /** Everything that has begun so far. */
  readonly total: number;
  /** Does work that counts from its start until it settles. */
  track<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** The same tool, whose executions count. */
  tool<T extends AnyTool>(tool: T): T;
}

/** Measures how many calls overlap: one gauge may watch several tools. */
export function gauge(): Gauge {
  let current = 0;
  let highest = 0;
  let total = 0;
  const track: Gauge["track"] = async (work) => {
    total++;
    current++;
    highest = Math.max(highest, current);
    try {
      return await work();
    } finally {
      current--;
    }
  };
  return {
    get current() {
      return current;
    },
    get highest() {
      return highest;
    },
    get total() {
      return total;
    },
    track,
    tool: (tool) => ({ ...tool, execute: (input, runtime) => track(() => tool.execute(input, runtime)) }),
  };
}
