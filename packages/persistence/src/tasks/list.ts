import {
  invalidArgument,
  type Page,
  type StoreCallOptions,
  TASK_STATES,
  type TaskQuery,
  type TaskRecord,
  type TaskState,
} from "@tinyagents/core";
import { checkId, checkStates } from "../indexed/arguments.js";
import { checkOrderQuery, type IndexedRecords } from "../indexed/indexed-records.js";
import { listMatching } from "../indexed/list-matching.js";

/** A page of the tasks that a query asks for, by the order that has little else. @throws `invalid_request` */
export function listTasks(
  records: IndexedRecords<TaskRecord>,
  query: TaskQuery,
  call: StoreCallOptions | undefined,
): Promise<Page<TaskRecord>> {
  checkOrderQuery(query, ["threadId", "rootRunId", "kind", "states"]);
  const { threadId, rootRunId, kind, states, ...page } = query;
  if ([threadId, rootRunId, kind].filter((one) => one !== undefined).length > 1)
    throw invalidArgument("query", "threadId, rootRunId and kind cannot be asked for together; leave all but one out");
  const wanted = checkStates<TaskState>(states, TASK_STATES);
  const list = (order: string, ...parts: readonly string[]): Promise<Page<TaskRecord>> =>
    listMatching(records, order, parts, page, ({ state }) => wanted?.includes(state) ?? true, call);
  if (rootRunId !== undefined) return list("root", checkId(rootRunId, "query.rootRunId"));
  if (threadId !== undefined) return list("thread", checkId(threadId, "query.threadId"));
  if (kind === undefined && wanted === undefined) return list("time");
  const [state, ...others] = wanted ?? [];
  if (state === undefined || others.length > 0)
    throw invalidArgument("query.states", "one state is expected, unless threadId or rootRunId says whose tasks");
  return kind === undefined ? list("state", state) : list("kind", checkId(kind, "query.kind"), state);
}
