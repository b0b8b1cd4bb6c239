import {
  type AnyTool,
  type Checked,
  isTinyAgentsError,
  isToolOutcome,
  type JsonObject,
  type RetryContext,
  retryCall,
  TinyAgentsError,
  type ToolInvocation,
  type ToolMessage,
  type ToolOutcome,
  type ToolRuntime,
  toolError,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { settle } from "../run/settle.js";
import { checkWithSchema } from "./prepare.js";
import { blocksOfValue, resultMessage, smallResultMessage } from "./result.js";
import { LiveToolRuntime } from "./runtime.js";

type Awaitable<T> = T | Promise<T>;

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
export function execute(
  run: LiveRun,
  tool: AnyTool,
  call: ToolInvocation,
  resumed: ToolRuntime["resumed"],
): Awaitable<Executed> {
  const startedAtMs = run.clock.now();
  if (call.policy.retry !== undefined) return withRetries(run, tool, call, resumed, startedAtMs);
  const runtime = new LiveToolRuntime(run, call, 1, resumed);
  let returned: unknown;
  try {
    returned = attempt(run, tool, call, runtime);
  } catch (error) {
    return failedMessage(run, call, error, startedAtMs, 1);
  }
  if (returned instanceof Promise) {
    return returned.then(
      (value) => finish(run, tool, call, runtime, value, startedAtMs),
      (error) => failedMessage(run, call, error, startedAtMs, 1),
    );
  }
  return finish(run, tool, call, runtime, returned, startedAtMs);
}

async function withRetries(
  run: LiveRun,
  tool: AnyTool,
  call: ToolInvocation,
  resumed: ToolRuntime["resumed"],
  startedAtMs: number,
): Promise<Executed> {
  let runtime = new LiveToolRuntime(run, call, 1, resumed);
  try {
    const value = await retryCall(call.policy.retry ?? {}, retryContext(run, call), async (number) => {
      runtime = new LiveToolRuntime(run, call, number, resumed);
      return attempt(run, tool, call, runtime);
    });
    return await finish(run, tool, call, runtime, value, startedAtMs);
  } catch (error) {
    return failedMessage(run, call, error, startedAtMs, runtime.attempt);
  }
}

function retryContext(run: LiveRun, call: ToolInvocation): RetryContext {
  return {
    clock: run.clock,
    random: run.random,
    get signal() {
      return run.cancellation.signal;
    },
    onRetry({ attempt: number, delayMs, error }) {
      const { counters, config } = run.state;
      if (run.cancellation.reason !== undefined || counters.retries >= config.limits.maxRetries) return false;
      counters.retries++;
      run.event()?.("retry.scheduled", { callId: call.id, attempt: number + 1, delayMs, code: error.code });
      return true;
    },
  };
}

/** One attempt: the input is put together, the tool runs, an async tool within its time. */
function attempt(run: LiveRun, tool: AnyTool, call: ToolInvocation, runtime: LiveToolRuntime): unknown {
  const input = inputOf(tool, call, runtime);
  if (input instanceof Promise) return input.then((settled) => invoke(run, tool, call, runtime, settled));
  return invoke(run, tool, call, runtime, input);
}

function invoke(run: LiveRun, tool: AnyTool, call: ToolInvocation, runtime: LiveToolRuntime, input: unknown): unknown {
  const returned = tool.execute(input as never, runtime);
  if (isThenable(returned)) return timed(run, call, runtime, Promise.resolve(returned));
  if (isAsyncGenerator(returned)) return timed(run, call, runtime, drain(returned, runtime));
  return returned;
}

/** What `execute` gets: the arguments as its schema gives them, with what the runtime fills in. */
function inputOf(tool: AnyTool, call: ToolInvocation, runtime: LiveToolRuntime): Awaitable<unknown> {
  const injected = tool.inject(runtime);
  const args: JsonObject = injected === undefined ? call.args : { ...call.args, ...injected };
  if (tool.check === undefined) return args;
  const checked = tool.check(args);
  if (checked instanceof Promise) return checked.then((settled) => checkedInput(call, settled));
  return checkedInput(call, checked);
}

function checkedInput(call: ToolInvocation, checked: Checked): unknown {
  if (checked.ok) return checked.value;
  throw new TinyAgentsError(
    "tool_arguments_invalid",
    `The arguments for the tool ${call.name} do not fit once they are complete.`,
    {
      details: { tool: call.name, issues: checked.issues },
    },
  );
}

/** Waits for an async tool no longer than it may take. A late end is ignored; no timer stays behind. */
async function timed(
  run: LiveRun,
  call: ToolInvocation,
  runtime: LiveToolRuntime,
  work: Promise<unknown>,
): Promise<unknown> {
  const limitMs = call.policy.timeoutMs ?? run.state.config.limits.toolTimeoutMs;
  let timeOut: (error: TinyAgentsError) => void = () => {};
  const deadline = run.deadlines.add(limitMs, () => {
    const error = new TinyAgentsError("timeout", `The tool ${call.name} did not finish within ${limitMs} ms.`, {
      details: { scope: "tool_call", limitMs, name: call.name },
    });
    runtime.scope.cancel(error);
    timeOut(error);
  });
  try {
    return await settle(run, work, `tool ${call.name}`, (giveUp) => {
      timeOut = giveUp;
    });
  } finally {
    run.deadlines.met(deadline);
    runtime.close();
  }
}

/** A generator's yields are progress, its return value is the result. */
async function drain(generator: AsyncGenerator<unknown, unknown>, runtime: LiveToolRuntime): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
    runtime.progress(value as never);
    if (runtime.scope.reason !== undefined) {
      await generator.return(undefined);
      throw runtime.scope.reason;
    }
  }
}

function finish(
  run: LiveRun,
  tool: AnyTool,
  call: ToolInvocation,
  runtime: LiveToolRuntime,
  value: unknown,
  startedAtMs: number,
): Awaitable<Executed> {
  if (tool.spec.outputSchema !== undefined && !isToolOutcome(value))
    return checkedFinish(run, tool, call, runtime, value, startedAtMs);
  return message(run, call, runtime, value, startedAtMs);
}

async function checkedFinish(
  run: LiveRun,
  tool: AnyTool,
  call: ToolInvocation,
  runtime: LiveToolRuntime,
  value: unknown,
  startedAtMs: number,
): Promise<Executed> {
  const checked = await (tool.checkOutput?.(value) ?? checkWithSchema(run, tool.spec.outputSchema ?? {}, value));
  if (checked.ok) return message(run, call, runtime, checked.value, startedAtMs);
  const issues = checked.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ");
  const error = new TinyAgentsError(
    "tool_failed",
    `The tool ${call.name} returned something that its output schema refuses: ${issues}`,
    {
      details: { tool: call.name, callId: call.id },
    },
  );
  return failedMessage(run, call, error, startedAtMs, runtime.attempt);
}

function message(
  run: LiveRun,
  call: ToolInvocation,
  runtime: LiveToolRuntime,
  value: unknown,
  startedAtMs: number,
): Awaitable<Executed> {
  const outcome = isToolOutcome(value) ? value : undefined;
  const asContent = outcome?.type === "content" ? outcome : undefined;
  const elapsedMs = run.clock.now() - startedAtMs;
  const facts = {
    isError: asContent?.isError ?? false,
    elapsedMs,
    attempts: runtime.attempt,
    summary: asContent?.summary,
    artifacts: runtime.artifacts,
  };
  let content: ToolMessage["content"];
  try {
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

/** A failure of the tool is told to the model. A cancelled run is no failure of the tool: it ends the run. */
function failedMessage(
  run: LiveRun,
  call: ToolInvocation,
  thrown: unknown,
  startedAtMs: number,
  attempts: number,
): Executed {
  const { reason } = run.cancellation;
  if (reason !== undefined) throw reason;
  const error = toolError(call.name, call.id, thrown);
  const failed: ToolMessage = {
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content: [{ type: "text", text: error.message }],
    isError: true,
    status: isTinyAgentsError(error, "timeout") ? "timeout" : error.code === "tool_denied" ? "denied" : "failed",
    elapsedMs: run.clock.now() - startedAtMs,
    ...(attempts > 1 ? { attempts } : {}),
  };
  run.toolFailures.set(failed, error);
  return { message: failed };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}
