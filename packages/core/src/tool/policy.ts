import {
  AMOUNT,
  BOOLEAN,
  COUNT,
  checkOptions,
  type FieldRule,
  type FieldRules,
  listOf,
  oneOf,
  TEXT,
  WHOLE,
} from "../field-rules.js";
import type { RetryPolicy } from "../model/retry.js";
import { isThenable } from "../thenable.js";

/** What running a tool does to the world. Each is worse than the one before it. */
export type ToolEffect = "none" | "read" | "write" | "external" | "destructive";

/**
 * How a tool may be run, as data. A tool that says nothing of its effect is unclassified: its calls overlap with
 * others, are never taken to be idempotent, and strict runs refuse it.
 */
export interface ToolPolicy {
  /** Absent: the tool is unclassified. */
  readonly effect?: ToolEffect;
  /** Whether running it twice with the same arguments is the same as once. Default: when it changes nothing. */
  readonly idempotent?: boolean;
  /** Whether it may run beside other calls of its batch. Default: unless it is said to change something. */
  readonly concurrencySafe?: boolean;
  /** Whether somebody must agree before each call. Default `never`. */
  readonly approval?: "never" | "always";
  /** The longest that one attempt may take, ms. Default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Repeats of a failed call. Default: none. */
  readonly retry?: RetryPolicy;
  /** The longest result that the model is given, in characters. Default: the run's `maxResultChars`. */
  readonly maxResultChars?: number;
  /** Results of at least this many characters go to the artifact store, and the model gets a reference. */
  readonly artifactAboveChars?: number;
  /** The level of trust that the application asks for, in its own words. */
  readonly permission?: string;
}

/** Whether the tool says what it does. Strict runs refuse those that do not. */
export function isClassified(policy: ToolPolicy): boolean {
  return policy.effect !== undefined;
}

/** Whether calls of the tool may overlap with others. */
export function isConcurrencySafe(policy: ToolPolicy): boolean {
  return policy.concurrencySafe ?? (policy.effect === undefined || changesNothing(policy));
}

/** Whether a call that may have run can be run again without harm. */
export function isIdempotent(policy: ToolPolicy): boolean {
  return policy.idempotent ?? changesNothing(policy);
}

function changesNothing(policy: ToolPolicy): boolean {
  return policy.effect === "none" || policy.effect === "read";
}

/** Of a retry policy, wherever one stands. */
export const RETRY_RULES: { readonly [Field in keyof RetryPolicy]-?: FieldRule } = {
  maxAttempts: COUNT,
  initialDelayMs: AMOUNT,
  factor: AMOUNT,
  maxDelayMs: AMOUNT,
  maxRetryAfterMs: AMOUNT,
  jitter: oneOf("full", "none"),
  codes: listOf("codes", TEXT),
};

export const EFFECT: FieldRule = oneOf("none", "read", "write", "external", "destructive");

const RULES: { readonly [Field in keyof ToolPolicy]-?: FieldRule | FieldRules } = {
  approval: oneOf("never", "always"),
  effect: EFFECT,
  idempotent: BOOLEAN,
  concurrencySafe: BOOLEAN,
  timeoutMs: COUNT,
  retry: RETRY_RULES,
  maxResultChars: WHOLE,
  artifactAboveChars: WHOLE,
  permission: TEXT,
};

/**
 * The policy that is given, when it is one: what cannot be read must not pass for "needs no approval".
 * @throws TypeError that names the tool and the field.
 */
export function checkPolicy(policy: unknown, tool: string): ToolPolicy {
  const place = `tool "${tool}": policy`;
  if (isThenable(policy)) {
    // Nobody waits for it: what it fails with must not bring the process down.
    Promise.resolve(policy).catch(() => {});
    throw new TypeError(`${place}: it must be there at once, and a promise was given`);
  }
  checkOptions(policy, RULES, place);
  return policy as ToolPolicy;
}
