import { type FieldRule, type IdSource, optionRules, readKeyPrefix, type StoreKey } from "@tinyagents/core";

/** What options of this package are held against, besides those of core. */
export const rules: {
  readonly clock: FieldRule;
  readonly ids: FieldRule;
  /** The names before keys. */
  readonly keyPrefix: FieldRule;
  /** The start of names of streams. */
  readonly streamPrefix: FieldRule;
  readonly name: FieldRule;
  readonly secrets: FieldRule;
} = {
  clock: optionRules.clock,
  ids: ["an IdSource", (value) => typeof (value as IdSource | null)?.next === "function"],
  keyPrefix: ["a list of names that are not empty", isKeyPrefix],
  streamPrefix: ['a text that is not empty and does not end with "/"', isStreamPrefix],
  name: ["a text that is not empty", isName],
  secrets: ["a list of texts", (value) => Array.isArray(value) && value.every((text) => typeof text === "string")],
};

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isStreamPrefix(value: unknown): boolean {
  return isName(value) && !String(value).endsWith("/");
}

function isKeyPrefix(value: unknown): boolean {
  try {
    readKeyPrefix(value as StoreKey);
    return true;
  } catch {
    return false;
  }
}
