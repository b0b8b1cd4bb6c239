import type { JsonObject, JsonValue } from "../json.js";
import type { ToolEffect, ToolPolicy } from "../tool/policy.js";

/** What a paused run waits for. */
export type PauseRequest = ApprovalRequest | InterruptRequest;

interface RequestBase {
  /** Issued by the run; an answer names it. Works once. */
  readonly id: string;
  readonly runId: string;
  /** The tool call that asks, where one does. */
  readonly callId?: string;
  readonly tool?: string;
  /** In a parent's pause: the call under which the child runs that asks. */
  readonly viaCallId?: string;
}

/** May this call be run? */
export interface ApprovalRequest extends RequestBase {
  readonly type: "approval";
  readonly callId: string;
  readonly tool: string;
  /** What it would be called with. */
  readonly args: JsonObject;
  /** The canonical JSON of `args`: the approval holds for exactly these. */
  readonly argsJson: string;
}

/** A question of a tool or of middleware. */
export interface InterruptRequest extends RequestBase {
  readonly type: "interrupt";
  readonly payload: JsonValue;
  /** The middleware that asks, where one does. */
  readonly middleware?: string;
}

/** The answer to an approval request. `args` in place of the model's are checked again before they are used. */
export type ApprovalAnswer =
  | { readonly approve: true; readonly args?: JsonObject; readonly by?: string }
  | { readonly approve: false; readonly reason?: string; readonly by?: string };

/** Answers by the id of their request. */
export interface Answers {
  readonly [requestId: string]: JsonValue;
}

/** Which calls a person must agree to, besides those of tools that say so themselves. A call that any field names needs it. */
export interface ApprovalPolicy {
  /** Calls with one of these effects. */
  readonly effects?: readonly ToolEffect[];
  /** Calls of these tools. */
  readonly tools?: readonly string[];
  /** Calls that do not say what they do. */
  readonly unclassified?: boolean;
  /** Where no approver decides: `deny` tells the model no, `ask` pauses the run until somebody answers. Default `deny`. */
  readonly withoutApprover?: "deny" | "ask";
}

/** Whether somebody must agree to a call of a tool: its own policy says so, or the run's does. */
export function needsApproval(tool: string, policy: ToolPolicy, approval: ApprovalPolicy | undefined): boolean {
  if (policy.approval === "always") return true;
  if (approval === undefined) return false;
  const { effects, tools, unclassified } = approval;
  if (tools?.includes(tool) === true) return true;
  return policy.effect === undefined ? unclassified === true : effects?.includes(policy.effect) === true;
}

/** Decides on calls that need approval while the run goes on. */
export interface Approver {
  /** `ask`: pause the run and let whoever resumes it decide. */
  decide(request: ApprovalRequest, signal: AbortSignal): ApprovalAnswer | "ask" | PromiseLike<ApprovalAnswer | "ask">;
}

/** Leaves every decision to whoever resumes the run. */
export const askWhenResumed: Approver = { decide: () => "ask" };

/** Reads what somebody answered; nothing when it is no answer to an approval. */
export function readApprovalAnswer(answer: JsonValue): ApprovalAnswer | undefined {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
  const { approve, args, reason, by } = answer as JsonObject;
  if (typeof approve !== "boolean") return undefined;
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args))) return undefined;
  if (reason !== undefined && typeof reason !== "string") return undefined;
  if (by !== undefined && typeof by !== "string") return undefined;
  return answer as unknown as ApprovalAnswer;
}
