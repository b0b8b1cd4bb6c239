import { type CheckpointChain, type CheckpointRow, type CheckpointStore, throwIfAborted } from "@tinyagents/core";
import type { CheckpointFault, CheckpointMemory, Lineage } from "./memory-checkpoints.js";
import { conflicting } from "./stored.js";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function appends(change: (row: CheckpointRow) => CheckpointRow): CheckpointFault {
  return (store) => ({ ...store, append: (row, terms, options) => store.append(change(row), terms, options) });
}

function loads(change: (chain: CheckpointChain) => CheckpointChain | undefined): CheckpointFault {
  return (store) => ({
    ...store,
    async load(thread, options) {
      const chain = await store.load(thread, options);
      return chain && change(chain);
    },
  });
}

function tasks(change: (put: CheckpointStore["putWrites"]) => CheckpointStore["putWrites"]): CheckpointFault {
  return (store) => ({ ...store, putWrites: change(store.putWrites) });
}

/** A store that looks at the head before it writes, and not while it does. */
const lookThenAppend: CheckpointFault = (store) => ({
  ...store,
  async append(row, terms, options) {
    const headId = (await store.load(row))?.headId ?? null;
    if (headId !== terms.expectedHead) return store.append(row, terms, options);
    await turn();
    const now = (await store.load(row))?.headId ?? null;
    await store.append(row, { ...terms, expectedHead: now }, options);
  },
});

/** What happens to a lineage when its place is opened again. */
function reopening(change: (lineage: Lineage) => void): CheckpointFault {
  return (store, { opened, threads }: CheckpointMemory) => {
    if (opened > 1) for (const graphs of threads.values()) graphs.forEach(change);
    return store;
  };
}

/** For each check a store that breaks what it asks for. */
export const checkpointFaults: { readonly [check: string]: CheckpointFault } = {
  "knows nothing of a lineage that nobody has written": (store) => ({
    ...store,
    load: async (thread, options) => (await store.load(thread, options)) ?? { rows: [], tasks: [], headId: "" },
  }),
  "gives a row back exactly, with the order of its keys": appends((row) => ({
    ...row,
    changes: sorted(row.changes as never),
  })),
  "restores the head from its base on, and nothing before it": (store, { threads }) => ({
    ...store,
    async load(thread, options) {
      const chain = await store.load(thread, options);
      const rows = threads.get(thread.threadId)?.get(thread.namespace)?.rows ?? [];
      return chain && { ...chain, rows: structuredClone(rows) };
    },
  }),
  "restores any earlier checkpoint, and says what the head is": loads((chain) => ({
    ...chain,
    headId: chain.rows.at(-1)?.checkpointId ?? "",
  })),
  "makes a fork the head, and leaves what it left as it was": (store, { threads }) => ({
    ...store,
    async append(row, terms, options) {
      await store.append(row, terms, options);
      const lineage = threads.get(row.threadId)?.get(row.namespace) as Lineage;
      const parent = lineage.rows.findIndex(({ checkpointId }) => checkpointId === row.parentId);
      if (parent < lineage.rows.length - 2) lineage.rows.splice(parent + 1, lineage.rows.length - parent - 2);
    },
  }),
  "refuses a row when another checkpoint is the head": (store) => ({
    ...store,
    async append(row, terms, options) {
      const expectedHead = (await store.load(row))?.headId ?? null;
      await store.append(row, { ...terms, expectedHead }, options);
    },
  }),
  "adds the head once, however often it is appended": (store, { threads }) => ({
    ...store,
    async append(row, terms, options) {
      const lineage = threads.get(row.threadId)?.get(row.namespace);
      if (lineage?.rows.at(-1)?.checkpointId === row.checkpointId) lineage.rows.push(structuredClone(row));
      else await store.append(row, terms, options);
    },
  }),
  "refuses an id that was used, a parent and a base that are not there": (store, { threads }) => ({
    ...store,
    async append(row, terms, options) {
      const lineage = threads.get(row.threadId)?.get(row.namespace);
      if (row.checkpointId !== lineage?.rows.at(-1)?.checkpointId) lineage?.used.delete(row.checkpointId);
      await store.append(row, terms, options);
    },
  }),
  "refuses what is no row, and names the place": appends((row) => ({
    ...row,
    step: Math.max(0, Math.round(row.step)),
  })),
  "copies what it is given, and shares nothing that it gives": (store, { threads }) => ({
    ...store,
    async load(thread, options) {
      const chain = await store.load(thread, options);
      return chain && { ...chain, rows: threads.get(thread.threadId)?.get(thread.namespace)?.rows ?? [] };
    },
  }),
  "keeps what tasks left after the head, until the next checkpoint": (store, { threads }) => ({
    ...store,
    async append(row, terms, options) {
      await store.append(row, terms, options);
      const lineage = threads.get(row.threadId)?.get(row.namespace);
      for (const task of lineage?.tasks ?? []) Object.assign(task, { checkpointId: row.checkpointId });
    },
  }),
  "keeps the writes of a task once: the same again add nothing, others are refused": tasks(
    (put) => (task, terms, options) =>
      put(task, terms, options).catch((error: Error) => {
        if (!error.message.startsWith("task")) throw error;
      }),
  ),
  "keeps writes and control apart, however they come": (store, { threads }) => ({
    ...store,
    async putWrites(task, terms, options) {
      const lineage = threads.get(task.threadId)?.get(task.namespace) as Lineage;
      if (task.control !== undefined) lineage.tasks = lineage.tasks.filter(({ taskId }) => taskId !== task.taskId);
      await store.putWrites(task, terms, options);
    },
  }),
  "gives what tasks left back exactly, whatever their ids are": tasks(
    (put) => (task, terms, options) =>
      put({ ...task, taskId: task.taskId.replaceAll("\u0000", "") || "x" }, terms, options),
  ),
  "refuses what a task left after a checkpoint that is not the head": (store) => ({
    ...store,
    async putWrites(task, terms, options) {
      const checkpointId = (await store.load(task))?.headId ?? task.checkpointId;
      await store.putWrites({ ...task, checkpointId }, terms, options);
    },
  }),
  "refuses what is nothing that a task could leave": tasks((put) => async (task, terms, options) => {
    if (task.writes === undefined && task.control === undefined) return;
    await put(task, terms, options);
  }),
  "lets exactly one of many win that append on the same head at once": lookThenAppend,
  "keeps what each of many tasks leaves at once": (store, { threads }) => ({
    ...store,
    async putWrites(task, terms, options) {
      const before = threads.get(task.threadId)?.get(task.namespace)?.tasks.slice() ?? [];
      await turn();
      await store.putWrites(task, terms, options);
      const lineage = threads.get(task.threadId)?.get(task.namespace) as Lineage;
      lineage.tasks = [...before, ...lineage.tasks.slice(-1)];
    },
  }),
  "keeps the writes of one when a task was run twice at once": (store, { threads }) => ({
    ...store,
    async putWrites(task, terms, options) {
      const lineage = threads.get(task.threadId)?.get(task.namespace) as Lineage;
      lineage.tasks = lineage.tasks.filter(({ taskId }) => taskId !== task.taskId);
      await store.putWrites(task, terms, options);
    },
  }),
  "refuses an owner whose number is not the newest, and whoever has none": (store) => ({
    ...store,
    append: (row, terms, options) => store.append(row, { ...terms, fence: Number.MAX_SAFE_INTEGER }, options),
  }),
  "lets a lineage be claimed before its first checkpoint": (store) => ({
    ...store,
    async claim(thread, fence, options) {
      if ((await store.load(thread, options)) !== undefined) await store.claim(thread, fence, options);
    },
  }),
  "lets exactly one of several stores on a place win, and shows all what it wrote": lookThenAppend,
  "goes on from what another store wrote, and refuses only what stands against that": (store) => {
    let seen: string | undefined;
    return {
      ...store,
      async append(row, terms, options) {
        if (seen !== undefined && terms.expectedHead !== seen) throw conflicting("thread", terms.expectedHead, seen);
        await store.append(row, terms, options);
        seen = row.checkpointId;
      },
    };
  },
  "takes a thread that another store deleted and began anew for what it is now": (store) => {
    let seen: string | undefined;
    return {
      ...store,
      async append(row, terms, options) {
        await store.append(row, terms, options);
        seen = row.checkpointId;
      },
      async putWrites(task, terms, options) {
        const checkpointId = (await store.load(task))?.headId ?? "";
        await store.putWrites(task.checkpointId === seen ? { ...task, checkpointId } : task, terms, options);
      },
    };
  },
  "begins no branch on what was dropped, and copies only what is left, with its ids": (store, { threads }) => ({
    ...store,
    async copyThread(threadId, toThreadId, options) {
      await store.copyThread(threadId, toThreadId, options);
      for (const lineage of threads.get(toThreadId)?.values() ?? []) lineage.used.clear();
    },
    // Whoever looks only at the head and at ids that are new would take it as the copy's own.
    async append(row, terms, options) {
      const lineage = threads.get(row.threadId)?.get(row.namespace);
      const known = lineage?.rows.findIndex(({ checkpointId }) => checkpointId === row.checkpointId) ?? -1;
      if (known < 0 || lineage?.used.has(row.checkpointId)) return store.append(row, terms, options);
      lineage?.rows.splice(known, 1, row);
    },
  }),
  "keeps what others leave when one of them is cancelled": tasks((put) => {
    let waiting: Promise<void> = Promise.resolve();
    return (task, terms, options) => {
      waiting = waiting.then(turn).then(() => {
        throwIfAborted(options?.signal);
        return put(task, terms, options);
      });
      return waiting;
    };
  }),
  "lists checkpoints without their changes, the newest first, in steps": (store) => ({
    ...store,
    list: async (thread, query) => [...(await store.list(thread, query))].reverse(),
  }),
  "keeps graphs of a thread apart, and names them": (store) => ({
    ...store,
    namespaces: async (threadId, options) =>
      (await store.namespaces(threadId, options)).map((name) => name.split("/")[0] ?? ""),
  }),
  "lists each thread once, in steps, also while others come": (store) => ({
    ...store,
    async threads({ cursor = "0", limit = 100, ...options } = {}) {
      const { items } = await store.threads({ ...options, limit: 1_000 });
      if (limit < 1) return store.threads({ limit });
      const from = Number(cursor);
      const page = items.slice(from, from + limit);
      return from + limit < items.length
        ? { items: [...page, ...page], cursor: String(from + limit) }
        : { items: page };
    },
  }),
  "takes every hostile id as it is, and deletes only that thread": (store, { threads }) => ({
    ...store,
    async deleteThread(threadId, options) {
      if (threadId === "*") threads.clear();
      return store.deleteThread(threadId, options);
    },
  }),
  "starts anew with a thread that was deleted": (store, { threads }) => ({
    ...store,
    async deleteThread(threadId) {
      const there = threads.has(threadId);
      for (const lineage of threads.get(threadId)?.values() ?? []) lineage.rows = [];
      return there;
    },
  }),
  "copies a thread whole, after which each goes its own way": (store, { threads }) => ({
    ...store,
    async copyThread(threadId, toThreadId, options) {
      await store.copyThread(threadId, toThreadId, options);
      for (const lineage of threads.get(toThreadId)?.values() ?? []) lineage.tasks = [];
    },
  }),
  "refuses to copy over a thread, and to copy nothing": (store, { threads }) => ({
    ...store,
    async copyThread(threadId, toThreadId, options) {
      if (threadId !== toThreadId) threads.delete(toThreadId);
      await store.copyThread(threadId, toThreadId, options);
    },
  }),
  "drops what the newest checkpoints do not need, and nothing that they do": (store, { threads }) => ({
    ...store,
    async prune(thread, query) {
      const dropped = await store.prune(thread, query);
      const lineage = threads.get(thread.threadId)?.get(thread.namespace) as Lineage;
      lineage.rows = lineage.rows.slice(-query.keep);
      return dropped;
    },
  }),
  "does nothing when it is cancelled before": (store) => ({
    ...store,
    putWrites: (task, terms) => store.putWrites(task, terms),
  }),
  "has it all when the place is opened again": reopening((lineage) => {
    lineage.used.clear();
  }),
};

function sorted(value: never): never {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) as never;
}
