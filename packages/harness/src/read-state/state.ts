import { emptyUsage, type Phase } from "@tinyagents/core";
import {
  amount,
  type Check,
  corrupt,
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
} from "./fields.js";
import { finishReason, message, toolMessage } from "./messages.js";

const GOING: readonly Phase[] = [
  "start",
  "dispatch",
  "parse",
  "stop_check",
  "tools",
  "compact",
  "validate",
  "limit",
  "finalize",
];

const usage: Check = shape(Object.fromEntries(Object.keys(emptyUsage()).map((name) => [name, amount])));

const limitName: Check = oneOf([
  "maxModelCalls",
  "maxToolCalls",
  "maxRetries",
  "maxCorrections",
  "maxDepth",
  "maxTotalTokens",
  "wallClockMs",
]);

const limits: Check = shape({
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

const config: Check = shape({
  runId: text,
  rootRunId: text,
  parentRunId: optional(text),
  threadId: optional(text),
  depth: whole(),
  tags: list(text),
  metadata: object,
  configurable: object,
  limits,
});

const decimal: Check = (value, place) => {
  text(value, place);
  if (!/^-?\d+(\.\d{1,18})?$/.test(value as string)) throw corrupt(place, "a decimal number is expected");
};

/** Canonical JSON of an object, as an approval keeps it. */
const jsonOfObject: Check = (value, place) => {
  text(value, place);
  let parsed: unknown;
  try {
    parsed = JSON.parse(value as string);
  } catch {
    throw corrupt(place, "it is no JSON");
  }
  object(parsed as never, place);
};

const batchCall: Check = shape({
  callId: text,
  result: optional(toolMessage),
  waiting: optional(shape({ requestId: optional(text), answers: optional(object) })),
  approvedArgsJson: optional(jsonOfObject),
});

const asked = { id: text, runId: text, callId: optional(text), tool: optional(text), viaCallId: optional(text) };

const request: Check = union("type", {
  approval: shape({ ...asked, callId: text, tool: text, args: object, argsJson: jsonOfObject }),
  interrupt: shape({ ...asked, payload: something, middleware: optional(text) }),
});

/** Every field of a run's state, for itself. What fields say of each other is checked where it is read. */
export const agentState: Check = shape({
  agent: text,
  phase: oneOf([...GOING, "paused", "done", "failed"]),
  config,
  messages: list(message),
  newFrom: whole(),
  counters: shape({ steps: whole(), modelCalls: whole(), toolCalls: whole(), retries: whole(), corrections: whole() }),
  usage,
  childUsage: usage,
  usageByModel: list(shape({ model: shape({ id: text, provider: text, model: text }), usage })),
  cost: nullable(shape({ amount: decimal, currency: text, unpricedCalls: whole() })),
  unpricedCalls: whole(),
  seq: whole(),
  startedAtMs: amount,
  activeMs: amount,
  middleware: object,
  memoryVersion: nullable(text),
  lastResponse: nullable(shape({ callId: text, finishReason, rawFinishReason: optional(text) })),
  batch: nullable(shape({ modelCallId: text, calls: list(batchCall) })),
  edits: list(shape({ from: whole(), to: whole(), messages: list(message), by: text })),
  recentTurns: list(shape({ calls: amount, results: nullable(amount), place: whole() })),
  repeats: whole(),
  limit: nullable(shape({ limit: limitName, allowed: amount })),
  finalizing: flag,
  output: nullable(
    shape({
      strategy: oneOf(["native", "tool", "prompt"]),
      candidate: optional(shape({ text, callId: optional(text) })),
      variant: optional(whole()),
    }),
  ),
  stop: nullable(shape({ by: oneOf(["tool", "middleware", "limit"]), name: text })),
  answers: object,
  requests: list(request),
  resumeAt: nullable(oneOf(GOING)),
  error: nullable(shape({ code: text, message: text, retryable: flag, details: object })),
});
