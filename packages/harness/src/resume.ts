import {
  type AgentState,
  type Answers,
  type ApprovalRequest,
  blocks,
  canonicalJson,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  type Limits,
  openCalls,
  type PauseRequest,
  type Phase,
  type RecordedRun,
  readApprovalAnswer,
  TinyAgentsError,
  type ToolMessage,
  toMessages,
  toolMessage,
} from "@tinyagents/core";
import { closeOpenCalls } from "./machine/open-calls.js";
import type { ResumeOptions } from "./options.js";
import type { LiveRun } from "./run/live-run.js";
import { type LiveState, setOwn, takeOver } from "./run/live-state.js";
import { overrideLimits } from "./run/new-run.js";
import { announceGrant, deny } from "./tools/approve.js";
import { announceEnd, announceRestored, notExecuted } from "./tools/call.js";
import { offeredTool, unknownToolPolicy } from "./tools/unknown-tool.js";

/** The results that were put into states which go on, until they are told. */
const restored = new WeakMap<LiveState, readonly ToolMessage[]>();

/** Tells the ends of the calls whose results {@link reopen} has put in. */
export function announceRestoredCalls(run: LiveRun): void {
  for (const result of restored.get(run.state) ?? []) announceRestored(run, result);
  restored.delete(run.state);
}

/**
 * A state that was stored, ready to go on in an attempt of its own: finished runs are refused, limits are widened where
 * asked, results that were recorded after the state are put in.
 * @throws `resume_mismatch` for another agent's run or one that has ended.
 */
export function reopen(
  agent: string,
  state: AgentState,
  limits: Limits | undefined,
  recorded?: RecordedRun,
): LiveState {
  if (state.agent !== agent) throw resumeMismatch(`it belongs to the agent "${state.agent}", not to "${agent}"`);
  if (state.phase === "done") throw resumeMismatch("it has ended; start a new run on its thread");
  const live = takeOver(state);
  live.attempt = Math.max(state.attempt ?? 1, recorded?.state.attempt ?? 1) + 1;
  if (limits !== undefined) {
    live.config = { ...live.config, limits: overrideLimits(live.config.limits, limits) };
  }
  const results: ToolMessage[] = [];
  for (const call of live.batch?.calls ?? []) {
    const result = recorded?.toolResults.get(call.callId);
    if (result === undefined || call.result !== undefined) continue;
    call.result = result;
    results.push(result);
    // It ran after the state was recorded, so nothing has counted it; a call that had paused was counted before.
    if (call.waiting === undefined) live.counters.toolCalls++;
  }
  if (results.length > 0) restored.set(live, results);
  return live;
}

/** @throws `resume_mismatch` when the recorder knows that the run went on from this state: it would do things twice. */
export function notOvertaken(state: AgentState, recorded: RecordedRun | undefined): AgentState {
  if (recorded === undefined || !hasGoneOn(state, recorded.state)) return state;
  throw resumeMismatch("it has gone on since this state was taken; resume it by its id");
}

/** Whether a run that is recorded has done more than this state of it, or has taken answers that this state waits for. */
export function hasGoneOn(state: AgentState, recorded: AgentState): boolean {
  if (recorded.seq !== state.seq) return recorded.seq > state.seq;
  if (state.phase !== "paused") return false;
  return recorded.phase !== "paused" || recorded.requests.length < state.requests.length;
}

/** Puts answers and new input into a run that goes on, and sets the phase that is due. */
export function applyResume(run: LiveRun, { answers, input }: ResumeOptions): void {
  const { state } = run;
  if (input !== undefined) {
    if (state.batch !== null || openCalls(state.messages).length > 0) {
      closeOpenCalls(run, "superseded", "This call was not run: something else was said before it was answered.");
    }
    state.requests = [];
    state.stop = null;
    state.messages.push(...toMessages(input));
    goOn(state, "dispatch");
    return;
  }
  if (state.phase === "paused") {
    answer(run, answers ?? {});
    if (state.requests.length > 0) return;
    goOn(state, state.resumeAt ?? "dispatch");
    return;
  }
  if (answers !== undefined && Object.keys(answers).length > 0) throw resumeMismatch("it does not wait for answers");
  if (state.phase === "failed") goOn(state, state.resumeAt ?? "dispatch");
}

function goOn(state: LiveState, phase: Phase): void {
  state.phase = phase;
  state.error = null;
  state.limit = null;
  state.resumeAt = null;
  state.finalizing = false;
  if (state.stop?.by === "limit") state.stop = null;
}

/** @throws `resume_mismatch` for an answer to something that the run did not ask. */
function answer(run: LiveRun, answers: { readonly [requestId: string]: unknown }): void {
  const { state } = run;
  const asked = new Map(state.requests.map((request) => [request.id, request]));
  // All are read before any is applied: a resumption that is refused has decided nothing.
  const given = Object.entries(answers).map(([id, value]): readonly [PauseRequest, JsonValue] => {
    const request = asked.get(id);
    if (request === undefined)
      throw resumeMismatch(`it did not ask "${id}"; it waits for: ${[...asked.keys()].join(", ") || "nothing"}`);
    return [request, readAnswer(request, value)];
  });
  const below = new Map<string, { [requestId: string]: JsonValue }>();
  for (const [request, said] of given) {
    const { id } = request;
    if (request.viaCallId === undefined) applyAnswer(run, request, said);
    else {
      const forChild = below.get(request.viaCallId) ?? {};
      setOwn(forChild, id, said);
      below.set(request.viaCallId, forChild);
    }
    asked.delete(id);
  }
  for (const [callId, forChild] of below) answerBelow(state, callId, forChild);
  state.requests = [...asked.values()];
}

function applyAnswer(run: LiveRun, request: PauseRequest, said: JsonValue): void {
  if (request.type === "approval") applyApproval(run, request, said);
  else if (request.callId === undefined) setOwn(run.state.answers, request.middleware ?? "", said);
  else answerCall(run, request.callId, said);
}

function readAnswer({ id, type }: PauseRequest, value: unknown): JsonValue {
  const said = jsonOf(id, value);
  if (type !== "approval" || readApprovalAnswer(said) !== undefined) return said;
  throw resumeMismatch(`the answer to "${id}" must be { approve: true } or { approve: false, reason }`);
}

/** The approval holds for exactly the tool and the arguments that it says, and only now. */
function applyApproval(run: LiveRun, request: ApprovalRequest, said: JsonValue): void {
  const decision = readApprovalAnswer(said) ?? { approve: false };
  const call = callOf(run.state, request.callId);
  delete call.waiting;
  if (!decision.approve) {
    call.result = notExecuted(run, deny(run, request, decision).result);
    return;
  }
  if (toolOf(run, request.callId) !== request.tool) {
    const reason = `the model called another tool, and a hook put ${request.tool} in its place`;
    call.result = notExecuted(run, deny(run, request, { approve: false, reason }).result);
    return;
  }
  announceGrant(run, request, decision);
  call.approvedArgsJson = decision.args === undefined ? request.argsJson : canonicalJson(decision.args);
}

/** The tool that a call is for when no hook changes it: hooks are not asked again about what was approved. */
function toolOf(run: LiveRun, callId: string): string | undefined {
  const name = openCalls(run.state.messages).find(({ id }) => id === callId)?.name;
  if (name === undefined || offeredTool(run, name) !== undefined) return name;
  const policy = unknownToolPolicy(run);
  return policy.type === "rewrite" ? policy.tool : name;
}

/** Without a state of the tool's own, the answer is the result of its call. */
function answerCall(run: LiveRun, callId: string, said: JsonValue): void {
  const call = callOf(run.state, callId);
  const kept = call.waiting?.state;
  if (kept !== undefined) {
    call.waiting = { state: kept, answers: { answer: said } };
    return;
  }
  delete call.waiting;
  call.result = answered(run.state, callId, said);
  announceEnd(run, { id: callId, name: call.result.name }, call.result);
  if (run.shows("tools")) {
    const { name: tool } = call.result;
    run.offer({ type: "tool_result", runId: run.state.config.runId, callId, tool, result: call.result });
  }
}

function answerBelow(state: LiveState, callId: string, answers: JsonObject): void {
  const call = callOf(state, callId);
  const kept = call.waiting?.state;
  if (kept === undefined) throw resumeMismatch(`the call ${callId} has no run below it`);
  call.waiting = { state: kept, answers: { ...call.waiting?.answers, ...answers } };
}

function answered(state: LiveState, callId: string, said: JsonValue): ToolMessage {
  const block = openCalls(state.messages).find(({ id }) => id === callId);
  const call = { id: callId, name: block?.name ?? "" };
  return typeof said === "string"
    ? toolMessage(call, blocks(said))
    : toolMessage(call, [{ type: "json", value: said }]);
}

function callOf(state: LiveState, callId: string): NonNullable<LiveState["batch"]>["calls"][number] {
  const call = state.batch?.calls.find((entry) => entry.callId === callId);
  if (call === undefined) throw resumeMismatch(`the call ${callId} is not being run`);
  return call;
}

function jsonOf(id: string, value: unknown): JsonValue {
  try {
    return JSON.parse(canonicalJson(value)) as Answers[string];
  } catch (error) {
    if (isTinyAgentsError(error)) throw error;
    throw resumeMismatch(`the answer to "${id}" is not JSON`);
  }
}

/** Why a run cannot be resumed. */
export function resumeMismatch(
  reason: string,
  what = "This run cannot be resumed like that",
): TinyAgentsError<"resume_mismatch"> {
  return new TinyAgentsError("resume_mismatch", `${what}: ${reason}.`, { details: { reason } });
}
