import { type TaskRecord, type TaskStore, throwIfAborted } from "@tinyagents/core";
import type { TaskFault, TaskMemory } from "./memory-tasks.js";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function lists(change: (items: readonly TaskRecord[], memory: TaskMemory) => readonly TaskRecord[]): TaskFault {
  return (tasks, memory) => ({
    ...tasks,
    async list(query, options) {
      const page = await tasks.list(query, options);
      return { ...page, items: change(page.items, memory) };
    },
  });
}

/** Acts on what a task was a moment ago, and writes over what others did since. */
const looksThenActs: TaskFault = (tasks, { tasks: all }) => ({
  ...tasks,
  async act(taskId, action, options) {
    const before = all.get(taskId);
    await turn();
    const now = all.get(taskId);
    if (before !== undefined) all.set(taskId, before);
    try {
      return await tasks.act(taskId, action, options);
    } catch (error) {
      if (now !== undefined) all.set(taskId, now);
      throw error;
    }
  },
});

/** Looks at what it knew when it was opened. */
const knowsOnlyItsOwn: TaskFault = (tasks) => {
  const own = new Map<string, TaskRecord>();
  const kept = (task: TaskRecord): TaskRecord => {
    own.set(task.taskId, task);
    return task;
  };
  return {
    ...tasks,
    create: async (...args) => kept(await tasks.create(...args)),
    act: async (...args) => kept(await tasks.act(...args)),
    get: async (taskId) => own.get(taskId),
  };
};

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const withoutSignals: TaskFault = (tasks) => ({
  ...tasks,
  act: (taskId, action) => tasks.act(taskId, action),
});

/** For each check a store that breaks what it asks for. */
export const taskFaults: { readonly [check: string]: TaskFault } = {
  "knows nothing of a task that nobody has created": (tasks) => ({
    ...tasks,
    act: async (taskId, action, options) => {
      if ((await tasks.get(taskId)) === undefined) await tasks.create({ taskId, kind: "k", input: null });
      return tasks.act(taskId, action, options);
    },
  }),
  "gives a task back exactly as it was created, pending and nobody's": (tasks) => ({
    ...tasks,
    create: (spec, options) => tasks.create({ ...spec, input: sorted(spec.input) as never }, options),
  }),
  "gives a task an id of its own where none is said": (tasks) => ({
    ...tasks,
    create: (spec, options) => tasks.create({ ...spec, taskId: spec.taskId ?? "task" }, options),
  }),
  "takes a task that is created again for the same, and refuses another under its id": (tasks) => ({
    ...tasks,
    create: async (spec, options) => (await tasks.get(spec.taskId ?? "")) ?? tasks.create(spec, options),
  }),
  "refuses what cannot be, and does nothing of it": (tasks) => ({
    ...tasks,
    list: ({ limit, ...query } = {}, options) => tasks.list({ ...query, limit: limit || undefined }, options),
  }),
  "does with a task what the rules of core say, and refuses what they do": (tasks) => ({
    ...tasks,
    async act(taskId, action, options) {
      if (action.type !== "steer") return tasks.act(taskId, action, options);
      const known = await tasks.get(taskId);
      const isKnown = known?.acknowledged.includes(action.id) === true;
      return tasks.act(taskId, isKnown ? { ...action, id: `${action.id} again` } : action, options);
    },
  }),
  "lets the next one claim once the time of the owner is up, who is refused then": (tasks) => ({
    ...tasks,
    async act(taskId, action, options) {
      const fence = (await tasks.get(taskId))?.lease?.fence;
      const isOwn = action.type === "succeed" && fence !== undefined;
      return tasks.act(taskId, isOwn ? { ...action, fence } : action, options);
    },
  }),
  "lists tasks of a thread, of a tree, of a kind, in a state, by when they were created": lists((items) =>
    items.toSorted((one, other) => (one.taskId < other.taskId ? -1 : 1)),
  ),
  "lists a task in the state that it has, and in no other": (tasks) => {
    const first = new Map<string, TaskRecord>();
    return {
      ...tasks,
      async list(query, options) {
        const page = await tasks.list(query, options);
        for (const task of page.items) if (!first.has(task.taskId)) first.set(task.taskId, task);
        return { ...page, items: page.items.map((task) => first.get(task.taskId) ?? task) };
      },
    };
  },
  "lists each task once in pages, also while others come and go": (tasks) => ({
    ...tasks,
    async list({ cursor, limit = 100, ...query } = {}, options) {
      const { items } = await tasks.list(query, options);
      const from = Number(cursor ?? 0);
      const page = items.slice(from, from + limit);
      return from + limit < items.length ? { items: page, cursor: String(from + limit) } : { items: page };
    },
  }),
  "takes every hostile id as it is": (tasks) => ({
    ...tasks,
    async list(query, options) {
      if (query?.threadId === undefined || !query.threadId.includes("%")) return tasks.list(query, options);
      return tasks.list({}, options);
    },
  }),
  "takes finished tasks away, the oldest ends first, and no others": (tasks, memory) => ({
    ...tasks,
    async prune({ endedBeforeMs, limit = 1_000 }) {
      const ended = [...memory.tasks.values()].filter(({ endedAtMs = Infinity }) => endedAtMs < endedBeforeMs);
      for (const { taskId } of ended.slice(0, limit)) memory.tasks.delete(taskId);
      return Math.min(limit, ended.length);
    },
  }),
  "gives a task to exactly one of many that claim it at once": looksThenActs,
  "keeps all that is said to a task at once, each once": looksThenActs,
  "creates a task once, however many create it at once": (tasks, { tasks: all }) => ({
    ...tasks,
    async create(spec, options) {
      const isThere = all.has(spec.taskId ?? "");
      await turn();
      if (!isThere && spec.taskId !== undefined) all.delete(spec.taskId);
      return tasks.create(spec, options);
    },
  }),
  "lets exactly one of several stores on a place claim a task, and shows all what was done": knowsOnlyItsOwn,
  "still has every task, its owner and what was said to it, when the place is opened again": (tasks, memory) => {
    if (memory.opened > 1)
      for (const [taskId, task] of memory.tasks) memory.tasks.set(taskId, { ...task, messages: [] });
    return tasks;
  },
  "does nothing when it is cancelled before": withoutSignals,
};

/** A store that does as it is told, though nobody wants it any more, and then says that nobody does. */
export const cancelsTooLate: TaskFault = (tasks): TaskStore => ({
  ...tasks,
  async act(taskId, action, options) {
    const task = await tasks.act(taskId, action);
    throwIfAborted(options?.signal);
    return task;
  },
});
