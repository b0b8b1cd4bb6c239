import type { LogFault, LogMemory, WatchedLog } from "./memory-log.js";
import { turn } from "./store-faults.js";

type Watch = WatchedLog["watch"];

function watches(change: (watch: Watch, log: WatchedLog, memory: LogMemory) => Watch): LogFault {
  return (log, memory) => ({ ...log, watch: change((log as WatchedLog).watch, log as WatchedLog, memory) });
}

/** Says that it watches before it does. */
const watchesLate = watches((watch) => async (...args) => {
  const watching = turn()
    .then(turn)
    .then(() => watch(...args));
  return () => void watching.then((unwatch) => unwatch());
});

/** Reads the record before the first one that is asked for once more. */
const repeats: LogFault = (log) => ({
  ...log,
  read: (stream, { from = 0, ...range } = {}) => log.read(stream, { ...range, from: Math.max(0, from - 1) }),
});

/** Has an append wait until somebody has read what was appended before. */
const waitsForReaders: LogFault = (log) => {
  let isRead: Promise<void> = Promise.resolve();
  let read: () => void = () => undefined;
  return {
    ...log,
    async append(...args) {
      await isRead;
      isRead = new Promise((resolve) => {
        read = resolve;
      });
      return log.append(...args);
    },
    read(...args) {
      read();
      return log.read(...args);
    },
  };
};

/** Faults of logs that are followed, each with what is wrong and the check that must find it. */
export const followFaults: readonly (readonly [check: string, what: string, fault: LogFault])[] = [
  [
    "calls everybody back who watches a stream, until that ends, and fails nobody who ends it",
    "calls nobody back",
    watches((watch) => (stream, _, options) => watch(stream, () => undefined, options)),
  ],
  [
    "calls everybody back who watches a stream, until that ends, and fails nobody who ends it",
    "calls only the last one back who watches",
    watches((watch, _, { watching }) => (...args) => {
      watching.clear();
      return watch(...args);
    }),
  ],
  [
    "calls everybody back who watches a stream, until that ends, and fails nobody who ends it",
    "calls somebody back who watches no more",
    watches((watch) => async (...args) => {
      await watch(...args);
      return () => undefined;
    }),
  ],
  [
    "calls everybody back who watches a stream, until that ends, and fails nobody who ends it",
    "fails whoever ends a watch twice",
    watches((watch) => async (...args) => {
      const unwatch = await watch(...args);
      let isOver = false;
      return () => {
        if (isOver) throw new Error("nobody watches");
        isOver = true;
        unwatch();
      };
    }),
  ],
  [
    "passes no append over that begins once watch has resolved, however soon",
    "watches later than it says",
    watchesLate,
  ],
  [
    "gives a follower each record once and in order, those before and those after it began, without a gap",
    "repeats the last record",
    repeats,
  ],
  [
    "passes nothing over that is appended while a follower goes from reading to waiting",
    "watches later than it says",
    watchesLate,
  ],
  [
    "goes on with a stream that nobody has written yet, and with one that is deleted and begun anew",
    "forgets who watches a stream that is deleted",
    (log, { watching }) => ({
      ...log,
      delete(stream) {
        watching.clear();
        return log.delete(stream);
      },
    }),
  ],
  [
    "neither waits for a follower that is slow, nor loses anything for it, nor holds up another one",
    "lets an append wait for readers",
    waitsForReaders,
  ],
  [
    "ends a follower when its signal aborts, refuses one that has aborted, and leaves no listener",
    "leaves a listener",
    watches((watch) => (stream, onAppend, options) => {
      options?.signal?.addEventListener("abort", () => undefined);
      return watch(stream, onAppend, options);
    }),
  ],
  [
    "ends a follower when its signal aborts, refuses one that has aborted, and leaves no listener",
    "never ends one that begins",
    watches((watch) => async (...args) => {
      const unwatch = await watch(...args);
      await new Promise(() => undefined);
      return unwatch;
    }),
  ],
  [
    "ends a follower with store_failed when the log is closed, and can be closed beside one",
    "tells nobody that it is closed",
    watches((watch, log) => (stream, onAppend, options) => {
      const unlessClosed = (): void => void log.head(stream).then(onAppend, () => undefined);
      return watch(stream, unlessClosed, options);
    }),
  ],
];
