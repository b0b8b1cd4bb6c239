import { systemClock } from "@tinyagents/core";
import type { Connection } from "./connection.js";

/** How often the database is asked whether somebody else has written, while anybody watches, ms. */
const POLL_MS = 100;

/** Who is called back when a stream has grown. */
export interface Watchers {
  /** What it gives ends the calls. */
  add(stream: string, onAppend: () => void): () => void;
  /** Calls back, soon, whoever watches a stream. */
  ring(stream: string): void;
  /** Calls everybody back a last time. */
  close(): void;
}

export function watchersOf({ prepare }: Connection): Watchers {
  const dataVersion = prepare("pragma data_version");
  const ownChanges = prepare("select total_changes() as changes");
  const streams = new Map<string, Set<() => void>>();
  let stopPolling: (() => void) | undefined;

  /** Changes with every commit of another connection, and every change of a row by this one, whoever uses it. */
  const stateOf = (): string => `${Object.values(dataVersion.get() ?? {})[0]} ${ownChanges.get()?.changes}`;
  const ringAll = (): void => {
    for (const stream of streams.keys()) ring(stream);
  };
  const ring = (stream: string): void => {
    for (const call of streams.get(stream) ?? []) queueMicrotask(call);
  };
  const poll = (before: string): void => {
    stopPolling = systemClock.setTimer(POLL_MS, () => {
      let now = "";
      try {
        now = stateOf();
      } catch {
        // Whoever is called back reads, and is told what is wrong with the database.
      }
      if (now !== before || now === "") ringAll();
      poll(now);
    });
  };
  const stop = (): void => {
    stopPolling?.();
    stopPolling = undefined;
  };

  return {
    add(stream, onAppend) {
      if (stopPolling === undefined) poll(stateOf());
      // A call back of its own: the same function may watch twice, and each ends alone.
      const call = (): void => onAppend();
      const watching = streams.get(stream) ?? new Set();
      streams.set(stream, watching.add(call));
      return () => {
        watching.delete(call);
        if (watching.size === 0 && streams.get(stream) === watching) streams.delete(stream);
        if (streams.size === 0) stop();
      };
    },
    ring,
    close() {
      stop();
      ringAll();
      streams.clear();
    },
  };
}
