import {
  type Checked,
  type JsonObject,
  type RetryContext,
  type RetryPolicy,
  retryCall,
  TinyAgentsError,
  type ToolInvocation,
  type ToolRuntime,
  toolError,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { takeToolRetry } from "../run/retry-budget.js";
import { approvedArgs } from "./approve.js";
import { issueLines } from "./correction.js";
import { type Executed, failedMessage, finish } from "./finish.js";
import type { PreparedCall } from "./prepare.js";
import { LiveToolRuntime } from "./runtime.js";
import { isThenable } from "./thenable.js";
import { TimedWork } from "./timed-work.js";

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
    onRetry: (retry) => takeToolRetry(run, call.id, retry),
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

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}
