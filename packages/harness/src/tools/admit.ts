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
import { isResult, type PreparedCall, prepare, prepareAgain } from "./prepare.js";

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
  const call = withApprovedArgs(block, entry);
  const origin = { modelCallId, validation: call === block ? "passed" : "passed_after_change" } as const;
  const prepared = prepare(run, call, origin);
  const { beforeTool } = run.definition.hooks;
  if (prepared instanceof Promise || (beforeTool !== undefined && entry.approvedArgsJson === undefined))
    return admitLater(run, entry, prepared);
  if (isResult(prepared)) return { type: "result", result: prepared };
  return askApproval(run, prepared, entry);
}

/** What was approved is what runs, also where it is not what the model wrote. */
function withApprovedArgs(block: ToolCallBlock, { approvedArgsJson }: BatchCall): ToolCallBlock {
  if (approvedArgsJson === undefined || canonicalJson(block.args) === approvedArgsJson) return block;
  return { ...block, args: approvedArgs(approvedArgsJson) };
}

async function admitLater(
  run: LiveRun,
  entry: BatchCall,
  preparing: Awaitable<PreparedCall | ToolMessage>,
): Promise<Admission> {
  const prepared = await preparing;
  if (isResult(prepared)) return { type: "result", result: prepared };
  const { beforeTool } = run.definition.hooks;
  if (beforeTool === undefined || entry.approvedArgsJson !== undefined) return askApproval(run, prepared, entry);
  const { value: call, control } = await beforeTool(prepared.invocation, run.scope);
  if (control !== undefined && control.type !== "retry") return { type: "control", control };
  if (call === prepared.invocation) return askApproval(run, prepared, entry);
  const again = await prepareAgain(run, prepared.invocation, call);
  return isResult(again) ? { type: "result", result: again } : askApproval(run, again, entry);
}

/** Asks for approval where the call needs it, and admits the call as it was approved. */
function askApproval(run: LiveRun, prepared: PreparedCall, entry: BatchCall): Awaitable<Admission> {
  const approval = approve(run, prepared.invocation, entry.approvedArgsJson);
  return approval instanceof Promise
    ? admissionOnceSettled(run, prepared, approval)
    : admissionAfter(run, prepared, approval);
}

async function admissionOnceSettled(
  run: LiveRun,
  prepared: PreparedCall,
  approving: Promise<Approval>,
): Promise<Admission> {
  return admissionAfter(run, prepared, await approving);
}

function admissionAfter(run: LiveRun, prepared: PreparedCall, approval: Approval): Awaitable<Admission> {
  if (approval.type === "denied") return { type: "result", result: approval.result };
  if (approval.type === "ask") return { type: "wait", request: approval.request };
  if (approval.type === "not_needed") return { type: "run", prepared };
  const { argsJson, changed } = approval;
  if (!changed) return { type: "run", prepared: { ...prepared, approvedArgsJson: argsJson } };
  return admitEdited(run, prepared.invocation, argsJson);
}

/** Arguments that the approver put in place of the model's are checked like the model's. */
async function admitEdited(run: LiveRun, call: ToolInvocation, approvedArgsJson: string): Promise<Admission> {
  const again = await prepareAgain(run, call, { name: call.name, args: approvedArgs(approvedArgsJson) });
  if (isResult(again)) return { type: "result", result: again };
  return { type: "run", prepared: { ...again, approvedArgsJson } };
}

/**
 * Admits the call that wraps hand on, the last word before a tool runs: it must be what was admitted. A changed call is checked again. One
 * that was approved runs with the arguments that were approved: a copy of them, whatever became of the objects since.
 */
export async function admitHandedOn(
  run: LiveRun,
  admitted: PreparedCall,
  call: ToolInvocation,
): Promise<PreparedCall | ToolMessage> {
  const { invocation, approvedArgsJson } = admitted;
  const { name, args } = call;
  if (approvedArgsJson === undefined) {
    if (name === invocation.name && args === invocation.args) return admitted;
  } else if (name === invocation.name && canonicalJson(args) === approvedArgsJson) {
    return prepareAgain(run, invocation, { name, args: approvedArgs(approvedArgsJson) }, invocation.validation);
  }
  const again = await prepareAgain(run, invocation, { name, args });
  if (isResult(again) || again.invocation.policy.approval !== "always") return again;
  return toolMessage(
    { id: invocation.id, name },
    "The call was changed into one that nobody approved. It was not run.",
    "denied",
  );
}
