import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AppendStore,
  applyTaskAction,
  type CheckpointRow,
  type CheckpointStore,
  type CheckpointThread,
  isTinyAgentsError,
  type Store,
  systemClock,
  type TaskStore,
  type TaskWrites,
} from "@tinyagents/core";
import { type JournalBackend, journalBackend } from "./journal-backend.js";
import { conflicting } from "./stored.js";

/** What a durable backend for several processes may get wrong. */
export type JournalFault =
  | "looks_then_writes"
  | "busy"
  | "deaf"
  | "acknowledges_first"
  | "loses_the_last"
  | "halves_appends"
  | "halves_batches"
  | "merges_a_torn_record"
  | "repeats_when_opened"
  | "does_not_open"
  | "swallows_failures"
  | "halves_keyed_appends"
  | "acknowledges_supersteps_first"
  | "forks_threads"
  | "halves_supersteps"
  | "forgets_tasks"
  | "writes_tasks_last"
  | "forgets_owners"
  | "swallows_late_tasks"
  | "halves_copies"
  | "keeps_owners_of_copies"
  | "looks_then_acts";

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

function lookThenAddCheckpoint(checkpoints: CheckpointStore): CheckpointStore["append"] {
  return (row, { expectedHead, ...terms }, options) =>
    queued(async () => {
      const headOf = async (): Promise<string | null> => (await checkpoints.load(row))?.headId ?? null;
      const found = await headOf();
      // Adding the head once more is no move.
      if (found === row.checkpointId) return checkpoints.append(row, { ...terms, expectedHead }, options);
      if (found !== expectedHead) throw conflicting("thread", expectedHead, found);
      await turn();
      await checkpoints.append(row, { ...terms, expectedHead: await headOf() }, options);
    });
}

/** Long enough for another process to act meanwhile. */
const LOOK_MS = 10;

/** Looks at a task, and acts later: what others did between is not seen, and what is done is lost where they did something. */
function lookThenAct(tasks: TaskStore): TaskStore["act"] {
  return (taskId, action) =>
    queued(async () => {
      const seen = await tasks.get(taskId);
      await systemClock.sleep(LOOK_MS);
      const now = await tasks.get(taskId);
      if (seen === undefined || JSON.stringify(seen) === JSON.stringify(now)) return tasks.act(taskId, action);
      return applyTaskAction(seen, action, seen.updatedAtMs);
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

/** Says that an append is done, and does it soon. */
const acknowledgesFirst: Break = (backend) => ({
  ...backend,
  log: {
    ...backend.log,
    async append(stream, values, options) {
      const head = await backend.log.head(stream);
      setTimeout(() => backend.log.append(stream, values, options).catch(() => undefined), 2);
      return head;
    },
  },
});

/** Takes away the last command when the place is opened. */
const losesTheLast: Break = (_backend, folder) => {
  const last = Math.max(-1, ...readdirSync(folder).map(Number).filter(Number.isSafeInteger));
  if (last >= 0) rmSync(join(folder, String(last)));
  return journalBackend(folder);
};

const halvesAppends: Break = (backend) => ({
  ...backend,
  log: {
    ...backend.log,
    async append(stream, values, options) {
      if (options?.idempotencyKey !== undefined) return backend.log.append(stream, values, options);
      const offset = await backend.log.append(stream, values.slice(0, 1), options);
      for (const value of values.slice(1)) {
        await turn();
        await backend.log.append(stream, [value]);
      }
      return offset;
    },
  },
});

const halvesBatches: Break = (backend) => ({
  ...backend,
  store: {
    ...backend.store,
    async batch(operations) {
      const versions: (string | undefined)[] = [];
      for (const operation of operations) {
        await turn();
        versions.push(...(await backend.store.batch([operation])));
      }
      return versions;
    },
  },
});

/** Notes a record before it writes it, and takes what is left of such a note for a part of the next record. */
const mergesATornRecord: Break = (backend, folder) => {
  const torn = join(folder, "torn");
  return {
    ...backend,
    store: {
      ...backend.store,
      async put(key, value, options) {
        const left = existsSync(torn) ? readFileSync(torn, "utf8") : undefined;
        writeFileSync(torn, key.join("/"));
        await turn();
        const merged = left === undefined ? value : ({ type: "text", text: left } as const);
        const version = await backend.store.put(key, merged, options);
        rmSync(torn, { force: true });
        return version;
      },
    },
  };
};

/** Appends the last value of each stream once more when the place is opened. */
const repeatsWhenOpened: Break = (backend) => {
  const repeating = (async () => {
    for (const stream of await backend.log.streams()) {
      const [last] = await backend.log.read(stream, { order: "descending", limit: 1 });
      if (last !== undefined) await backend.log.append(stream, [last.value]);
    }
  })();
  return {
    ...backend,
    log: {
      ...backend.log,
      async streams(prefix, range) {
        await repeating;
        return backend.log.streams(prefix, range);
      },
    },
  };
};

/** Does not open where the last process has not closed. */
const doesNotOpen: Break = (backend, folder) => {
  const mark = join(folder, "opened");
  writeFileSync(mark, "", { flag: "wx" });
  return {
    ...backend,
    async close() {
      await backend.close();
      rmSync(mark);
    },
  };
};

function withCheckpoints(change: (checkpoints: CheckpointStore) => Partial<CheckpointStore>): Break {
  return (backend) => ({ ...backend, checkpoints: { ...backend.checkpoints, ...change(backend.checkpoints) } });
}

/** Says that a checkpoint is there, and adds it soon. */
const acknowledgesSuperstepsFirst = withCheckpoints((checkpoints) => ({
  async append(row, terms) {
    const headId = (await checkpoints.load(row))?.headId ?? null;
    if (headId !== terms.expectedHead) return checkpoints.append(row, terms);
    setTimeout(() => checkpoints.append(row, terms).catch(() => undefined), 2);
  },
}));

/** Adds a checkpoint, and what it changes in a step of its own. */
const halvesSupersteps: Break = (backend) => {
  const { checkpoints, log } = backend;
  const streamOf = ({ threadId }: CheckpointThread, id: string): string => `changes of ${threadId} ${id}`;
  return {
    ...backend,
    checkpoints: {
      ...checkpoints,
      async append(row, terms) {
        await checkpoints.append({ ...row, changes: null }, terms);
        await turn();
        await log.append(streamOf(row, row.checkpointId), [row.changes]);
      },
      async load(thread, options) {
        const chain = await checkpoints.load(thread, options);
        const whole = async (row: CheckpointRow): Promise<CheckpointRow> => {
          const [changes] = await log.read(streamOf(thread, row.checkpointId));
          return { ...row, changes: changes?.value ?? null };
        };
        return chain && { ...chain, rows: await Promise.all(chain.rows.map(whole)) };
      },
    },
  };
};

/** Keeps what tasks left in the process alone. */
const forgetsTasks = withCheckpoints((checkpoints) => {
  const left: { readonly at: string; readonly task: TaskWrites }[] = [];
  return {
    async putWrites({ threadId, namespace, checkpointId, ...task }) {
      left.push({ at: `${threadId} ${namespace} ${checkpointId}`, task });
    },
    async load(thread, options) {
      const chain = await checkpoints.load(thread, options);
      const last = chain?.rows.at(-1);
      const at = `${thread.threadId} ${thread.namespace} ${last?.checkpointId}`;
      return chain && { ...chain, tasks: left.filter((one) => one.at === at).map(({ task }) => task) };
    },
  };
});

/** Adds a checkpoint before the writes that led to it, which come soon. */
const writesTasksLast = withCheckpoints((checkpoints) => ({
  async putWrites(task, terms) {
    if (!task.taskId.startsWith("moves")) return checkpoints.putWrites(task, terms);
    setTimeout(() => checkpoints.putWrites(task, terms).catch(() => undefined), 2);
  },
}));

/** Lets whoever has no number write to a thread that has an owner. */
const forgetsOwners = withCheckpoints(() => ({ claim: async () => undefined }));

/** Copies a thread a checkpoint at a time, to where everybody can use them. One that was pruned it copies soundly. */
const halvesCopies = withCheckpoints((checkpoints) => ({
  async copyThread(threadId, toThreadId) {
    const thread = { threadId, namespace: "" };
    const to = { threadId: toThreadId, namespace: "" };
    const listed = [...(await checkpoints.list(thread))].reverse();
    if (listed[0]?.parentId !== null) return checkpoints.copyThread(threadId, toThreadId);
    for (const { checkpointId, parentId } of listed) {
      const chain = await checkpoints.load(thread, { checkpointId });
      const row = chain?.rows.at(-1) as CheckpointRow;
      await checkpoints.append({ ...row, ...to }, { expectedHead: parentId });
      for (const task of chain?.tasks ?? []) await checkpoints.putWrites({ ...to, checkpointId, ...task });
      await turn();
    }
  },
}));

/** Lets nobody write to a copy who does not own what it was made of. */
const keepsOwnersOfCopies = withCheckpoints((checkpoints) => ({
  async copyThread(threadId, toThreadId) {
    await checkpoints.copyThread(threadId, toThreadId);
    await checkpoints.claim({ threadId: toThreadId, namespace: "" }, 1);
  },
}));

/** Says nothing to what a task left after a checkpoint that is the head no longer, and does nothing with it. */
const swallowsLateTasks = withCheckpoints((checkpoints) => ({
  async putWrites(task, terms) {
    const headId = (await checkpoints.load(task))?.headId;
    if (headId === task.checkpointId) await checkpoints.putWrites(task, terms);
  },
}));

export const journalFaults: { readonly [F in JournalFault]: Break } = {
  looks_then_writes: (backend) => ({
    ...backend,
    store: { ...backend.store, put: lookThenPut(backend.store) },
    log: { ...backend.log, append: lookThenAppend(backend.log) },
  }),
  busy,
  deaf,
  acknowledges_first: acknowledgesFirst,
  loses_the_last: losesTheLast,
  halves_appends: halvesAppends,
  halves_batches: halvesBatches,
  merges_a_torn_record: mergesATornRecord,
  repeats_when_opened: repeatsWhenOpened,
  does_not_open: doesNotOpen,
  halves_keyed_appends: (backend) => ({
    ...backend,
    log: {
      ...backend.log,
      async append(stream, values, { idempotencyKey, ...options } = {}) {
        const offset = await backend.log.append(stream, values.slice(0, 1), { ...options, idempotencyKey });
        if (values.length > 1) await backend.log.append(stream, values.slice(1), options);
        return offset;
      },
    },
  }),
  acknowledges_supersteps_first: acknowledgesSuperstepsFirst,
  forks_threads: withCheckpoints((checkpoints) => ({ append: lookThenAddCheckpoint(checkpoints) })),
  halves_supersteps: halvesSupersteps,
  forgets_tasks: forgetsTasks,
  writes_tasks_last: writesTasksLast,
  forgets_owners: forgetsOwners,
  swallows_late_tasks: swallowsLateTasks,
  halves_copies: halvesCopies,
  keeps_owners_of_copies: keepsOwnersOfCopies,
  looks_then_acts: (backend) => ({ ...backend, tasks: { ...backend.tasks, act: lookThenAct(backend.tasks) } }),
  swallows_failures: (backend) => ({
    ...backend,
    store: {
      ...backend.store,
      put: (...args) => backend.store.put(...args).catch(() => "none"),
    },
  }),
};
