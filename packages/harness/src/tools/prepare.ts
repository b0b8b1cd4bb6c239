import {
  type AnyTool,
  type ArgumentIssue,
  type Checked,
  checkPolicy,
  isClassified,
  isTinyAgentsError,
  type JsonObject,
  messageOf,
  needsApproval,
  TinyAgentsError,
  type ToolCallBlock,
  type ToolInvocation,
  type ToolMessage,
  type ToolPolicy,
  type ToolSpec,
  type ToolValidation,
  toolError,
  toolMessage,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { Mutable } from "../mutable.js";
import type { LiveRun } from "../run/live-run.js";
import { checkWithSchema } from "../schema-validator.js";
import { correction, issueLines } from "./correction.js";
import { offeredTool, recoverUnknown } from "./unknown-tool.js";

/** A call that may go on: what it is for, and which tool runs it. */
export interface PreparedCall {
  readonly tool: AnyTool;
  readonly invocation: ToolInvocation;
  /** What the tool's own check made of the arguments; absent when it has to be done again, with injected ones. */
  readonly checked?: { readonly value: unknown };
  /** Somebody agreed to it, with exactly these arguments (canonical JSON). */
  readonly approvedArgsJson?: string;
}

/** A call that may go on, or what the model is told in place of a result. */
export type Preparation = PreparedCall | ToolMessage;

/** Whether a call was turned away. */
export function isResult(preparation: Preparation): preparation is ToolMessage {
  return "role" in preparation;
}

/** Where a call comes from, and whether it is as it came. */
type CallOrigin = Pick<ToolInvocation, "modelCallId" | "validation">;

/**
 * Checks a call: is the tool offered, do the arguments fit, is the tool classified where that is asked for. What is
 * wrong is the model's to mend, within the run's correction budget, or the run's end, as the policies say.
 * @throws `tool_not_found`, `tool_arguments_invalid` where the policy is `fail`; `limit_exceeded` when the budget is used.
 */
export function prepare(run: LiveRun, call: ToolCallBlock, origin: CallOrigin): Awaitable<Preparation> {
  const tool = offeredTool(run, call.name);
  return tool === undefined ? prepareUnknown(run, call, origin.modelCallId) : checkCall(run, call, tool, origin);
}

/** A call for a tool that is not offered: for another one, where the policy says so. */
function prepareUnknown(run: LiveRun, call: ToolCallBlock, modelCallId: string): Awaitable<Preparation> {
  const found = recoverUnknown(run, call);
  if ("role" in found) return found;
  const rewritten = { ...call, name: found.spec.name };
  return checkCall(run, rewritten, found, { modelCallId, validation: "passed_after_change" });
}

/**
 * Checks a call that was changed after its first check. It stays the same call, whatever the change says of it: only
 * which tool, and with what, may be another.
 */
export function prepareAgain(
  run: LiveRun,
  { id, modelCallId, providerMetadata, originalId }: ToolInvocation,
  { name, args }: Pick<ToolInvocation, "name" | "args">,
  validation: ToolValidation = "passed_after_change",
): Awaitable<Preparation> {
  const call: ToolCallBlock = {
    type: "tool_call",
    id,
    name,
    args,
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
    ...(originalId === undefined ? {} : { originalId }),
  };
  // Whoever changed it may choose among all tools of the agent.
  const tool = run.definition.tools.get(name);
  if (tool === undefined) return prepareUnknown(run, call, modelCallId);
  return checkCall(run, call, tool, { modelCallId, validation });
}

function checkCall(run: LiveRun, call: ToolCallBlock, tool: AnyTool, origin: CallOrigin): Awaitable<Preparation> {
  if (call.invalid !== undefined) {
    return wrongArguments(run, call, [{ path: "", message: `they are no JSON object: ${call.invalid.reason}` }]);
  }
  const hidden = hiddenIssues(tool, call.args);
  if (hidden.length > 0) return wrongArguments(run, call, hidden);
  let checked: Awaitable<Checked>;
  try {
    checked = checkArgs(run, tool, call.args);
  } catch (error) {
    return brokenTool(run, call, error);
  }
  if (checked instanceof Promise) return checkedLater(run, call, tool, origin, checked);
  return withPolicy(run, call, tool, origin, checked);
}

async function checkedLater(
  run: LiveRun,
  call: ToolCallBlock,
  tool: AnyTool,
  origin: CallOrigin,
  checking: Promise<Checked>,
): Promise<Preparation> {
  let checked: Checked;
  try {
    checked = await checking;
  } catch (error) {
    return brokenTool(run, call, error);
  }
  return withPolicy(run, call, tool, origin, checked);
}

/** A schema of the tool's own that throws is a failure of the tool: it does not run, and the model is told. */
function brokenTool(run: LiveRun, call: ToolCallBlock, thrown: unknown): ToolMessage {
  if (isTinyAgentsError(thrown)) throw thrown;
  const error = toolError(call.name, call.id, thrown);
  const result = toolMessage(call, error.message, "failed");
  run.noteFailure(result, error);
  return result;
}

/** What cannot be said of a call might be that it needs approval: it does not run. */
function withoutPolicy(run: LiveRun, call: ToolCallBlock, thrown: unknown): ToolMessage {
  const said = `The tool ${call.name} was not run: its policy for this call cannot be used: ${messageOf(thrown)}`;
  const result = toolMessage(call, said, "denied");
  run.noteFailure(result, toolError(call.name, call.id, thrown));
  return result;
}

/** A call whose arguments fit, under the policy that its tool has for them. */
function withPolicy(
  run: LiveRun,
  call: ToolCallBlock,
  tool: AnyTool,
  origin: CallOrigin,
  checked: Checked,
): Preparation {
  if (!checked.ok) return wrongArguments(run, call, checked.issues);
  let policy: ToolPolicy;
  try {
    const { dynamicPolicy, name, policy: fixed } = tool.spec;
    policy = dynamicPolicy ? checkPolicy(tool.policyFor(call.args), name) : fixed;
    if (needsApproval(name, policy, run.definition.policies.approval)) policy = { ...policy, approval: "always" };
  } catch (error) {
    return withoutPolicy(run, call, error);
  }
  if (run.definition.policies.strictTools === true && !isClassified(policy)) {
    return toolMessage(
      call,
      `The tool ${call.name} may not be used: it does not say what it does to the world.`,
      "denied",
    );
  }
  const { spec } = tool;
  const invocation = invocationOf(call, spec, policy, origin);
  return spec.hiddenArgs.length > 0 ? { tool, invocation } : { tool, invocation, checked };
}

function invocationOf(
  { id, args, providerMetadata, originalId }: ToolCallBlock,
  spec: ToolSpec,
  policy: ToolPolicy,
  { modelCallId, validation }: CallOrigin,
): ToolInvocation {
  const invocation: Mutable<ToolInvocation> = {
    id,
    name: spec.name,
    args,
    spec,
    policy,
    modelCallId,
    validation,
    attempt: 1,
  };
  if (providerMetadata !== undefined) invocation.providerMetadata = providerMetadata;
  if (originalId !== undefined) invocation.originalId = originalId;
  return invocation;
}

/**
 * Checks arguments as the model gave them. Arguments that the runtime fills in are not there yet, so a schema that
 * requires them is checked when they are: see `inputOf`.
 */
function checkArgs(run: LiveRun, tool: AnyTool, args: JsonObject): Awaitable<Checked> {
  if (tool.check !== undefined && tool.spec.hiddenArgs.length === 0) return tool.check(args);
  return checkWithSchema(run.definition, tool.spec.inputSchema, args, tool.spec.name);
}

function hiddenIssues(tool: AnyTool, args: JsonObject): readonly ArgumentIssue[] {
  const { hiddenArgs } = tool.spec;
  return hiddenArgs.length === 0 ? NONE : givenAmong(hiddenArgs, args);
}

function givenAmong(hiddenArgs: readonly string[], args: JsonObject): readonly ArgumentIssue[] {
  return hiddenArgs.filter((arg) => Object.hasOwn(args, arg)).map((path) => ({ path, message: "must not be given" }));
}

const NONE: readonly ArgumentIssue[] = [];

/** @throws `tool_arguments_invalid` where the policy is `fail`; `limit_exceeded` when the correction budget is used. */
export function wrongArguments(
  run: LiveRun,
  call: { readonly id: string; readonly name: string },
  issues: readonly ArgumentIssue[],
): ToolMessage {
  const text = issueLines(issues);
  if (run.definition.policies.invalidArguments?.type === "fail") {
    throw new TinyAgentsError(
      "tool_arguments_invalid",
      `The arguments for the tool ${call.name} do not fit:\n${text}`,
      {
        details: { tool: call.name, issues },
        callId: call.id,
      },
    );
  }
  correction(run, "arguments");
  return toolMessage(
    call,
    `The arguments do not fit, so ${call.name} was not run:\n${text}\nCall it again with arguments that fit.`,
    "invalid",
  );
}
