/** What one field of an option may hold: the words for it, and whether a value fits. */
export type FieldRule = readonly [expected: string, fits: (value: unknown) => boolean];

/** Looks at a field that needs more than a rule. @throws TypeError that names the place. */
export type FieldCheck = (value: unknown, place: string) => void;

/** For each field of an object a rule, rules of its own, or a check. */
export interface FieldRules {
  readonly [field: string]: FieldRule | FieldRules | FieldCheck;
}

export const BOOLEAN: FieldRule = ["a boolean", (value) => typeof value === "boolean"];
export const TEXT: FieldRule = ["a text", (value) => typeof value === "string"];
export const WHOLE: FieldRule = ["a whole number from 0 up", (value) => Number.isInteger(value) && Number(value) >= 0];
export const COUNT: FieldRule = ["a whole number from 1 up", (value) => Number.isInteger(value) && Number(value) > 0];
export const AMOUNT: FieldRule = ["a number from 0 up", (value) => typeof value === "number" && value >= 0];

/** One of some words. */
export function oneOf(...values: readonly string[]): FieldRule {
  return [values.map((value) => `"${value}"`).join(" or "), (value) => values.includes(value as string)];
}

/** A list of things of a kind. */
export function listOf(what: string, [, fits]: FieldRule): FieldRule {
  return [`a list of ${what}`, (value) => Array.isArray(value) && value.every(fits)];
}

/**
 * Holds an object against rules for its fields. A misspelt field would be one that nobody obeys, so names are checked as
 * well as values; a field may be absent, or undefined.
 * @throws TypeError that names the place and what is expected there.
 */
export function checkFields(value: unknown, rules: FieldRules, place: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`${place}: an object is expected`);
  }
  for (const field of Object.keys(value)) {
    if (Object.hasOwn(rules, field)) continue;
    throw new TypeError(`${place}.${field}: there is no such field; there are: ${Object.keys(rules).join(", ")}`);
  }
  // Read by the names of the rules: what an object inherits counts as well.
  for (const [field, rule] of Object.entries(rules)) {
    const given = (value as { readonly [field: string]: unknown })[field];
    if (given === undefined) continue;
    if (typeof rule === "function") rule(given, `${place}.${field}`);
    else if (!isRule(rule)) checkFields(given, rule, `${place}.${field}`);
    else if (!rule[1](given)) throw new TypeError(`${place}.${field}: ${rule[0]} is expected`);
  }
}

function isRule(rule: FieldRule | FieldRules): rule is FieldRule {
  return Array.isArray(rule);
}
