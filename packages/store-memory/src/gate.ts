import { TinyAgentsError, throwIfAborted } from "@tinyagents/core";

/** What every call passes first. */
export interface Gate {
  /** @throws `cancelled` when the signal has aborted, `store_failed` after `close`. */
  enter(operation: string, options: { readonly signal?: AbortSignal | undefined } | undefined): void;
  close(): void;
}

/** A gate that is open until it is closed. `store` names what is behind it. */
export function gate(store: string): Gate {
  let closed = false;
  return {
    enter(operation, options) {
      throwIfAborted(options?.signal);
      if (!closed) return;
      throw new TinyAgentsError("store_failed", `The ${store} is closed; ${operation} needs one that is open.`, {
        details: { store, operation },
      });
    },
    close() {
      closed = true;
    },
  };
}
