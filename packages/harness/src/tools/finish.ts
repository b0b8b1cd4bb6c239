import {
  type AnyTool,
  boundedText,
  type Checked,
  isTinyAgentsError,
  isToolOutcome,
  TinyAgentsError,
  type ToolInvocation,
  type ToolMessage,
  type ToolOutcome,
  toolError,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import { boundedError } from "../run/bounded-error.js";
import type { LiveRun } from "../run/live-run.js";
import { checkWithSchema } from "../schema-validator.js";
import { issueLines } from "./correction.js";
import { plainJson } from "./plain-json.js";
import { type PreparedCall, wrongArguments } from "./prepare.js";
import { type Returned, readReturned } from "./read-returned.js";
import { resultMessage, smallResultMessage } from "./result.js";
import type { LiveToolRuntime } from "./runtime.js";

/** What running a call gave: a message for the history, and what it asked of the run besides. */
export interface Executed {
  readonly message: ToolMessage;
  readonly outcome?: ToolOutcome;
}

/** The result of a call whose tool came to an end, within its cap and checked where the tool says what it returns. */
export function finish(
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
  let returned: Returned;
  try {
    returned = readReturned(call, value);
  } catch (error) {
    return failedMessage(run, call, error, startedAtMs, runtime.attempt);
  }
  const { content, isError, summary, outcome } = returned;
  const elapsedMs = run.clock.now() - startedAtMs;
  const facts = { isError, elapsedMs, attempts: runtime.attempt, summary, artifacts: runtime.artifacts };
  const small = smallResultMessage(run, call, content, facts);
  return small === undefined
    ? sizedResult(outcome, resultMessage(run, call, content, facts))
    : executedWith(small, outcome);
}

async function sizedResult(outcome: ToolOutcome | undefined, sizing: Promise<ToolMessage>): Promise<Executed> {
  return executedWith(await sizing, outcome);
}

function executedWith(message: ToolMessage, outcome: ToolOutcome | undefined): Executed {
  return outcome === undefined ? { message } : { message, outcome };
}

/** A failure of the tool is told to the model. A cancelled run is no failure of the tool: it ends the run. */
export function failedMessage(
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
  const error = boundedError(toolError(call.name, call.id, thrown));
  if (isTinyAgentsError(error, "tool_arguments_invalid"))
    return { message: wrongArguments(run, call, error.details.issues) };
  const failed: ToolMessage = {
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content: [{ type: "text", text: boundedText(error.message) }],
    isError: true,
    status: isTinyAgentsError(error, "timeout") ? "timeout" : error.code === "tool_denied" ? "denied" : "failed",
    elapsedMs: run.clock.now() - startedAtMs,
    ...(attempts > 1 ? { attempts } : {}),
  };
  run.noteFailure(failed, error);
  return { message: failed };
}
