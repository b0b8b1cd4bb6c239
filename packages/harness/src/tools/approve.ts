import {
  type ApprovalAnswer,
  type ApprovalRequest,
  boundedText,
  canonicalJson,
  isThenable,
  type JsonObject,
  type JsonValue,
  messageOf,
  readApprovalAnswer,
  TinyAgentsError,
  type ToolInvocation,
  type ToolMessage,
  toolMessage,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";

/** Whether a call may be run: yes, with these arguments; no, and what the model is told; or somebody is to be asked. */
export type Approval =
  | { readonly type: "not_needed" }
  | { readonly type: "granted"; readonly argsJson: string; readonly changed: boolean }
  | { readonly type: "denied"; readonly result: ToolMessage }
  | { readonly type: "ask"; readonly request: ApprovalRequest };

/** Asks for approval where the call's policy wants it. Without anybody to ask the answer is no. */
export function approve(run: LiveRun, call: ToolInvocation, approvedArgsJson: string | undefined): Awaitable<Approval> {
  return call.policy.approval === "always" ? askFor(run, call, approvedArgsJson) : NOT_NEEDED;
}

const NOT_NEEDED: Approval = { type: "not_needed" };

function askFor(run: LiveRun, call: ToolInvocation, approvedArgsJson: string | undefined): Awaitable<Approval> {
  const argsJson = canonicalJson(call.args);
  if (approvedArgsJson === argsJson) return { type: "granted", argsJson, changed: false };
  const { approver } = run.definition;
  const request: ApprovalRequest = {
    id: run.ids.next("approval"),
    type: "approval",
    runId: run.state.config.runId,
    callId: call.id,
    tool: call.name,
    args: call.args,
    argsJson,
  };
  announce(run, request);
  if (approver === undefined) {
    if (run.definition.policies.approval?.withoutApprover === "ask") return { type: "ask", request };
    return deny(run, request, { approve: false, reason: "nobody can approve calls in this run" });
  }
  const answer = approver.decide(request, run.cancellation.signal);
  return isThenable(answer)
    ? Promise.resolve(answer).then((settled) => readDecision(run, request, settled))
    : readDecision(run, request, answer);
}

/** @throws `invalid_request` for what is no answer: a yes that cannot be read is no yes. */
function readDecision(run: LiveRun, request: ApprovalRequest, given: ApprovalAnswer | "ask"): Approval {
  if (given === "ask") return { type: "ask", request };
  const answer = readApprovalAnswer(given as unknown as JsonValue);
  if (answer === undefined) {
    throw wrongAnswer(request, '{ approve: true }, { approve: false, reason } or "ask" is expected');
  }
  if (!answer.approve) return deny(run, request, answer);
  const argsJson = answer.args === undefined ? undefined : argsOf(request, answer.args);
  announceGrant(run, request, answer);
  return argsJson === undefined
    ? { type: "granted", argsJson: request.argsJson, changed: false }
    : { type: "granted", argsJson, changed: true };
}

function argsOf(request: ApprovalRequest, args: JsonObject): string {
  try {
    return canonicalJson(args);
  } catch (cause) {
    throw wrongAnswer(request, `its args must be JSON (${messageOf(cause)})`, cause);
  }
}

function wrongAnswer({ tool }: ApprovalRequest, expected: string, cause?: unknown): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", `The approver gave no answer for the tool ${tool}: ${expected}.`, {
    details: { reason: "approval_answer" },
    cause,
  });
}

/** The arguments of an approval, as a copy that nobody else holds. */
export function approvedArgs(argsJson: string): JsonObject {
  return JSON.parse(argsJson) as JsonObject;
}

const LONGEST_REASON = 2_000;

/** What the model is told of a refusal. */
export function deny(
  run: LiveRun,
  request: ApprovalRequest,
  answer: ApprovalAnswer & { readonly approve: false },
): Approval & { readonly type: "denied" } {
  const { id: requestId, callId, tool } = request;
  run.event()?.("approval.denied", {
    requestId,
    callId,
    tool,
    ...(answer.by === undefined ? {} : { by: answer.by }),
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
  });
  const why = answer.reason === undefined ? "" : `: ${boundedText(answer.reason, LONGEST_REASON)}`;
  return {
    type: "denied",
    result: toolMessage({ id: callId, name: tool }, `The call was not approved${why}. It was not run.`, "denied"),
  };
}

export function announceGrant(
  run: LiveRun,
  { id: requestId, callId, tool }: ApprovalRequest,
  { by }: ApprovalAnswer,
): void {
  run.event()?.("approval.granted", { requestId, callId, tool, ...(by === undefined ? {} : { by }) });
}

function announce(run: LiveRun, { id: requestId, callId, tool, args }: ApprovalRequest): void {
  run.event()?.("approval.requested", { requestId, callId, tool, ...(run.wantsPayloads ? { payload: { args } } : {}) });
}
