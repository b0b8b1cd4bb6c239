/** What one field of an option may hold: the words for it, and whether a value fits. */
export type FieldRule = readonly [expected: string, fits: (value: unknown) => boolean];

/** Looks at a field that needs more than a rule. @throws TypeError that names the place. */
export type FieldCheck = (value: unknown, place: string) => void;

/** For each field of an object a rule, rules of its own, or a check of its own. */
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

/** What options of stores and other adapters are often held against, see {@link checkOptions}. */
export const optionRules: {
  readonly boolean: FieldRule;
  readonly text: FieldRule;
  /** A whole number from 1 up. */
  readonly count: FieldRule;
  /** A finite number from 0 up. */
  readonly milliseconds: FieldRule;
  readonly call: FieldRule;
  readonly clock: FieldRule;
  /** A path that a system can have. */
  readonly path: FieldRule;
  readonly oneOf: typeof oneOf;
} = {
  boolean: BOOLEAN,
  text: TEXT,
  count: COUNT,
  milliseconds: ["a number of milliseconds from 0 up", (value) => Number.isFinite(value) && Number(value) >= 0],
  call: ["a function", (value) => typeof value === "function"],
  clock: ["a Clock", (value) => hasMethods(value, "now", "sleep", "setTimer")],
  path: ["a path", (value) => typeof value === "string" && value !== "" && !value.includes("\0")],
  oneOf,
};

/** Whether there are functions of these names. */
function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as { readonly [name: string]: unknown })[name] === "function");
}

/**
 * Holds an object against rules for its fields. A misspelt field would be one that nobody obeys, so names are checked as
 * well as values; a field may be absent, or undefined. `place` is how errors name the object: `sqliteBackend: options`.
 * @throws TypeError that names the place and what is expected there.
 */
export function checkOptions(value: unknown, rules: FieldRules, place: string): void {
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
    else if (!isRule(rule)) checkOptions(given, rule, `${place}.${field}`);
    else if (!rule[1](given)) throw new TypeError(`${place}.${field}: ${rule[0]} is expected`);
  }
}

function isRule(rule: FieldRule | FieldRules): rule is FieldRule {
  return Array.isArray(rule);
}
