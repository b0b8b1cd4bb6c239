import {
  BOOLEAN,
  COUNT,
  checkOptions,
  type FieldCheck,
  type FieldRule,
  type FieldRules,
  listOf,
  oneOf,
  TEXT,
  WHOLE,
} from "../field-rules.js";
import { EFFECT, RETRY_RULES } from "../tool/policy.js";
import type { ApprovalPolicy } from "./approval.js";
import { type Limits, resolveLimits } from "./limits.js";
import type { NoProgressPolicy, RunPolicy, UnknownToolPolicy } from "./run-policy.js";

const NO_PROGRESS_RULES: { readonly [Field in keyof NoProgressPolicy]-?: FieldRule } = {
  hintAfter: COUNT,
  refuseAfter: COUNT,
  stopAfter: COUNT,
};

const APPROVAL_RULES: { readonly [Field in keyof ApprovalPolicy]-?: FieldRule } = {
  effects: listOf("effects", EFFECT),
  tools: listOf("names of tools", TEXT),
  unclassified: BOOLEAN,
  withoutApprover: oneOf("deny", "ask"),
};

const UNKNOWN_TOOL_RULES: { readonly [Type in UnknownToolPolicy["type"]]: FieldRules } = {
  return_error: { type: TEXT, message: TEXT },
  fail: { type: TEXT },
  rewrite: { type: TEXT, tool: TEXT },
};

const RULES: { readonly [Field in keyof RunPolicy]-?: FieldRule | FieldRules | FieldCheck } = {
  limits: (value, place) => void resolveLimits(value as Limits, place),
  retry: RETRY_RULES,
  fallback: { codes: listOf("codes", TEXT) },
  unknownTool: checkUnknownTool,
  invalidArguments: (value, place) =>
    checkOptions(withType(value, place), { type: oneOf("return_error", "fail") }, place),
  approval: APPROVAL_RULES,
  toolExecution: oneOf("parallel", "sequential"),
  noProgress: (value, place) => value === false || checkOptions(value, NO_PROGRESS_RULES, place),
  onLimit: oneOf("fail", "finalize"),
  strictTools: BOOLEAN,
  cancelGraceMs: WHOLE,
};

/**
 * The policy that is given, when it is one: a misspelt bound must not pass for none.
 * @throws TypeError that names the field and what is expected of it.
 */
export function checkRunPolicy(policy: unknown, place: string): RunPolicy {
  checkOptions(policy, RULES, place);
  return policy as RunPolicy;
}

function checkUnknownTool(value: unknown, place: string): void {
  const { type } = withType(value, place);
  const types = Object.keys(UNKNOWN_TOOL_RULES);
  const [expected, fits] = oneOf(...types);
  if (!fits(type)) throw new TypeError(`${place}.type: ${expected} is expected`);
  const rules = UNKNOWN_TOOL_RULES[type as UnknownToolPolicy["type"]];
  checkOptions(value, rules, place);
  const { tool } = value as { readonly tool?: unknown };
  if (type === "rewrite" && tool === undefined) throw new TypeError(`${place}.tool: a text is expected`);
}

function withType(value: unknown, place: string): { readonly type: unknown } {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  if (type === undefined) throw new TypeError(`${place}: an object with a type is expected`);
  return { ...(value as object), type };
}
