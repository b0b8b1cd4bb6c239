import type {
  ControlBy,
  EventData,
  LastResponse,
  ModelRequest,
  ModelResponse,
  ModelWarning,
  TinyAgentsError,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { Mutable } from "../mutable.js";
import { withIds } from "../run/error-ids.js";
import type { LiveRun } from "../run/live-run.js";
import { contextOfAnswer } from "./answer-context.js";
import { honour } from "./control.js";
import { asFailure } from "./fail.js";
import { hitLimit } from "./limit.js";
import { ModelCall } from "./model-call.js";
import { recordUsage } from "./record-usage.js";
import { showDelta } from "./show-delta.js";

/** Makes one model call: hooks before it, the call inside the wraps, hooks after it, the answer into the history. */
export function dispatch(run: LiveRun): Awaitable<void> {
  const { state, definition } = run;
  if (state.edits.length > 0) {
    state.phase = "compact";
    return;
  }
  if (!state.finalizing && exceeds(run)) return;
  const template = state.finalizing ? definition.lastRequest : definition.request;
  // Assigned, not spread: all requests then have one hidden class, where a spread of the template makes one each.
  const request: ModelRequest = Object.assign({ messages: state.messages }, template, state.config.selection);
  return definition.hooks.beforeModel === undefined ? ask(run, request) : askAfterHooks(run, request);
}

async function askAfterHooks(run: LiveRun, request: ModelRequest): Promise<void> {
  const before = await beforeModel(run, request);
  if (before !== undefined) await ask(run, before);
}

/** The call itself. One async function from end to end, with little in it: a run that waits for its model holds all of it. */
async function ask(run: LiveRun, request: ModelRequest): Promise<void> {
  const call = begin(run, request);
  const { collector } = call;
  let response: ModelResponse | undefined;
  try {
    let stream = call.open(request);
    while (response === undefined) {
      // What goes wrong while a fragment is taken is no failure of the attempt.
      let taking = false;
      try {
        for await (const delta of stream) {
          taking = true;
          // It may be anything until the collector has looked at it.
          if (delta?.type === "restart") call.noteRestart(delta);
          collector.add(delta);
          if (call.timing.silent) call.timing.heard(delta, run.clock);
          const shown = call.watched ? showDelta(run, call.callId, delta) : undefined;
          if (shown !== undefined) await call.whileShown(shown);
          const turning = call.breath.due();
          if (turning !== undefined) await turning;
          if (run.cancellation.reason !== undefined) break;
          taking = false;
        }
        run.throwIfCancelled();
        response = call.response();
      } catch (error) {
        if (taking) throw error;
        stream = call.again(error);
      }
    }
  } catch (error) {
    return afterFailure(call, error);
  } finally {
    call.endAttempt();
    run.end(call);
  }
  const after = conclude(call, response);
  if (after !== undefined) await after;
}

function begin(run: LiveRun, request: ModelRequest): ModelCall {
  const { state, definition } = run;
  const chosen = definition.models.choose(request);
  state.counters.modelCalls++;
  const call = new ModelCall(run, `${state.config.runId}/m${state.counters.modelCalls}`, chosen);
  announceStart(run, call, request);
  run.begin(call);
  return call;
}

/** Counts an answer and takes it into the run. What goes wrong in that is a failure of the call, unless it was told as done. */
function conclude(call: ModelCall, response: ModelResponse): Promise<void> | undefined {
  const { run } = call;
  try {
    recordUsage(run, call.callId, response.model, response.usage);
    const after = afterResponse(call, response);
    return after instanceof Promise ? after.catch((error) => notConcluded(call, error)) : undefined;
  } catch (error) {
    return notConcluded(call, error);
  }
}

function notConcluded(call: ModelCall, error: unknown): never {
  const failure = asFailure(call.run, error);
  if (!call.told) call.announceFailure(failure);
  throw failure;
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

/** The request as the hooks left it; nothing when one of them decided where the run goes. */
async function beforeModel(run: LiveRun, request: ModelRequest): Promise<ModelRequest | undefined> {
  const before = await run.definition.hooks.beforeModel?.(request, run.scope);
  const control = before?.control;
  const alreadyDue = control?.type === "jump" && control.to === "model";
  if (control !== undefined && !alreadyDue && (await honour(run, control, "dispatch"))) return undefined;
  if (run.state.edits.length > 0) {
    run.state.phase = "compact";
    return undefined;
  }
  run.compactions = 0;
  run.jumps = 0;
  return before?.value ?? request;
}

function announceStart(run: LiveRun, call: ModelCall, { messages }: ModelRequest): void {
  const { callId, chosen } = call;
  const model = chosen.resolved;
  if (chosen !== run.definition.models.usual) {
    run.event()?.("model.selected", { callId, model, skipped: chosen.skipped });
  }
  run.event()?.(
    "model.started",
    run.wantsPayloads ? { callId, model, payload: { messages: messages.slice() } } : { callId, model },
  );
}

/** Hooks after the call, then its event, then its message. Synchronous when nobody has to be waited for. */
function afterResponse(call: ModelCall, response: ModelResponse): Awaitable<void> {
  const { run } = call;
  if (
    run.definition.hooks.afterModel !== undefined ||
    run.shows("messages") ||
    run.shows("usage") ||
    run.shows("cost")
  ) {
    return afterResponseSlowly(call, response);
  }
  announceEnd(call, response);
  receive(call, response);
}

async function afterResponseSlowly(call: ModelCall, answered: ModelResponse): Promise<void> {
  const { run, callId } = call;
  const { runId } = run.state.config;
  const { usage, cost } = run.state;
  if (run.shows("usage")) await run.show?.({ type: "usage", runId, callId, usage });
  if (run.shows("cost") && cost !== null) await run.show?.({ type: "cost", runId, callId, cost });
  const after = await run.definition.hooks.afterModel?.(answered, run.scope);
  const response = after?.value ?? answered;
  announceEnd(call, response);
  receive(call, response);
  if (run.shows("messages")) await run.show?.({ type: "message", runId, callId, message: response.message });
  if (after?.control !== undefined) await honour(run, after.control, "parse");
}

function announceEnd(call: ModelCall, response: ModelResponse): void {
  const { model, finishReason, attempts, usage, warnings } = response;
  const { run, callId } = call;
  call.told = true;
  const emit = run.event();
  if (emit === undefined) return;
  const elapsedMs = run.clock.now() - call.startedAtMs;
  const context = contextOfAnswer(call, response);
  emit("model.completed", {
    callId,
    model,
    finishReason,
    attempts,
    elapsedMs,
    ...timingOf(response),
    ...(usage === undefined ? undefined : { usage }),
    ...(context === undefined ? undefined : { context }),
    ...(warnings.length === 0 ? undefined : { warnings: warnings.map(withoutWords) }),
    ...(run.wantsPayloads ? { payload: answered(response) } : undefined),
  });
}

function timingOf({ timing }: ModelResponse): Pick<EventData["model.completed"], "firstDeltaMs" | "waitedMs"> {
  const { firstDeltaMs, waitedMs = 0 } = timing ?? {};
  return { ...(firstDeltaMs === undefined ? {} : { firstDeltaMs }), ...(waitedMs === 0 ? {} : { waitedMs }) };
}

function answered({
  message: { content },
  warnings,
}: ModelResponse): NonNullable<EventData["model.completed"]["payload"]> {
  return warnings.length === 0 ? { content } : { content, warnings };
}

/** What a warning is about. Its words may repeat what was said. */
function withoutWords({ code, setting }: ModelWarning): Omit<ModelWarning, "message"> {
  return setting === undefined ? { code } : { code, setting };
}

function receive(call: ModelCall, { message, finishReason, rawFinishReason }: ModelResponse): void {
  const { state } = call.run;
  const { callId, offered } = call;
  state.messages.push(message);
  const last: Mutable<LastResponse> = { callId, finishReason };
  if (rawFinishReason !== undefined) last.rawFinishReason = rawFinishReason;
  if (offered !== undefined) last.offered = offered;
  state.lastResponse = last;
  state.phase = "parse";
}

/** Tells of a failed call, and throws its error unless an `onError` hook wants something else. */
async function afterFailure(call: ModelCall, thrown: unknown): Promise<void> {
  const { run } = call;
  const failure = asFailure(run, call.reasonOf(thrown));
  // What ended the whole run is no failure of this call.
  const error = run.cancellation.reason === undefined ? withIds(failure, { callId: call.callId }) : failure;
  call.fail(error);
  if (call.outOfRetries !== undefined && run.cancellation.reason === undefined) {
    run.limitCause = error;
    return hitLimit(run, "maxRetries", run.state.config.limits.maxRetries);
  }
  const control = await controlAfter(run, error);
  if (control === undefined) throw error;
  if (control.type === "retry") {
    run.event()?.("control.applied", { control: "retry", by: control.by });
    run.state.phase = "dispatch";
    return;
  }
  if (control.type === "fail") run.hear(control.error);
  if (!(await honour(run, control, "dispatch"))) throw error;
}

async function controlAfter(run: LiveRun, error: TinyAgentsError): Promise<ControlBy | undefined> {
  const { onError } = run.definition.hooks;
  if (onError === undefined || run.cancellation.reason !== undefined) return undefined;
  run.hear(error);
  return (await onError(error, run.scope)).control;
}
