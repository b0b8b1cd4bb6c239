import {
  type AnyTool,
  type Checked,
  isTinyAgentsError,
  isToolOutcome,
  type JsonObject,
  type RetryContext,
  type RetryPolicy,
  retryCall,
  TinyAgentsError,
  type ToolInvocation,
  type ToolMessage,
  type ToolOutcome,
  type ToolRuntime,
  toolError,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { takeRetry } from "../run/retry-budget.js";
import { checkWithSchema } from "../schema-validator.js";
import { requestsBelow } from "../sub-agent.js";
import { approvedArgs } from "./approve.js";
import { issueLines } from "./correction.js";
import { plainJson } from "./plain-json.js";
import { type PreparedCall, wrongArguments } from "./prepare.js";
import { blocksOfValue, resultMessage, smallResultMessage } from "./result.js";
import { LiveToolRuntime } from "./runtime.js";
import { isThenable } from "./thenable.js";
import { TimedWork } from "./timed-work.js";

/** What running a call gave: a message for the history, and what it asked of the run besides. */
export interface Executed {
  readonly message: ToolMessage;
  readonly outcome?: ToolOutcome;
}

/**
 * Runs a tool: attempts, each with its time limit, then the result within its cap. A failing tool gives a result that
 * says so. Synchronous when the tool, its check and its result are.
 * @throws only what ends the run: its cancellation, failures of stores that it needs.
 */
export function execute(run: LiveRun, prepared: PreparedCall, resumed: ToolRuntime["resumed"]): Awaitable<Executed> {
  const call = prepared.invocation;
  const { retry } = call.policy;
  if (retry !== undefined) return withRetries(run, prepared, retry, resumed);
  const runtime = new LiveToolRuntime(run, call, 1, resumed);
  const { startedAtMs } = runtime;
  let returned: unknown;
  try {
    returned = attempt(run, prepared, runtime);
  } catch (error) {
    runtime.close();
    return failedMessage(run, call, error, startedAtMs, 1);
  }
  if (returned instanceof Promise) return finishLater(run, prepared, runtime, returned, startedAtMs);
  return finish(run, prepared, runtime, returned, startedAtMs);
}

async function finishLater(
  run: LiveRun,
  prepared: PreparedCall,
  runtime: LiveToolRuntime,
  returned: Promise<unknown>,
  startedAtMs: number,
): Promise<Executed> {
  let value: unknown;
  try {
    value = await returned;
  } catch (error) {
    return failedMessage(run, prepared.invocation, error, startedAtMs, 1);
  }
  return finish(run, prepared, runtime, value, startedAtMs);
}

/** A tool that has a retry policy is tried again after any failure of its own, unless the policy names codes. */
async function withRetries(
  run: LiveRun,
  prepared: PreparedCall,
  policy: RetryPolicy,
  resumed: ToolRuntime["resumed"],
): Promise<Executed> {
  const call = prepared.invocation;
  const startedAtMs = run.clock.now();
  let runtime = new LiveToolRuntime(run, call, 1, resumed);
  let value: unknown;
  try {
    value = await retryCall(policy, retryContext(run, call), async (number) => {
      runtime = new LiveToolRuntime(run, call, number, resumed);
      try {
        return await attempt(run, prepared, runtime);
      } catch (error) {
        runtime.close();
        throw toolError(call.name, call.id, error, { retryable: true });
      }
    });
  } catch (error) {
    return failedMessage(run, call, error, startedAtMs, runtime.attempt);
  }
  return finish(run, prepared, runtime, value, startedAtMs);
}

function retryContext(run: LiveRun, call: ToolInvocation): RetryContext {
  return {
    clock: run.clock,
    random: run.random,
    get signal() {
      return run.cancellation.signal;
    },
    onRetry: (retry) => takeRetry(run, call.id, retry),
  };
}

/** One attempt: the input is put together, the tool runs, an async tool within its time. */
function attempt(run: LiveRun, prepared: PreparedCall, runtime: LiveToolRuntime): unknown {
  const { checked, approvedArgsJson, tool } = prepared;
  // A second attempt does not get what the first one may have changed. What was approved runs, whatever has become of
  // the object that was shown. And only a schema of the tool's own makes an object that is nobody else's.
  const reusable = runtime.attempt === 1 && approvedArgsJson === undefined && tool.check !== undefined;
  const input = checked !== undefined && reusable ? checked.value : inputOf(prepared, runtime);
  if (input instanceof Promise) return input.then((settled) => invoke(run, prepared, runtime, settled));
  return invoke(run, prepared, runtime, input);
}

function invoke(run: LiveRun, { tool, invocation }: PreparedCall, runtime: LiveToolRuntime, input: unknown): unknown {
  const returned = tool.execute(input as never, runtime);
  const work = isThenable(returned) ? returned : isAsyncGenerator(returned) ? drain(returned, runtime) : undefined;
  if (work === undefined) {
    runtime.close();
    return returned;
  }
  const limitMs = invocation.policy.timeoutMs ?? run.state.config.limits.toolTimeoutMs;
  return new TimedWork(run, runtime, runtime.startedAtMs, limitMs).wait(work);
}

/** What `execute` gets: a copy of the arguments, completed by the runtime, as the tool's schema gives them. */
function inputOf({ tool, invocation, approvedArgsJson }: PreparedCall, runtime: LiveToolRuntime): Awaitable<unknown> {
  const given = approvedArgs(approvedArgsJson ?? JSON.stringify(invocation.args));
  const args: JsonObject = { ...given, ...tool.inject(runtime) };
  if (tool.check === undefined) return args;
  const checked = tool.check(args);
  if (checked instanceof Promise) return checked.then((settled) => checkedInput(invocation, settled));
  return checkedInput(invocation, checked);
}

function checkedInput({ name }: ToolInvocation, checked: Checked): unknown {
  if (checked.ok) return checked.value;
  throw new TinyAgentsError(
    "tool_arguments_invalid",
    `The arguments for the tool ${name} do not fit:\n${issueLines(checked.issues)}`,
    { details: { tool: name, issues: checked.issues } },
  );
}

/** A generator's yields are progress, its return value is the result. */
async function drain(generator: AsyncGenerator<unknown, unknown>, runtime: LiveToolRuntime): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
    try {
      runtime.progress(value);
    } catch (error) {
      await generator.return(undefined);
      throw error;
    }
    const showing = runtime.taken();
    if (showing !== undefined) await showing;
    if (runtime.scope.reason !== undefined) {
      await generator.return(undefined);
      throw runtime.scope.reason;
    }
  }
}

function finish(
  run: LiveRun,
  prepared: PreparedCall,
  runtime: LiveToolRuntime,
  value: unknown,
  startedAtMs: number,
): Awaitable<Executed> {
  if (prepared.tool.spec.outputSchema !== undefined && !isToolOutcome(value)) {
    return checkedFinish(run, prepared, runtime, value, startedAtMs);
  }
  return executed(run, prepared.invocation, runtime, value, startedAtMs);
}

async function checkedFinish(
  run: LiveRun,
  { tool, invocation: call }: PreparedCall,
  runtime: LiveToolRuntime,
  value: unknown,
  startedAtMs: number,
): Promise<Executed> {
  let checked: Checked;
  try {
    checked = await checkOutput(run, tool, call, value);
  } catch (error) {
    if (isTinyAgentsError(error, "tool_schema_invalid")) throw error;
    return failedMessage(run, call, error, startedAtMs, runtime.attempt);
  }
  if (checked.ok) return executed(run, call, runtime, checked.value, startedAtMs);
  const error = new TinyAgentsError(
    "tool_failed",
    `The tool ${call.name} returned something that its output schema refuses:\n${issueLines(checked.issues)}`,
    { details: { tool: call.name, callId: call.id } },
  );
  return failedMessage(run, call, error, startedAtMs, runtime.attempt);
}

/** A JSON Schema speaks of JSON, so what it checks is the JSON form of what was returned. */
function checkOutput(run: LiveRun, tool: AnyTool, call: ToolInvocation, value: unknown): Awaitable<Checked> {
  if (tool.checkOutput !== undefined) return tool.checkOutput(value);
  return checkWithSchema(run.definition, tool.spec.outputSchema ?? {}, plainJson(call.name, call.id, value), call.name);
}

function executed(
  run: LiveRun,
  call: ToolInvocation,
  runtime: LiveToolRuntime,
  value: unknown,
  startedAtMs: number,
): Awaitable<Executed> {
  const asContent = isToolOutcome(value) && value.type === "content" ? value : undefined;
  const elapsedMs = run.clock.now() - startedAtMs;
  const facts = {
    isError: asContent?.isError ?? false,
    elapsedMs,
    attempts: runtime.attempt,
    summary: asContent?.summary,
    artifacts: runtime.artifacts,
  };
  let content: ToolMessage["content"];
  let outcome: ToolOutcome | undefined;
  try {
    outcome = isToolOutcome(value) ? plainOutcome(call, value) : undefined;
    content =
      asContent?.content ??
      blocksOfValue(
        call.name,
        call.id,
        outcome === undefined ? value : outcome.type === "content" ? null : outcome.payload,
      );
  } catch (error) {
    return failedMessage(run, call, error, startedAtMs, runtime.attempt);
  }
  const small = smallResultMessage(run, call, content, facts);
  if (small !== undefined) return outcome === undefined ? { message: small } : { message: small, outcome };
  return resultMessage(run, call, content, facts).then((sized) =>
    outcome === undefined ? { message: sized } : { message: sized, outcome },
  );
}

/** An outcome whose data is nothing but JSON: it goes into the run's state. */
function plainOutcome({ name, id }: ToolInvocation, outcome: ToolOutcome): ToolOutcome {
  if (outcome.type === "content" || requestsBelow(outcome) !== undefined) return outcome;
  const payload = plainJson(name, id, outcome.payload);
  if (outcome.type === "stop" || outcome.state === undefined) return { type: outcome.type, payload };
  return { type: "interrupt", payload, state: plainJson(name, id, outcome.state) };
}

/** A failure of the tool is told to the model. A cancelled run is no failure of the tool: it ends the run. */
function failedMessage(
  run: LiveRun,
  call: ToolInvocation,
  thrown: unknown,
  startedAtMs: number,
  attempts: number,
): Executed {
  const { reason } = run.cancellation;
  if (reason !== undefined) {
    // A run below tells what ignored its cancellation.
    if (isTinyAgentsError(thrown, "cancelled")) run.ignoredBy.push(...(thrown.details.ignoredBy ?? []));
    throw reason;
  }
  const error = toolError(call.name, call.id, thrown);
  if (isTinyAgentsError(error, "tool_arguments_invalid"))
    return { message: wrongArguments(run, call, error.details.issues) };
  const failed: ToolMessage = {
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content: [{ type: "text", text: clipped(error.message) }],
    isError: true,
    status: isTinyAgentsError(error, "timeout") ? "timeout" : error.code === "tool_denied" ? "denied" : "failed",
    elapsedMs: run.clock.now() - startedAtMs,
    ...(attempts > 1 ? { attempts } : {}),
  };
  run.noteFailure(failed, error);
  return { message: failed };
}

/** What a failure says of itself is for reading: a text without end is none. */
const LONGEST_MESSAGE = 4_000;

function clipped(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  return `${message.slice(0, LONGEST_MESSAGE)} [cut: ${message.length} characters]`;
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}
