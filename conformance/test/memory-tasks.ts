import type { OpenTasks, Place } from "@tinyagents/conformance";
import {
  applyTaskAction,
  type Clock,
  canonicalJson,
  isJsonObject,
  manualClock,
  type Page,
  readTaskAction,
  type TaskQuery,
  type TaskRecord,
  type TaskSpec,
  type TaskStore,
  throwIfAborted,
} from "@tinyagents/core";
import { checkFields, checkOrder, checkWhole, conflicting, jsonText, refused } from "./stored.js";

/** What all stores on a place share: tasks by id, in the order in which they were created. */
export interface TaskMemory {
  readonly clock: Pick<Clock, "now">;
  readonly tasks: Map<string, TaskRecord>;
  /** How often the place was opened. */
  opened: number;
}

/** Makes a sound store unsound. Called for each that is opened. */
export type TaskFault = (tasks: TaskStore, memory: TaskMemory) => TaskStore;

/** A place that outlives its stores, for as many as there are. */
export function taskPlace(
  change: TaskFault = (tasks) => tasks,
  claims: Partial<OpenTasks["capabilities"]> = {},
): Place<OpenTasks> {
  const clock = manualClock();
  const memory: TaskMemory = { clock, tasks: new Map(), opened: 0 };
  return {
    open() {
      memory.opened += 1;
      const capabilities = { durable: true, multiProcess: true, ...claims };
      return { tasks: change(tasksOn(memory), memory), capabilities };
    },
    advance: (ms) => clock.advance(ms),
  };
}

/** One store on a place. */
export function tasksOn({ clock, tasks }: TaskMemory): TaskStore {
  return {
    async create(spec, options) {
      throwIfAborted(options?.signal);
      checkSpec(spec);
      const { taskId = `task ${tasks.size}`, ...said } = spec;
      const found = tasks.get(taskId);
      if (found !== undefined) {
        if (canonicalJson(specOf(found)) !== canonicalJson(specOf(said))) throw conflicting(taskId, null, found.kind);
        return structuredClone(found);
      }
      const now = clock.now();
      const made = {
        ...structuredClone(said),
        state: "pending",
        claims: 0,
        messages: [],
        acknowledged: [],
        history: [],
      };
      tasks.set(taskId, { v: 1, taskId, ...made, createdAtMs: now, updatedAtMs: now } as TaskRecord);
      return structuredClone(tasks.get(taskId) as TaskRecord);
    },
    async get(taskId, options) {
      throwIfAborted(options?.signal);
      return structuredClone(tasks.get(taskId));
    },
    async act(taskId, action, options) {
      throwIfAborted(options?.signal);
      const checked = readTaskAction(action);
      const task = tasks.get(taskId);
      if (task === undefined) throw refused("taskId", "there is none");
      const changed = applyTaskAction(task, checked, clock.now());
      tasks.set(taskId, changed);
      return structuredClone(changed);
    },
    async list(query = {}, options) {
      throwIfAborted(options?.signal);
      return pageOf([...tasks.values()], query);
    },
    async prune({ endedBeforeMs, limit = 1_000 }, options) {
      throwIfAborted(options?.signal);
      if (!Number.isFinite(endedBeforeMs)) throw refused("endedBeforeMs");
      checkWhole(limit, 1, "limit");
      const ended = [...tasks.values()].filter(({ endedAtMs }) => endedAtMs !== undefined && endedAtMs < endedBeforeMs);
      const oldest = ended.sort((one, other) => Number(one.endedAtMs) - Number(other.endedAtMs)).slice(0, limit);
      for (const { taskId } of oldest) tasks.delete(taskId);
      return oldest.length;
    },
  };
}

function pageOf(all: readonly TaskRecord[], query: TaskQuery): Page<TaskRecord> {
  checkFields(query, ["threadId", "rootRunId", "kind", "states", "order", "limit", "cursor"]);
  const { threadId, rootRunId, kind, states, order = "ascending", limit = 100, cursor } = query;
  const whose = [threadId, rootRunId, kind].filter((one) => one !== undefined);
  if (whose.length > 1) throw refused("query");
  const isOfRun = threadId !== undefined || rootRunId !== undefined;
  if (!isOfRun && (kind !== undefined || states !== undefined) && states?.length !== 1) throw refused("states");
  checkOrder(order);
  checkWhole(limit, 1, "limit");
  const at = cursor === undefined ? undefined : /^after (\d+) (.*)$/s.exec(cursor);
  if (at === null) throw refused("cursor");
  const isAfter = ({ createdAtMs }: TaskRecord): boolean =>
    at === undefined || (order === "ascending" ? createdAtMs > Number(at[1]) : createdAtMs < Number(at[1]));
  const wanted = all.filter(
    (task) =>
      (threadId ?? task.threadId) === task.threadId &&
      (rootRunId ?? task.rootRunId) === task.rootRunId &&
      (kind ?? task.kind) === task.kind &&
      (states ?? [task.state]).includes(task.state) &&
      isAfter(task),
  );
  const sorted = order === "ascending" ? wanted : wanted.reverse();
  const items = structuredClone(sorted.slice(0, limit));
  const last = items.at(-1);
  if (last === undefined || sorted.length <= limit) return { items };
  return { items, cursor: `after ${last.createdAtMs} ${last.taskId}` };
}

function checkSpec(spec: TaskSpec): void {
  checkFields(spec, ["taskId", "kind", "input", "threadId", "rootRunId", "parentRunId", "parentTaskId", "metadata"]);
  if (spec.taskId === "" || !spec.kind) throw refused("spec");
  if (spec.metadata !== undefined && !isJsonObject(spec.metadata)) throw refused("spec.metadata");
  jsonText(spec.input, "spec.input");
}

function specOf({ kind, input, threadId, rootRunId, parentRunId, parentTaskId, metadata }: TaskSpec): unknown {
  return JSON.parse(JSON.stringify({ kind, input, threadId, rootRunId, parentRunId, parentTaskId, metadata }));
}
