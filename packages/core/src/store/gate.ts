import { isTinyAgentsError, TinyAgentsError } from "../errors.js";
import { throwIfAborted } from "../signal.js";
import type { StoreCallOptions } from "./call-options.js";
import { storeFailure } from "./refuse.js";

/** What every call of a store passes, so that closing can wait for it. */
export interface StoreGate {
  /** @throws `cancelled` when the signal has aborted, `store_failed` after `close`. */
  enter(operation: string, options: StoreCallOptions | undefined): void;
  /**
   * Enters, and does the work as a call under way. What the work throws that is no error of ours becomes `store_failed`.
   * The work starts at once, so that it can copy its arguments before anybody changes them.
   */
  run<T>(operation: string, options: StoreCallOptions | undefined, work: () => Promise<T> | T): Promise<T>;
  /** Shuts the gate, waits for the calls under way, then lets go, once: closing twice is as closing once. */
  close(letGo?: () => Promise<void> | void): Promise<void>;
}

/** What a gate does beside its defaults. */
export interface StoreGateOptions {
  /** How an error of the backend is told; nothing: as `store_failed`. */
  readonly toError?: ((error: unknown, operation: string) => TinyAgentsError | undefined) | undefined;
}

/** A gate that is open until it is closed. `store` names what is behind it, in errors: `SQLite store`. */
export function storeGate(store: string, { toError }: StoreGateOptions = {}): StoreGate {
  let closing: Promise<void> | undefined;
  let underWay = 0;
  let whenIdle: (() => void) | undefined;

  const enter: StoreGate["enter"] = (operation, options) => {
    throwIfAborted(options?.signal);
    if (closing === undefined) return;
    throw new TinyAgentsError("store_failed", `The ${store} is closed; ${operation} needs one that is open.`, {
      details: { store, operation },
    });
  };
  const idle = (): Promise<void> =>
    underWay === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          whenIdle = resolve;
        });
  return {
    enter,
    async run(operation, options, work) {
      enter(operation, options);
      underWay++;
      try {
        return await work();
      } catch (error) {
        if (isTinyAgentsError(error)) throw error;
        throw toError?.(error, operation) ?? storeFailure(store, operation, error);
      } finally {
        if (--underWay === 0) whenIdle?.();
      }
    },
    close(letGo) {
      closing ??= idle().then(() => letGo?.());
      return closing;
    },
  };
}
