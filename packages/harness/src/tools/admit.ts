import {
  type BatchCall,
  type ControlBy,
  canonicalJson,
  type PauseRequest,
  type ToolCallBlock,
  type ToolInvocation,
  type ToolMessage,
  toolMessage,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { type Approval, approve, approvedArgs } from "./approve.js";
import { isResult, type PreparedCall, prepare } from "./prepare.js";

/** Where a call stands before anything of its batch runs. */
export type Admission =
  /** It may run. */
  | { readonly type: "run"; readonly prepared: PreparedCall }
  /** It does not run: this is what the model is told. */
  | { readonly type: "result"; readonly result: ToolMessage; readonly control?: ControlBy }
  /** It waits for somebody's answer. */
  | { readonly type: "wait"; readonly request: PauseRequest }
  /** A hook wants something else of the run. */
  | { readonly type: "control"; readonly control: ControlBy };

/**
 * Takes one call through everything that comes before it runs: checks, `beforeTool` hooks, a second check when a hook
 * changed it, approval. A call that was approved in a pause is checked again, and its hooks are not.
 */
export function admit(run: LiveRun, block: ToolCallBlock, entry: BatchCall, modelCallId: string): Awaitable<Admission> {
  const prepared = prepare(run, asApproved(block, entry), modelCallId);
  const { beforeTool } = run.definition.hooks;
  if (prepared instanceof Promise || (beforeTool !== undefined && entry.approvedArgsJson === undefined))
    return admitSlowly(run, entry, prepared);
  if (isResult(prepared)) return { type: "result", result: prepared };
  return approved(run, prepared, entry);
}

/** What was approved is what runs, also where it is not what the model wrote. */
function asApproved(block: ToolCallBlock, { approvedArgsJson }: BatchCall): ToolCallBlock {
  return approvedArgsJson === undefined ? block : { ...block, args: approvedArgs(approvedArgsJson) };
}

async function admitSlowly(
  run: LiveRun,
  entry: BatchCall,
  preparing: Awaitable<PreparedCall | ToolMessage>,
): Promise<Admission> {
  const prepared = await preparing;
  if (isResult(prepared)) return { type: "result", result: prepared };
  const { beforeTool } = run.definition.hooks;
  if (beforeTool === undefined || entry.approvedArgsJson !== undefined) return approved(run, prepared, entry);
  const { value: call, control } = await beforeTool(prepared.invocation, run.scope);
  if (control !== undefined && control.type !== "retry") return { type: "control", control };
  if (call === prepared.invocation) return approved(run, prepared, entry);
  const again = await recheck(run, call);
  return isResult(again) ? { type: "result", result: again } : approved(run, again, entry);
}

/** Checks a call that somebody changed, under its id. */
function recheck(run: LiveRun, { id, name, args, modelCallId }: ToolInvocation): Awaitable<PreparedCall | ToolMessage> {
  return prepare(run, { type: "tool_call", id, name, args }, modelCallId);
}

function approved(run: LiveRun, prepared: PreparedCall, entry: BatchCall): Awaitable<Admission> {
  const approval = approve(run, prepared.invocation, entry.approvedArgsJson);
  return approval instanceof Promise
    ? approval.then((settled) => afterApproval(run, prepared, settled))
    : afterApproval(run, prepared, approval);
}

function afterApproval(run: LiveRun, prepared: PreparedCall, approval: Approval): Awaitable<Admission> {
  if (approval.type === "denied") return { type: "result", result: approval.result };
  if (approval.type === "ask") return { type: "wait", request: approval.request };
  if (approval.type === "not_needed") return { type: "run", prepared };
  const { argsJson, changed } = approval;
  if (!changed) return { type: "run", prepared: { ...prepared, approvedArgsJson: argsJson } };
  return editedCall(run, prepared.invocation, argsJson);
}

/** Arguments that the approver put in place of the model's are checked like the model's. */
async function editedCall(run: LiveRun, call: ToolInvocation, approvedArgsJson: string): Promise<Admission> {
  const again = await recheck(run, { ...call, args: approvedArgs(approvedArgsJson) });
  if (isResult(again)) return { type: "result", result: again };
  return { type: "run", prepared: { ...again, approvedArgsJson } };
}

/**
 * The last word before a tool runs: what wraps hand on must be what was admitted. A changed call is checked again. One
 * that was approved runs with the arguments that were approved: a copy of them, whatever became of the objects since.
 */
export async function atTheBoundary(
  run: LiveRun,
  admitted: PreparedCall,
  call: ToolInvocation,
): Promise<PreparedCall | ToolMessage> {
  const { invocation, approvedArgsJson } = admitted;
  const { id, modelCallId } = invocation;
  if (approvedArgsJson === undefined) {
    if (call.id === id && call.name === invocation.name && call.args === invocation.args) return admitted;
  } else if (call.name === invocation.name && canonicalJson(call.args) === approvedArgsJson) {
    return recheck(run, { ...invocation, args: approvedArgs(approvedArgsJson) });
  }
  const again = await recheck(run, { ...call, id, modelCallId });
  if (isResult(again) || again.invocation.policy.approval !== "always") return again;
  return toolMessage(
    { id, name: call.name },
    "The call was changed into one that nobody approved. It was not run.",
    "denied",
  );
}
