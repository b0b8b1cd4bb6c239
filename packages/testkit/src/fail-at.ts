import { TinyAgentsError } from "@tinyagents/core";

/** How and when writes fail. */
export interface FailAtOptions {
  /** The methods that write. Default: those of core's recorder, stores and memory. */
  readonly methods?: readonly string[] | undefined;
  /** `before`: nothing is written. `after`: it is written, and the answer is lost. Default `before`. */
  readonly when?: "before" | "after" | undefined;
  /** Every later write fails too, as after a crash; reads go on. Default false. */
  readonly stayDown?: boolean | undefined;
  /** Default: `store_failed`. */
  readonly error?: Error | undefined;
}

/** Something whose writes are counted, and fail when it is time. */
export interface FailingWrites<T> {
  /** What to hand to the code under test. */
  readonly subject: T;
  /** Writes so far, failed ones included. */
  readonly writes: number;
  /** Whether a write has failed. */
  readonly failed: boolean;
}

const WRITES = ["step", "toolResult", "put", "delete", "batch", "append", "truncate", "save"] as const;

/**
 * Wraps a recorder, store or memory so that its `n`-th write (from 1) rejects. With `Infinity` none does: a first run
 * then says in `writes` how many there are, and a loop can fail each in turn.
 */
export function failAt<T extends object>(target: T, n: number, options: FailAtOptions = {}): FailingWrites<T> {
  if (!(n >= 1)) throw new TypeError(`failAt: writes are counted from 1, not ${n}`);
  const { when = "before", stayDown = false, error } = options;
  const methods = new Set<PropertyKey>(options.methods ?? WRITES);
  let writes = 0;
  let failed = false;
  const subject = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const call = (...args: readonly unknown[]): unknown => Reflect.apply(member, target, args);
      if (!methods.has(name)) return call;
      return (...args: readonly unknown[]): unknown => {
        const write = ++writes;
        if (write !== n && !(stayDown && write > n)) return call(...args);
        failed = true;
        const failure = error ?? lost(String(name), write, when);
        return when === "before"
          ? Promise.reject(failure)
          : Promise.resolve(call(...args)).then(() => {
              throw failure;
            });
      };
    },
  });
  return {
    subject,
    get writes() {
      return writes;
    },
    get failed() {
      return failed;
    },
  };
}

function lost(operation: string, write: number, when: "before" | "after"): TinyAgentsError<"store_failed"> {
  const what = when === "before" ? "was not done" : "was done, and its answer was lost";
  return new TinyAgentsError("store_failed", `Write ${write} (${operation}) ${what}, as the test wants.`, {
    details: { store: "failAt", operation },
  });
}
