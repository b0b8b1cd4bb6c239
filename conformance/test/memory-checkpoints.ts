import type { OpenCheckpoints, Place } from "@tinyagents/conformance";
import {
  type CheckpointRow,
  type CheckpointStore,
  type CheckpointThread,
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type TaskWrites,
  throwIfAborted,
} from "@tinyagents/core";
import { checkWhole, conflicting, jsonText, refused } from "./stored.js";

interface Left extends TaskWrites {
  readonly checkpointId: string;
}

/** One lineage, in the plainest form there is. */
export interface Lineage {
  rows: CheckpointRow[];
  used: Set<string>;
  tasks: Left[];
  fence: number;
}

/** What all stores on a place share: lineages by thread id and namespace. */
export interface CheckpointMemory {
  threads: Map<string, Map<string, Lineage>>;
  /** How often the place was opened. */
  opened: number;
}

/** Makes a sound store unsound. Called for each that is opened. */
export type CheckpointFault = (checkpoints: CheckpointStore, memory: CheckpointMemory) => CheckpointStore;

/** A place that outlives its stores, for as many as there are. */
export function checkpointPlace(
  change: CheckpointFault = (checkpoints) => checkpoints,
  claims: Partial<CheckpointStore["capabilities"]> = {},
): Place<OpenCheckpoints> {
  const memory: CheckpointMemory = { threads: new Map(), opened: 0 };
  return {
    open() {
      memory.opened += 1;
      return { checkpoints: change(checkpointsOn(memory, { durable: true, multiProcess: true, ...claims }), memory) };
    },
  };
}

/** One store on a place. */
export function checkpointsOn(
  memory: CheckpointMemory,
  capabilities: CheckpointStore["capabilities"],
): CheckpointStore {
  const lineageOf = ({ threadId, namespace }: CheckpointThread): Lineage | undefined =>
    memory.threads.get(threadId)?.get(namespace);
  const written = ({ threadId, namespace }: CheckpointThread): Lineage => {
    const graphs = memory.threads.get(threadId) ?? new Map<string, Lineage>();
    const lineage = graphs.get(namespace) ?? { rows: [], used: new Set(), tasks: [], fence: 0 };
    memory.threads.set(threadId, graphs.set(namespace, lineage));
    return lineage;
  };
  return {
    capabilities,
    async append(row, { expectedHead, fence = 0 }, options) {
      throwIfAborted(options?.signal);
      checkRow(row);
      const lineage = lineageOf(row);
      checkFence(lineage, fence);
      const head = lineage?.rows.at(-1);
      if (head?.checkpointId === row.checkpointId && jsonText(head, "") === jsonText(row, "")) return;
      if (lineage?.used.has(row.checkpointId)) throw refused("row.checkpointId");
      if ((head?.checkpointId ?? null) !== expectedHead)
        throw conflicting("thread", expectedHead, head?.checkpointId ?? null);
      if (row.baseId !== row.checkpointId) {
        const way = wayBack(lineage, row.parentId, row.baseId);
        if (way === undefined) throw refused("row.baseId");
      } else if (row.parentId !== null && !lineage?.rows.some(({ checkpointId }) => checkpointId === row.parentId)) {
        throw refused("row.parentId");
      }
      const kept = written(row);
      kept.rows.push(structuredClone(row));
      kept.used.add(row.checkpointId);
    },
    async putWrites({ threadId, namespace, checkpointId, ...task }, { fence = 0 } = {}, options = {}) {
      throwIfAborted(options.signal);
      checkTask(task);
      const lineage = lineageOf({ threadId, namespace });
      checkFence(lineage, fence);
      const headId = lineage?.rows.at(-1)?.checkpointId ?? null;
      if (lineage === undefined || headId !== checkpointId) throw conflicting("thread", checkpointId, headId);
      const known = taskOf(lineage, checkpointId, task.taskId);
      if (known?.writes !== undefined && task.writes !== undefined && !same(known.writes, task.writes))
        throw conflicting("task", null, task.taskId);
      lineage.tasks.push(structuredClone({ ...task, checkpointId }));
    },
    async claim(thread, fence, options) {
      throwIfAborted(options?.signal);
      checkWhole(fence, 1, "fence");
      checkFence(lineageOf(thread), fence);
      written(thread).fence = fence;
    },
    async load(thread, { checkpointId, signal } = {}) {
      throwIfAborted(signal);
      const lineage = lineageOf(thread);
      const headId = lineage?.rows.at(-1)?.checkpointId;
      const target = lineage?.rows.find((row) => row.checkpointId === (checkpointId ?? headId));
      if (lineage === undefined || headId === undefined || target === undefined) return undefined;
      const rows = wayBack(lineage, target.checkpointId, target.baseId);
      if (rows === undefined) return undefined;
      const ids = new Set(
        lineage.tasks.filter((one) => one.checkpointId === target.checkpointId).map((one) => one.taskId),
      );
      const tasks = [...ids].map((taskId) => taskOf(lineage, target.checkpointId, taskId) as TaskWrites);
      return structuredClone({ rows, tasks, headId });
    },
    async list(thread, { before, limit = 100, signal } = {}) {
      throwIfAborted(signal);
      checkWhole(limit, 1, "limit");
      const lineage = lineageOf(thread);
      const rows = (lineage?.rows ?? []).filter(({ checkpointId, baseId }) => wayBack(lineage, checkpointId, baseId));
      const end = before === undefined ? rows.length : rows.findIndex(({ checkpointId }) => checkpointId === before);
      const listed = rows.slice(0, end).reverse().slice(0, limit);
      return structuredClone(listed.map(({ changes: _, ...meta }) => meta));
    },
    async threads({ cursor = "", limit = 100, signal } = {}) {
      throwIfAborted(signal);
      checkWhole(limit, 1, "limit");
      const ids = [...memory.threads].filter(([, graphs]) => graphs.has("")).map(([threadId]) => threadId);
      const items = ids.filter((threadId) => threadId > cursor).sort();
      const page = items.slice(0, limit);
      return items.length > limit ? { items: page, cursor: page.at(-1) as string } : { items: page };
    },
    async namespaces(threadId, options) {
      throwIfAborted(options?.signal);
      return [...(memory.threads.get(threadId)?.keys() ?? [])];
    },
    async deleteThread(threadId, options) {
      throwIfAborted(options?.signal);
      return memory.threads.delete(threadId);
    },
    async copyThread(threadId, toThreadId, options) {
      throwIfAborted(options?.signal);
      const graphs = memory.threads.get(threadId);
      if (graphs === undefined || threadId === toThreadId) throw refused("threadId");
      if (memory.threads.has(toThreadId)) throw conflicting("thread", null, toThreadId);
      const copies = [...graphs].map(([namespace, { rows, used, tasks }]): [string, Lineage] => [
        namespace,
        structuredClone({ rows: rows.map((row) => ({ ...row, threadId: toThreadId })), used, tasks, fence: 0 }),
      ]);
      memory.threads.set(toThreadId, new Map(copies));
    },
    async prune(thread, { keep, signal }) {
      throwIfAborted(signal);
      checkWhole(keep, 1, "keep");
      const lineage = lineageOf(thread);
      if (lineage === undefined) return 0;
      const needed = new Set(
        lineage.rows.slice(-keep).flatMap(({ checkpointId, baseId }) => wayBack(lineage, checkpointId, baseId) ?? []),
      );
      const kept = lineage.rows.filter((row) => needed.has(row));
      const dropped = lineage.rows.length - kept.length;
      lineage.rows = kept;
      return dropped;
    },
  };
}

/** The rows from a base to a checkpoint; nothing where the way is broken. */
function wayBack(
  lineage: Lineage | undefined,
  checkpointId: string | null,
  baseId: string,
): readonly CheckpointRow[] | undefined {
  const found = lineage?.rows.find((row) => row.checkpointId === checkpointId);
  if (found === undefined) return undefined;
  if (found.checkpointId === baseId) return [found];
  const before = wayBack(lineage, found.parentId, baseId);
  return before && [...before, found];
}

/** What a task left after a checkpoint, joined. */
function taskOf({ tasks }: Lineage, checkpointId: string, taskId: string): TaskWrites | undefined {
  const own = tasks.filter((one) => one.checkpointId === checkpointId && one.taskId === taskId);
  if (own.length === 0) return undefined;
  const writes = own.find((one) => one.writes !== undefined)?.writes;
  const controls = own.flatMap(({ control }) => Object.entries(control ?? {}));
  return {
    taskId,
    ...(writes === undefined ? {} : { writes }),
    ...(controls.length === 0 ? {} : { control: Object.fromEntries(controls) as JsonObject }),
  };
}

function same(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function checkFence(lineage: Lineage | undefined, fence: number): void {
  if (lineage !== undefined && fence < lineage.fence) throw conflicting("thread", fence, lineage.fence);
}

function checkRow(row: CheckpointRow): void {
  if (row.v !== 1) throw refused("v");
  for (const name of ["threadId", "checkpointId", "baseId"] as const) if (!row[name]) throw refused(name);
  if (typeof row.namespace !== "string") throw refused("namespace");
  if (row.parentId === row.checkpointId) throw refused("parentId");
  checkWhole(row.step, 0, "step");
  if (!Number.isFinite(row.createdAtMs)) throw refused("createdAtMs");
  if (typeof row.metadata !== "object" || row.metadata === null) throw refused("metadata");
  jsonText(row.metadata, "metadata");
  jsonText(row.changes, "changes");
}

function checkTask({ taskId, writes, control }: TaskWrites): void {
  if (taskId === "") throw refused("taskId");
  if (writes === undefined && control === undefined) throw refused("writes");
  if (writes !== undefined && !Array.isArray(writes)) throw refused("writes");
  if (control !== undefined && Array.isArray(control)) throw refused("control");
  jsonText(writes ?? [], "writes");
  jsonText(control ?? {}, "control");
}
