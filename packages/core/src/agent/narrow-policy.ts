import { type ErrorCode, retryableByDefault } from "../errors.js";
import { RETRY_DEFAULTS, type RetryPolicy } from "../model/retry.js";
import type { ApprovalPolicy } from "./approval.js";
import { CANCEL_GRACE_MS, noProgressThresholds, type RunPolicy, type UnknownToolPolicy } from "./run-policy.js";

/**
 * The policy of a run below another: its own, never looser than its parent's, and its parent's where it says nothing. Of
 * two numbers the tighter holds, also when the parent's is its default; of two ways to go on the stricter, when the parent
 * says one. Limits are not in it: they are what is left of the parent's, see {@link narrowLimits}.
 */
export function narrowPolicy(own: RunPolicy, parent: RunPolicy): RunPolicy {
  return {
    retry: narrowRetry(own.retry, parent.retry),
    fallback: own.fallback === undefined ? parent.fallback : narrowCodes(own.fallback, parent.fallback ?? {}),
    unknownTool: narrowUnknownTool(own.unknownTool, parent.unknownTool),
    invalidArguments: parent.invalidArguments?.type === "fail" ? parent.invalidArguments : own.invalidArguments,
    approval: narrowApproval(own.approval, parent.approval),
    toolExecution: parent.toolExecution === "sequential" ? "sequential" : own.toolExecution,
    noProgress: narrowNoProgress(own.noProgress, parent.noProgress),
    onLimit: parent.onLimit === "fail" ? "fail" : (own.onLimit ?? parent.onLimit),
    strictTools: own.strictTools === true || parent.strictTools === true,
    cancelGraceMs: Math.min(own.cancelGraceMs ?? CANCEL_GRACE_MS, parent.cancelGraceMs ?? CANCEL_GRACE_MS),
  };
}

/** Fewer attempts, fewer codes, and waits that are not shorter. */
function narrowRetry(own: RetryPolicy | undefined, parent: RetryPolicy = {}): RetryPolicy {
  if (own === undefined) return parent;
  const both = (name: Exclude<keyof RetryPolicy, "codes" | "jitter">): [number, number] => [
    own[name] ?? RETRY_DEFAULTS[name],
    parent[name] ?? RETRY_DEFAULTS[name],
  ];
  return {
    ...narrowCodes(own, parent),
    maxAttempts: Math.min(...both("maxAttempts")),
    initialDelayMs: Math.max(...both("initialDelayMs")),
    factor: Math.max(...both("factor")),
    maxDelayMs: Math.max(...both("maxDelayMs")),
    maxRetryAfterMs: Math.max(...both("maxRetryAfterMs")),
  };
}

/** Only codes that the parent's policy has, or would have where it names none. */
function narrowCodes<P extends { readonly codes?: readonly ErrorCode[] }>(own: P, parent: P): P {
  const { codes } = own;
  if (codes === undefined) return parent.codes === undefined ? own : { ...own, codes: parent.codes };
  return { ...own, codes: codes.filter((code) => parent.codes?.includes(code) ?? retryableByDefault(code)) };
}

/** A parent's `rewrite` names a tool of the parent's: it bounds nothing, and nobody else can follow it. */
function narrowUnknownTool(
  own: UnknownToolPolicy | undefined,
  parent: UnknownToolPolicy | undefined,
): UnknownToolPolicy | undefined {
  if (parent?.type === "fail") return parent;
  return parent?.type === "return_error" && own?.type === "rewrite" ? { type: "return_error" } : own;
}

/** Whatever needs approval in one of them needs it. */
function narrowApproval(
  own: ApprovalPolicy | undefined,
  parent: ApprovalPolicy | undefined,
): ApprovalPolicy | undefined {
  if (own === undefined || parent === undefined) return own ?? parent;
  const denies = own.withoutApprover === "deny" || parent.withoutApprover === "deny";
  return {
    effects: [...(own.effects ?? []), ...(parent.effects ?? [])],
    tools: [...(own.tools ?? []), ...(parent.tools ?? [])],
    unclassified: own.unclassified === true || parent.unclassified === true,
    withoutApprover: denies ? "deny" : (own.withoutApprover ?? parent.withoutApprover ?? "deny"),
  };
}

function narrowNoProgress(own: RunPolicy["noProgress"], parent: RunPolicy["noProgress"]): RunPolicy["noProgress"] {
  if (own === undefined || parent === false) return own ?? parent;
  const [mine, theirs] = [noProgressThresholds(own || {}), noProgressThresholds(parent ?? {})];
  if (own === false) return theirs;
  return {
    hintAfter: Math.min(mine.hintAfter, theirs.hintAfter),
    refuseAfter: Math.min(mine.refuseAfter, theirs.refuseAfter),
    stopAfter: Math.min(mine.stopAfter, theirs.stopAfter),
  };
}
