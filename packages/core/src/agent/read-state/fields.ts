import { type ErrorRecord, LIMIT_NAMES } from "../../errors.js";
import { corruptData, readObject, readVersion } from "../../guarded-read.js";
import { isJsonObject } from "../../json.js";
import { decimal, finishReason, message, resolvedModel, toolMessage } from "../../message/read-message.js";
import type { CostTotals } from "../../model/cost.js";
import { CAPABILITIES } from "../../model/profile.js";
import type { ModelSelection } from "../../model/request.js";
import { emptyUsage, type ModelUsage, type UsageTotals } from "../../model/usage.js";
import {
  amount,
  anything,
  type Check,
  type Fields,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  shape,
  something,
  text,
  union,
  whole,
} from "../../shape.js";
import type { ApprovalRequest, InterruptRequest, PauseRequest } from "../approval.js";
import type { RunConfig } from "../config.js";
import type { ResolvedLimits } from "../limits.js";
import type { UnknownToolPolicy } from "../run-policy.js";
import {
  type AgentState,
  type BatchCall,
  type BatchTrace,
  type Counters,
  DUE_PHASES,
  END_PHASES,
  type HistoryEdit,
  type LastResponse,
  OUTPUT_STRATEGIES,
  type OutputState,
  RUN_STOPPERS,
  type RunStop,
  type ToolBatch,
} from "../state.js";

/** The format that is written. */
const FORMAT = 1;

export const usageTotals: Check = shape<UsageTotals>(
  Object.fromEntries(Object.keys(emptyUsage()).map((name) => [name, amount])) as Fields<UsageTotals>,
);

export const modelUsage: Check = shape<ModelUsage>({ model: resolvedModel, usage: usageTotals });

export const costTotals: Check = shape<CostTotals>({
  amount: decimal,
  currency: text,
  charged: decimal,
  estimated: decimal,
  unpricedCalls: whole(),
});

export const phase: Check = oneOf(DUE_PHASES, END_PHASES);

export const errorRecord: Check = shape<ErrorRecord>({
  name: text,
  code: text,
  message: text,
  retryable: flag,
  details: object,
  runId: optional(text),
  callId: optional(text),
});

const limits: Check = shape<ResolvedLimits>({
  maxModelCalls: whole(),
  maxToolCalls: whole(),
  maxConcurrency: whole(1),
  maxRetries: whole(),
  maxCorrections: whole(),
  maxDepth: whole(),
  modelTimeoutMs: whole(),
  toolTimeoutMs: whole(),
  maxResultChars: whole(),
  maxTotalTokens: optional(whole()),
  wallClockMs: optional(whole()),
});

type Unknown<T extends UnknownToolPolicy["type"]> = Extract<UnknownToolPolicy, { readonly type: T }>;

const unknownTool: Check = union<UnknownToolPolicy["type"]>("type", {
  return_error: shape<Unknown<"return_error">>({ message: optional(text) }),
  fail: shape<Unknown<"fail">>({}),
  rewrite: shape<Unknown<"rewrite">>({ tool: text }),
});

const selection: Check = shape<ModelSelection>({
  model: optional(text),
  hints: optional(list(text)),
  requires: optional(list(oneOf(CAPABILITIES))),
  reuseModel: optional(flag),
});

const config: Check = shape<RunConfig>({
  runId: text,
  rootRunId: text,
  parentRunId: optional(text),
  threadId: optional(text),
  depth: whole(),
  tags: list(text),
  metadata: object,
  configurable: object,
  limits,
  unknownTool: optional(unknownTool),
  selection: optional(selection),
});

const counters: Check = shape<Counters>({
  steps: whole(),
  modelCalls: whole(),
  toolCalls: whole(),
  retries: whole(),
  corrections: whole(),
});

/** Canonical JSON of an object, as an approval keeps it. */
const jsonOfObject: Check = (value, place) => {
  text(value, place);
  let parsed: unknown;
  try {
    parsed = JSON.parse(value as string);
  } catch {
    throw corruptData(place, "it is no JSON");
  }
  if (!isJsonObject(parsed)) throw corruptData(place, "the JSON of an object is expected");
};

const batchCall: Check = shape<BatchCall>({
  callId: text,
  result: optional(toolMessage),
  waiting: optional(
    shape<NonNullable<BatchCall["waiting"]>>({
      requestId: optional(text),
      state: anything,
      answers: optional(object),
    }),
  ),
  approvedArgsJson: optional(jsonOfObject),
});

const asked = { id: text, runId: text, callId: optional(text), tool: optional(text), viaCallId: optional(text) };

const request: Check = union<PauseRequest["type"]>("type", {
  approval: shape<ApprovalRequest>({ ...asked, callId: text, tool: text, args: object, argsJson: jsonOfObject }),
  interrupt: shape<InterruptRequest>({ ...asked, payload: something, middleware: optional(text) }),
});

const edit: Check = shape<HistoryEdit>({ from: whole(), to: whole(), messages: list(message), by: text });

const output: Check = shape<OutputState>({
  strategy: oneOf(OUTPUT_STRATEGIES),
  candidate: optional(shape<NonNullable<OutputState["candidate"]>>({ text, value: anything, callId: optional(text) })),
  value: anything,
  variant: optional(whole()),
});

/** All fields but the history. What fields say of each other is checked where the whole is read. */
const fields: Check = shape<Omit<AgentState, "v" | "messages">>({
  agent: text,
  phase,
  config,
  newFrom: whole(),
  counters,
  usage: usageTotals,
  childUsage: usageTotals,
  usageByModel: list(modelUsage),
  cost: nullable(costTotals),
  unpricedCalls: whole(),
  seq: whole(),
  attempt: optional(whole(1)),
  startedAtMs: amount,
  elapsedMs: amount,
  middleware: object,
  memoryVersion: nullable(text),
  lastResponse: nullable(
    shape<LastResponse>({ callId: text, finishReason, rawFinishReason: optional(text), offered: optional(list(text)) }),
  ),
  batch: nullable(shape<ToolBatch>({ modelCallId: text, calls: list(batchCall) })),
  edits: list(edit),
  recentBatches: list(shape<BatchTrace>({ calls: amount, results: nullable(amount), place: whole() })),
  repeats: whole(),
  limit: nullable(shape<NonNullable<AgentState["limit"]>>({ limit: oneOf(LIMIT_NAMES), allowed: amount })),
  finalizing: flag,
  output: nullable(output),
  stop: nullable(shape<RunStop>({ by: oneOf(RUN_STOPPERS), name: text, payload: anything })),
  answers: object,
  requests: list(request),
  resumeAt: nullable(oneOf(DUE_PHASES)),
  error: nullable(errorRecord),
});

/**
 * A run's state that was stored without its history, checked field by field.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readStateFields(value: unknown, place: string): Omit<AgentState, "messages"> {
  const state = readObject(value, place);
  readVersion(state, FORMAT, place);
  fields(state, place);
  return state as unknown as Omit<AgentState, "messages">;
}
