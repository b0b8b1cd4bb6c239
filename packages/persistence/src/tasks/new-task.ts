import {
  canonicalJson,
  checkFields,
  copyStoredJson,
  type IdSource,
  invalidArgument,
  isJsonObject,
  type TaskRecord,
  type TaskSpec,
} from "@tinyagents/core";
import { checkId, withoutUndefined } from "../indexed/arguments.js";

const NAMES = ["threadId", "rootRunId", "parentRunId", "parentTaskId"] as const;
const FIELDS = ["taskId", "kind", "input", ...NAMES, "metadata"] as const;

/** What a spec says of a task. */
type Specified = Omit<TaskSpec, "taskId">;

/** A task that nobody has done anything for. @throws `invalid_request` */
export function newTask(spec: TaskSpec, ids: IdSource, nowMs: number): TaskRecord {
  checkFields(spec, FIELDS, "spec");
  const { taskId = ids.next("task"), ...said } = spec;
  checkId(taskId, "spec.taskId");
  checkId(said.kind, "spec.kind");
  for (const name of NAMES) if (said[name] !== undefined) checkId(said[name], `spec.${name}`);
  if (said.metadata !== undefined && !isJsonObject(said.metadata))
    throw invalidArgument("spec.metadata", "an object is expected");
  const specified = copyStoredJson({ ...withoutUndefined(said), input: said.input }, "spec");
  return {
    v: 1,
    taskId,
    ...(specified as unknown as Pick<TaskRecord, "kind" | "input">),
    state: "pending",
    claims: 0,
    messages: [],
    acknowledged: [],
    history: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Whether two tasks were created for the same. */
export function hasSameSpec(one: TaskRecord, other: TaskRecord): boolean {
  return canonicalJson(specOf(one)) === canonicalJson(specOf(other));
}

function specOf({ kind, input, threadId, rootRunId, parentRunId, parentTaskId, metadata }: TaskRecord): Specified {
  return withoutUndefined({ kind, input, threadId, rootRunId, parentRunId, parentTaskId, metadata });
}
