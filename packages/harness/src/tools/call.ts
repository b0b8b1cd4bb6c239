import {
  type BatchCall,
  type ControlBy,
  type PauseRequest,
  type RunStop,
  strongerControl,
  type ToolInvocation,
  type ToolMessage,
  type ToolOutcome,
  type ToolRuntime,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { recordToolResult } from "../run/record.js";
import { requestsBelow } from "../sub-agent.js";
import { admitHandedOn } from "./admit.js";
import { type CallEnd, execute, executeAsync, tellOf } from "./execute.js";
import type { Executed } from "./finish.js";
import { isResult, type PreparedCall } from "./prepare.js";

/** What one call came to. */
export interface CallOutcome {
  readonly result?: ToolMessage;
  readonly waiting?: NonNullable<BatchCall["waiting"]>;
  readonly requests?: readonly PauseRequest[];
  readonly stop?: RunStop;
  readonly control?: ControlBy;
  /** What ends the run although the call itself has its result. */
  readonly failure?: { readonly error: unknown };
}

/**
 * Tells of an admitted call and runs it inside the wraps. `end` is told what came of it: before this returns where
 * nothing has to be waited for.
 */
export function beginCall(run: LiveRun, prepared: PreparedCall, entry: BatchCall, end: CallEnd): void {
  const showing = entry.waiting === undefined ? announceStart(run, prepared.invocation) : undefined;
  if (showing === undefined) inWraps(run, prepared, entry, end);
  else onceShown(showing, run, prepared, entry, end);
}

function onceShown(showing: Promise<void>, run: LiveRun, prepared: PreparedCall, entry: BatchCall, end: CallEnd): void {
  showing.then(
    () => inWraps(run, prepared, entry, end),
    (error) => end.failed(error),
  );
}

function inWraps(run: LiveRun, prepared: PreparedCall, { waiting }: BatchCall, end: CallEnd): void {
  const resumed = waiting?.state === undefined ? undefined : { state: waiting.state, answers: waiting.answers ?? {} };
  const { aroundTool } = run.definition.hooks;
  if (aroundTool === undefined) execute(run, prepared, resumed, end);
  else tellOf(wrapped(run, prepared, resumed, aroundTool), end);
}

async function wrapped(
  run: LiveRun,
  prepared: PreparedCall,
  resumed: ToolRuntime["resumed"],
  aroundTool: NonNullable<LiveRun["definition"]["hooks"]["aroundTool"]>,
): Promise<Executed> {
  const { id, name } = prepared.invocation;
  let outcome: ToolOutcome | undefined;
  const given = await aroundTool(prepared.invocation, run.scope, async (call) => {
    outcome = undefined;
    run.throwIfCancelled();
    const admitted = await admitHandedOn(run, prepared, call);
    if (isResult(admitted)) return admitted;
    const inner = await executeAsync(run, admitted, resumed);
    outcome = inner.outcome;
    return inner.message;
  });
  const message = sameCall(given, { toolCallId: id, name });
  return outcome === undefined ? { message } : { message, outcome };
}

/** Lets `afterTool` hooks look at what a call gave, records it, and tells of it. */
export function endCall(run: LiveRun, call: ToolInvocation, executed: Executed): Awaitable<CallOutcome> {
  const { outcome } = executed;
  if (outcome?.type === "interrupt") return interrupted(run, call, outcome);
  const failure = run.failureOf(executed.message);
  const { afterTool, onError } = run.definition.hooks;
  const quick =
    afterTool === undefined &&
    (failure === undefined || onError === undefined) &&
    run.recorder === undefined &&
    !run.shows("tools");
  if (!quick) return afterSlowly(run, call, executed);
  announceEnd(run, call, executed.message);
  const stop = stopOf(call, outcome);
  return stop === undefined ? { result: executed.message } : { result: executed.message, stop };
}

async function afterSlowly(run: LiveRun, call: ToolInvocation, executed: Executed): Promise<CallOutcome> {
  const { hooks } = run.definition;
  let result = executed.message;
  let control: ControlBy | undefined;
  const failure = run.failureOf(result);
  try {
    if (failure !== undefined && hooks.onError !== undefined) {
      run.hear(failure);
      control = (await hooks.onError(failure, run.scope)).control;
      if (control?.type === "fail") run.hear(control.error);
    }
    if (hooks.afterTool !== undefined) {
      const after = await hooks.afterTool(result, call, run.scope);
      result = sameCall(after.value, result);
      control = strongerControl(control, after.control);
      if (failure !== undefined) run.noteFailure(result, failure);
    }
    await recordToolResult(run, call.id, result);
  } catch (error) {
    announceEnd(run, call, result);
    return { result, failure: { error } };
  }
  announceEnd(run, call, result);
  if (run.shows("tools")) {
    await run.show?.({ type: "tool_result", runId: run.state.config.runId, callId: call.id, tool: call.name, result });
  }
  const stop = stopOf(call, executed.outcome);
  return {
    result,
    ...(stop === undefined ? {} : { stop }),
    ...(control === undefined ? {} : { control }),
  };
}

/** A hook or a wrap may change what a result says, never which call it answers. */
function sameCall(changed: ToolMessage, original: Pick<ToolMessage, "toolCallId" | "name">): ToolMessage {
  if (changed.toolCallId === original.toolCallId && changed.role === "tool") return changed;
  return { ...changed, role: "tool", toolCallId: original.toolCallId, name: original.name };
}

function stopOf(call: ToolInvocation, outcome: ToolOutcome | undefined): RunStop | undefined {
  return outcome?.type === "stop" ? { by: "tool", name: call.name, payload: outcome.payload } : undefined;
}

function interrupted(
  run: LiveRun,
  call: ToolInvocation,
  outcome: ToolOutcome & { readonly type: "interrupt" },
): CallOutcome {
  const nested = requestsBelow(outcome);
  if (nested !== undefined) {
    const requests = nested.map((request) => ({ ...request, viaCallId: call.id }));
    return { requests, waiting: { requestId: "", ...(outcome.state === undefined ? {} : { state: outcome.state }) } };
  }
  const id = run.ids.next("interrupt");
  const request: PauseRequest = {
    id,
    type: "interrupt",
    runId: run.state.config.runId,
    callId: call.id,
    tool: call.name,
    payload: outcome.payload,
  };
  return {
    requests: [request],
    waiting: { requestId: id, ...(outcome.state === undefined ? {} : { state: outcome.state }) },
  };
}

/** Tells of a call that does not run, and gives its result. */
export function notExecuted(run: LiveRun, result: ToolMessage): ToolMessage {
  const { toolCallId: callId, name: tool, status } = result;
  run.event()?.("tool.failed", { callId, tool, status, elapsedMs: 0 });
  if (run.shows("tools")) run.offer({ type: "tool_result", runId: run.state.config.runId, callId, tool, result });
  return result;
}

function announceStart(
  run: LiveRun,
  { id: callId, name: tool, args, spec, modelCallId, validation }: ToolInvocation,
): Promise<void> | undefined {
  const { label } = spec;
  const emit = run.event();
  if (emit !== undefined) {
    const facts = { callId, tool, modelCallId, validation, ...(label === undefined ? undefined : { label }) };
    emit("tool.started", run.wantsPayloads ? { ...facts, payload: { args } } : facts);
  }
  if (!run.shows("tools")) return undefined;
  const { runId } = run.state.config;
  const shown = run.show?.({
    type: "tool_started",
    runId,
    callId,
    tool,
    args,
    ...(label === undefined ? {} : { label }),
  });
  return shown instanceof Promise ? shown : undefined;
}

/** Tells of the end of a call that has its result. */
export function announceEnd(run: LiveRun, call: Pick<ToolInvocation, "id" | "name">, result: ToolMessage): void {
  tellEnd(run, call, result, run.event());
}

/**
 * Tells the end of a call that had ended before the run was cut off: whoever watched then may not have heard of it. It takes
 * no number, so that no other event's number depends on whether the run was ever cut off.
 */
export function announceRestored(run: LiveRun, result: ToolMessage): void {
  if (!run.listened) return;
  tellEnd(run, { id: result.toolCallId, name: result.name }, result, (type, data) => run.emitUnnumbered(type, data));
}

function tellEnd(
  run: LiveRun,
  call: Pick<ToolInvocation, "id" | "name">,
  result: ToolMessage,
  emit: ReturnType<LiveRun["event"]>,
): void {
  if (emit === undefined) return;
  const { id: callId, name: tool } = call;
  const { elapsedMs = 0, attempts } = result;
  const tried = attempts === undefined ? undefined : { attempts };
  if (result.isError) {
    const failure = run.failureOf(result);
    emit("tool.failed", {
      callId,
      tool,
      status: result.status,
      elapsedMs,
      ...tried,
      ...(failure === undefined ? {} : { error: failure.toJSON() }),
    });
    return;
  }
  const facts = { callId, tool, elapsedMs, ...tried, chars: charsOf(result) };
  emit("tool.completed", run.wantsPayloads ? { ...facts, payload: { content: result.content } } : facts);
}

function charsOf({ content }: ToolMessage): number {
  let chars = 0;
  for (let i = 0; i < content.length; i++) {
    const block = content[i];
    if (block?.type === "text") chars += block.text.length;
    else if (block?.type === "json") chars += JSON.stringify(block.value).length;
  }
  return chars;
}
