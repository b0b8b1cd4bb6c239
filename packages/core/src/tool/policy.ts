import { isJsonObject } from "../json.js";
import type { RetryPolicy } from "../model/retry.js";

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

type Rule = readonly [expected: string, fits: (value: unknown) => boolean];

const BOOLEAN: Rule = ["a boolean", (value) => typeof value === "boolean"];
const SIZE: Rule = ["a whole number from 0 up", (value) => Number.isInteger(value) && (value as number) >= 0];
const COUNT: Rule = ["a whole number from 1 up", (value) => Number.isInteger(value) && (value as number) > 0];
const DELAY: Rule = ["a number from 0 up", (value) => typeof value === "number" && value >= 0];

function oneOf(...values: readonly string[]): Rule {
  return [values.map((value) => `"${value}"`).join(" or "), (value) => values.includes(value as string)];
}

const RULES: { readonly [Field in Exclude<keyof ToolPolicy, "retry">]-?: Rule } = {
  approval: oneOf("never", "always"),
  effect: oneOf("none", "read", "write", "external", "destructive"),
  idempotent: BOOLEAN,
  concurrencySafe: BOOLEAN,
  timeoutMs: COUNT,
  maxResultChars: SIZE,
  artifactAboveChars: SIZE,
  permission: ["a text", (value) => typeof value === "string"],
};

const RETRY_RULES: { readonly [Field in keyof RetryPolicy]-?: Rule } = {
  maxAttempts: COUNT,
  initialDelayMs: DELAY,
  factor: DELAY,
  maxDelayMs: DELAY,
  maxRetryAfterMs: DELAY,
  jitter: oneOf("full", "none"),
  codes: ["a list of codes", (value) => Array.isArray(value) && value.every((code) => typeof code === "string")],
};

/**
 * The policy that is given, when it is one: what cannot be read must not pass for "needs no approval".
 * @throws TypeError that names the tool and the field.
 */
export function checkPolicy(policy: unknown, tool: string): ToolPolicy {
  const place = `tool "${tool}": policy`;
  if (typeof (policy as { readonly then?: unknown } | null)?.then === "function") {
    // Nobody waits for it: what it fails with must not bring the process down.
    Promise.resolve(policy).catch(() => {});
    throw new TypeError(`${place}: it must be there at once, and a promise was given`);
  }
  if (!isJsonObject(policy)) throw new TypeError(`${place}: an object is expected`);
  checkFields(policy, RULES, place);
  if (policy.retry !== undefined) {
    if (!isJsonObject(policy.retry)) throw new TypeError(`${place}.retry: an object is expected`);
    checkFields(policy.retry, RETRY_RULES, `${place}.retry`);
  }
  return policy as ToolPolicy;
}

/** A misspelt rule would be one that nobody obeys, so names are checked as well as values. */
function checkFields(values: object, rules: { readonly [field: string]: Rule }, place: string): void {
  for (const field of Object.keys(values)) {
    const known = Object.hasOwn(rules, field) || (rules === RULES && field === "retry");
    if (!known) throw new TypeError(`${place}.${field}: there is no such field`);
  }
  for (const [field, [expected, fits]] of Object.entries(rules)) {
    const value = (values as { readonly [field: string]: unknown })[field];
    if (value !== undefined && !fits(value)) throw new TypeError(`${place}.${field}: ${expected} is expected`);
  }
}
