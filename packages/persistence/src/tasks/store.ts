import {
  applyTaskAction,
  type Clock,
  checkFields,
  checkOptions,
  type FieldRule,
  type IdSource,
  invalidArgument,
  isTinyAgentsError,
  type PruneTasks,
  randomIds,
  readTaskAction,
  readWholeNumber,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  type StoreVersion,
  systemClock,
  type TaskRecord,
  type TaskSpec,
  type TaskStore,
  TinyAgentsError,
} from "@tinyagents/core";
import { IndexedRecords } from "../indexed/indexed-records.js";
import { rules } from "../option-rules.js";
import { listTasks } from "./list.js";
import { hasSameSpec, newTask } from "./new-task.js";
import { taskKind } from "./task-kind.js";

export interface TaskStoreOptions {
  /** The names before all keys. Default `["tasks"]`. */
  readonly prefix?: StoreKey | undefined;
  /** By which leases run out: workers on several machines need clocks that agree. Default: real time. */
  readonly clock?: Clock | undefined;
  /** Where ids of tasks come from that were given none. Default: random. */
  readonly ids?: IdSource | undefined;
}

const RULES: { readonly [Option in keyof TaskStoreOptions]-?: FieldRule } = {
  prefix: rules.keyPrefix,
  clock: rules.clock,
  ids: rules.ids,
};

/** How many tasks are pruned that nobody said a number for. */
const PRUNED = 1_000;

/** Tasks in a keyed store: as durable, and fit for as many processes, as that is. @throws `TypeError` for options that cannot be. */
export function taskStore(store: Store, options: TaskStoreOptions = {}): TaskStore {
  checkOptions(options, RULES, "taskStore: options");
  const { prefix = ["tasks"], clock = systemClock, ids = randomIds() } = options;
  const records = new IndexedRecords(store, taskKind(prefix), clock);
  return {
    create: (spec, call) => create(records, spec, ids, clock.now(), call),
    get: async (taskId, call) => (await records.get(taskId, call))?.record,
    async act(taskId, action, call) {
      const checked = readTaskAction(action);
      const decide = (task: TaskRecord | undefined): TaskRecord => {
        if (task === undefined) throw noSuchTask(taskId);
        return applyTaskAction(task, checked, clock.now());
      };
      return (await records.change(taskId, decide, call)).record;
    },
    list: async (query = {}, call) => listTasks(records, query, call),
    prune: (which, call) => prune(records, which, call),
  };
}

async function create(
  records: IndexedRecords<TaskRecord>,
  spec: TaskSpec,
  ids: IdSource,
  nowMs: number,
  call: StoreCallOptions | undefined,
): Promise<TaskRecord> {
  const task = newTask(spec, ids, nowMs);
  const { record } = await records.change(task.taskId, (found) => found ?? task, call);
  if (record === task || hasSameSpec(record, task)) return record;
  const name = `task ${JSON.stringify(task.taskId)}`;
  throw new TinyAgentsError(
    "conflict",
    `There is a ${name} already, and it is another one. Give this one an id of its own.`,
    {
      details: { resource: name, expected: null, found: record.kind },
    },
  );
}

async function prune(
  records: IndexedRecords<TaskRecord>,
  which: PruneTasks,
  call: StoreCallOptions | undefined,
): Promise<number> {
  checkFields(which, ["endedBeforeMs", "limit"], "which");
  const { endedBeforeMs, limit = PRUNED } = which;
  if (!Number.isFinite(endedBeforeMs))
    throw invalidArgument("which.endedBeforeMs", "a time in ms since 1970 is expected");
  const page = await records.list("ended", [], { limit: readWholeNumber(limit, 1, "which.limit") }, call);
  let pruned = 0;
  for (const { record, version } of page.items) {
    if (record.endedAtMs === undefined || record.endedAtMs >= endedBeforeMs) break;
    if (await deleteUnchanged(records, record.taskId, version, call)) pruned++;
  }
  return pruned;
}

/** Whether it was there to take away: a finished task may be gone meanwhile, and a new one begun under its id. */
async function deleteUnchanged(
  records: IndexedRecords<TaskRecord>,
  taskId: string,
  version: StoreVersion,
  call: StoreCallOptions | undefined,
): Promise<boolean> {
  try {
    return await records.delete(taskId, version, call);
  } catch (error) {
    if (isTinyAgentsError(error, "conflict")) return false;
    throw error;
  }
}

function noSuchTask(taskId: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError(
    "invalid_request",
    `There is no task ${JSON.stringify(taskId)}: it was never created, or is finished and was taken away.`,
    { details: { reason: "no such task" } },
  );
}
