import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AppendStore, isTinyAgentsError, type Store } from "@tinyagents/core";
import type { JournalBackend } from "./journal-backend.js";
import { conflicting } from "./stored.js";

/** What a durable backend for several processes may get wrong. */
export type JournalFault = "looks_then_writes" | "busy" | "deaf";

type Break = (backend: JournalBackend, folder: string) => JournalBackend;

/** Work of this process, one after the other: what is done there looks sound from inside. */
let last: Promise<unknown> = Promise.resolve();

function queued<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Checks a condition, and writes without it later. */
function lookThenPut(store: Store): Store["put"] {
  return (key, value, { ifVersion, ...options } = {}) =>
    queued(async () => {
      const found = (await store.get(key))?.version ?? null;
      if (ifVersion !== undefined && ifVersion !== found) throw conflicting(JSON.stringify(key), ifVersion, found);
      await turn();
      return store.put(key, value, options);
    });
}

function lookThenAppend(log: AppendStore): AppendStore["append"] {
  return (stream, values, { expectedOffset, idempotencyKey, ...options } = {}) =>
    queued(async () => {
      const found = await log.head(stream);
      if (expectedOffset !== undefined && expectedOffset !== found) throw conflicting(stream, expectedOffset, found);
      await turn();
      if (idempotencyKey === undefined) {
        await log.append(stream, values, options);
        return found;
      }
      try {
        return await log.append(stream, values, { idempotencyKey: `${process.pid} ${idempotencyKey}` });
      } catch (error) {
        if (isTinyAgentsError(error)) return found;
        throw error;
      }
    });
}

/** Fails where another process is writing at that moment, in place of waiting for it. */
const busy: Break = (backend, folder) => ({
  ...backend,
  store: {
    ...backend.store,
    async put(key, value, options) {
      const lock = join(folder, "locked");
      writeFileSync(lock, "", { flag: "wx" });
      try {
        await turn();
        return await backend.store.put(key, value, options);
      } finally {
        rmSync(lock);
      }
    },
  },
});

/** Calls back for appends of this process alone. */
const deaf: Break = (backend) => {
  const watching = new Set<() => void>();
  return {
    ...backend,
    log: {
      ...backend.log,
      async append(stream, values, options) {
        const offset = await backend.log.append(stream, values, options);
        for (const onAppend of watching) onAppend();
        return offset;
      },
      async watch(_stream, onAppend) {
        watching.add(onAppend);
        return () => watching.delete(onAppend);
      },
    },
  };
};

export const journalFaults: { readonly [F in JournalFault]: Break } = {
  looks_then_writes: (backend) => ({
    ...backend,
    store: { ...backend.store, put: lookThenPut(backend.store) },
    log: { ...backend.log, append: lookThenAppend(backend.log) },
  }),
  busy,
  deaf,
};
