import { errorRecord } from "../../agent/read-state/fields.js";
import { messageOf } from "../../errors.js";
import { corruptData, readObject, readVersion } from "../../guarded-read.js";
import {
  amount,
  anything,
  type Check,
  list,
  object,
  oneOf,
  optional,
  shape,
  something,
  text,
  union,
  whole,
} from "../../shape.js";
import { invalidArgument } from "../refuse.js";
import { copyStoredJson } from "../stored-json.js";
import type { TaskAction } from "./action.js";
import { TASK_STATES, type TaskLease, type TaskMessage, type TaskRecord, type TaskTransition } from "./task.js";

const FORMAT = 1;

const lease: Check = shape<TaskLease>({ by: text, fence: whole(1), untilMs: amount });

const transition: Check = shape<TaskTransition>({
  atMs: amount,
  action: text,
  from: oneOf(TASK_STATES),
  to: oneOf(TASK_STATES),
  by: text,
  reason: optional(text),
});

const fields: Check = shape<Omit<TaskRecord, "v">>({
  taskId: text,
  kind: text,
  input: something,
  threadId: optional(text),
  rootRunId: optional(text),
  parentRunId: optional(text),
  parentTaskId: optional(text),
  metadata: optional(object),
  state: oneOf(TASK_STATES),
  claims: whole(),
  lease: optional(lease),
  runId: optional(text),
  question: anything,
  answer: anything,
  result: anything,
  error: optional(errorRecord),
  messages: list(shape<TaskMessage>({ id: text, by: text, payload: something, atMs: amount })),
  acknowledged: list(text),
  history: list(transition),
  createdAtMs: amount,
  updatedAtMs: amount,
  endedAtMs: optional(amount),
});

/**
 * A task that was stored, checked field by field.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readTask(value: unknown, place: string): TaskRecord {
  const task = readObject(value, place);
  readVersion(task, FORMAT, place);
  fields(task, place);
  const { state } = task;
  if ((state === "running" || state === "cancelling") && task.lease === undefined)
    throw corruptData(`${place}.lease`, `a lease is expected, since the task is ${state}`);
  return task as unknown as TaskRecord;
}

const name: Check = (value, place) => {
  text(value, place);
  if (value === "") throw corruptData(place, "a text that is not empty is expected");
};

const leaseMs: Check = (value, place) => {
  amount(value, place);
  if (value === 0) throw corruptData(place, "a time above 0 is expected");
};

type Action<T extends TaskAction["type"]> = Extract<TaskAction, { readonly type: T }>;

const fence = whole(1);

const action: Check = union<TaskAction["type"]>("type", {
  claim: shape<Action<"claim">>({ by: name, leaseMs, runId: optional(name) }),
  renew: shape<Action<"renew">>({ fence, leaseMs }),
  release: shape<Action<"release">>({ fence, reason: optional(text) }),
  wait: shape<Action<"wait">>({ fence, question: something }),
  succeed: shape<Action<"succeed">>({ fence, result: something }),
  fail: shape<Action<"fail">>({ fence, error: errorRecord }),
  acknowledge: shape<Action<"acknowledge">>({ fence, ids: list(text) }),
  answer: shape<Action<"answer">>({ by: name, answer: something }),
  steer: shape<Action<"steer">>({ by: name, id: name, payload: something }),
  cancel: shape<Action<"cancel">>({ by: name, reason: optional(text) }),
  abort: shape<Action<"abort">>({ by: name, reason: optional(text) }),
});

/** A copy of an action that shares nothing with it. @throws `invalid_request` that names the place of what cannot be. */
export function readTaskAction(value: TaskAction): TaskAction {
  if (typeof value !== "object" || value === null) throw invalidArgument("action", "an object is expected");
  const said = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
  const copied = copyStoredJson(said, "action");
  try {
    action(copied, "action");
  } catch (error) {
    throw invalidArgument("action", messageOf(error));
  }
  return copied as unknown as TaskAction;
}
