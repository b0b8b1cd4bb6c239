import {
  type AssistantMessage,
  addModelCall,
  addMoney,
  addToModel,
  addUsage,
  costOf,
  estimateTokens,
  isTinyAgentsError,
  type ModelRequest,
  type ModelResponse,
  missingCapabilities,
  type ResolvedModel,
  support,
  type TinyAgentsError,
  type Usage,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { honour } from "./control.js";
import { hitLimit } from "./limit.js";
import { ModelCall } from "./model-call.js";
import { missing } from "./start.js";

/** Makes one model call: hooks before it, the call inside the wraps, hooks after it, the answer into the history. */
export async function dispatch(run: LiveRun): Promise<void> {
  const { state, definition } = run;
  if (!state.finalizing && exceeds(run)) return;
  const { hooks } = definition;
  const template = state.finalizing ? definition.lastRequest : definition.request;
  let request: ModelRequest = { ...template, messages: state.messages };
  if (hooks.beforeModel !== undefined) {
    const before = await hooks.beforeModel(request, run.scope);
    if (before.control !== undefined && (await honour(run, before.control, "dispatch"))) return;
    request = before.value;
    if (state.edits.length > 0) {
      state.phase = "compact";
      return;
    }
  }
  refuseImpossible(run, request);
  state.counters.modelCalls++;
  const callId = `${state.config.runId}/m${state.counters.modelCalls}`;
  const response = await ask(run, request, callId);
  if (response === undefined) return;
  await receive(run, response, callId);
}

/** Whether a limit forbids another call; the phase is then `limit`. */
function exceeds(run: LiveRun): boolean {
  const { counters, config } = run.state;
  const { maxModelCalls, maxTotalTokens } = config.limits;
  if (counters.modelCalls >= maxModelCalls) {
    hitLimit(run, "maxModelCalls", maxModelCalls);
    return true;
  }
  if (maxTotalTokens !== undefined && run.totalTokens >= maxTotalTokens) {
    hitLimit(run, "maxTotalTokens", maxTotalTokens);
    return true;
  }
  return false;
}

/** Asked-for capabilities need a "yes" in the profile; what is only implied fails on a "no". */
function refuseImpossible(run: LiveRun, request: ModelRequest): void {
  const { profile } = run.definition.model;
  const { requires, tools } = request;
  if (requires !== undefined && requires.length > 0) {
    const lacking = missingCapabilities(profile, requires);
    if (lacking.length > 0) throw missing(run.definition.model.id, ...lacking);
  }
  if (tools !== undefined && tools.length > 0 && support(profile, "tools") === "no") {
    throw missing(run.definition.model.id, "tools");
  }
}

/** The answer; nothing when a hook decided, after a failure, where the run goes. */
async function ask(run: LiveRun, request: ModelRequest, callId: string): Promise<ModelResponse | undefined> {
  const { definition } = run;
  const call = new ModelCall(run, request, callId);
  run.event()?.("model.started", {
    callId,
    model: definition.resolvedModel,
    ...(run.wantsPayloads ? { payload: { messages: request.messages.slice() } } : {}),
  });
  let response: ModelResponse;
  try {
    response = await call.run();
  } catch (error) {
    recordUsage(run, callId, definition.resolvedModel, usageOfFailure(run, request, call, error));
    return failed(run, call, error);
  }
  recordUsage(run, callId, response.model, response.usage);
  if (run.showsUsage)
    await run.show?.({ type: "usage", runId: run.state.config.runId, callId, usage: run.state.usage });
  const { cost } = run.state;
  if (run.showsCost && cost !== null) await run.show?.({ type: "cost", runId: run.state.config.runId, callId, cost });
  const { afterModel } = definition.hooks;
  if (afterModel !== undefined) {
    const after = await afterModel(response, run.scope);
    response = after.value;
    if (after.control !== undefined) call.control = after.control;
  }
  run.event()?.("model.completed", {
    callId,
    model: response.model,
    finishReason: response.finishReason,
    attempts: response.attempts,
    elapsedMs: run.clock.now() - call.startedAtMs,
    ...(response.usage === undefined ? {} : { usage: response.usage }),
    ...(run.wantsPayloads ? { payload: { content: response.message.content } } : {}),
  });
  return call.control === undefined ? response : settleControl(run, call, response);
}

/** After a hook that wants something else than going on: the answer stays in the history all the same. */
async function settleControl(run: LiveRun, call: ModelCall, response: ModelResponse): Promise<undefined> {
  await receive(run, response, call.callId);
  if (call.control !== undefined) await honour(run, call.control, "parse");
  return undefined;
}

async function receive(run: LiveRun, response: ModelResponse, callId: string): Promise<void> {
  const { state } = run;
  const { message, finishReason, rawFinishReason } = response;
  state.messages.push(message);
  state.lastResponse =
    rawFinishReason === undefined ? { callId, finishReason } : { callId, finishReason, rawFinishReason };
  state.phase = "parse";
  if (run.showsMessages) await showMessage(run, message, callId);
}

async function showMessage(run: LiveRun, message: AssistantMessage, callId: string): Promise<void> {
  await run.show?.({ type: "message", runId: run.state.config.runId, callId, message });
}

/** Tells of a failed call, and throws its error unless an `onError` hook wants the call made again. */
async function failed(run: LiveRun, call: ModelCall, thrown: unknown): Promise<undefined> {
  if (!isTinyAgentsError(thrown)) throw thrown;
  const error: TinyAgentsError = run.cancellation.reason ?? thrown;
  run.event()?.("model.failed", {
    callId: call.callId,
    model: run.definition.resolvedModel,
    error: error.toJSON(),
    elapsedMs: run.clock.now() - call.startedAtMs,
  });
  const { onError } = run.definition.hooks;
  if (onError === undefined || run.cancellation.reason !== undefined) throw error;
  run.heard.add(error);
  const { control } = await onError(error, run.scope);
  if (control === undefined) throw error;
  if (control.type === "retry") {
    run.event()?.("control.applied", { control: "retry", by: control.by });
    run.state.phase = "dispatch";
    return undefined;
  }
  await honour(run, control, "dispatch");
  return undefined;
}

/** What a failed call cost: what was reported, else an estimate of what had been sent and received, never a zero. */
function usageOfFailure(run: LiveRun, request: ModelRequest, call: ModelCall, error: unknown): Usage | undefined {
  const reported = call.collector.usage;
  const chars = call.collector.receivedChars;
  const unfinished = chars > 0 || run.cancellation.reason !== undefined || isTinyAgentsError(error, "timeout");
  if (!call.reached || !unfinished) return reported;
  const estimated: Usage = {
    inputTokens: estimateTokens(request.messages, run.definition.countTokens),
    outputTokens: Math.ceil(chars / 4),
    source: "estimated",
  };
  if (reported === undefined) return estimated;
  return call.collector.reportsCurrent ? reported : addUsage(reported, estimated);
}

function recordUsage(run: LiveRun, callId: string, model: ResolvedModel, usage: Usage | undefined): void {
  const { state } = run;
  state.usage = addModelCall(state.usage, usage);
  state.usageByModel = addToModel(state.usageByModel, model, (totals) => addModelCall(totals, usage));
  run.event()?.("usage.recorded", usage === undefined ? { callId, model } : { callId, model, usage });
  if (run.definition.prices !== undefined) recordCost(run, callId, model, usage);
}

function recordCost(run: LiveRun, callId: string, model: ResolvedModel, usage: Usage | undefined): void {
  const { state } = run;
  const price = run.definition.prices?.priceOf(model);
  const cost = price === undefined ? undefined : costOf(usage, price);
  const before = state.cost;
  if (cost === undefined) {
    if (before !== null) state.cost = { ...before, unpricedCalls: before.unpricedCalls + 1 };
    else state.unpricedCalls++;
  } else if (before === null) state.cost = { ...cost, unpricedCalls: state.unpricedCalls };
  else state.cost = { ...addMoney(before, cost), unpricedCalls: before.unpricedCalls };
  run.event()?.("cost.recorded", cost === undefined ? { callId, model } : { callId, model, cost });
}
