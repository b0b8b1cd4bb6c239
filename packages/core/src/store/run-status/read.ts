import { costTotals, errorRecord, modelUsage, phase, usageTotals } from "../../agent/read-state/fields.js";
import { RUN_STATUSES } from "../../agent/run.js";
import { LIMIT_NAMES } from "../../errors.js";
import { readObject, readVersion } from "../../guarded-read.js";
import { resolvedModel } from "../../message/read-message.js";
import type { ContextEstimate } from "../../model/estimate.js";
import { amount, type Check, list, nullable, object, oneOf, optional, shape, text, whole } from "../../shape.js";
import {
  type ActiveCall,
  RUN_STATES,
  type RunCounters,
  type RunQuestion,
  type RunResumption,
  type RunStatusRecord,
} from "./run-status.js";

const FORMAT = 1;

/** A shape with a field `type` beside its own. */
/* @__NO_SIDE_EFFECTS__ */
function typed(own: Check, type: Check): Check {
  return (value, place) => {
    own(value, place);
    type(readObject(value, place).type, `${place}.type`);
  };
}

const call: Check = typed(
  shape<Omit<ActiveCall, "type">>({ callId: text, name: text, startedAtMs: amount }),
  oneOf(["model", "tool"]),
);

const question: Check = typed(shape<Omit<RunQuestion, "type">>({ id: text, callId: optional(text) }), text);

const fields: Check = shape<Omit<RunStatusRecord, "v">>({
  runId: text,
  rootRunId: text,
  parentRunId: optional(text),
  threadId: optional(text),
  component: text,
  tags: optional(list(text)),
  metadata: optional(object),
  state: oneOf(RUN_STATES),
  phase,
  outcome: optional(oneOf(RUN_STATUSES)),
  counters: shape<RunCounters>({
    failedModelCalls: whole(),
    failedToolCalls: whole(),
    retries: whole(),
    fallbacks: whole(),
    corrections: whole(),
    children: whole(),
    resumes: whole(),
  }),
  activeCalls: list(call),
  model: optional(resolvedModel),
  usage: usageTotals,
  usageByModel: list(modelUsage),
  cost: nullable(costTotals),
  unpricedCalls: whole(),
  context: optional(
    shape<ContextEstimate>({ inputTokens: amount, contextWindow: optional(amount), pressure: optional(amount) }),
  ),
  limit: optional(
    shape<NonNullable<RunStatusRecord["limit"]>>({ limit: oneOf(LIMIT_NAMES, ["maxDepth"]), allowed: amount }),
  ),
  requests: list(question),
  error: optional(errorRecord),
  attempt: optional(whole(1)),
  resumptions: optional(list(shape<RunResumption>({ seq: whole(), timeMs: amount }))),
  lastSeq: whole(-1),
  startedAtMs: amount,
  updatedAtMs: amount,
  endedAtMs: optional(amount),
});

/**
 * A status that was stored, checked field by field.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readRunStatus(value: unknown, place: string): RunStatusRecord {
  const status = readObject(value, place);
  readVersion(status, FORMAT, place);
  fields(status, place);
  return status as unknown as RunStatusRecord;
}
