import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { ChatQuirks } from "./quirks.js";

/**
 * The fields of a message, with the lists that go back to the server put together: streamed, they come as fragments,
 * each with the `index` of what it is a part of. Texts of a part are joined, of anything else the last word counts.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function mergedFields(
  fields: JsonObject | undefined,
  { returnedFields = [] }: ChatQuirks,
): JsonObject | undefined {
  if (fields === undefined || !returnedFields.some((field) => Array.isArray(fields[field]))) return fields;
  const merged = Object.entries(fields).map(([field, value]) =>
    returnedFields.includes(field) && Array.isArray(value) ? [field, mergeFragments(value)] : [field, value],
  );
  return Object.fromEntries(merged) as JsonObject;
}

/** What grows from fragment to fragment. */
const GROWING: ReadonlySet<string> = new Set(["text", "summary", "data"]);

function mergeFragments(list: readonly JsonValue[]): readonly JsonValue[] {
  const merged: JsonValue[] = [];
  for (const fragment of list) {
    const last = merged.at(-1);
    if (isJsonObject(last) && isJsonObject(fragment) && goesOn(last, fragment)) {
      merged[merged.length - 1] = joined(last, fragment);
    } else merged.push(fragment);
  }
  return merged;
}

function goesOn(last: JsonObject, fragment: JsonObject): boolean {
  return typeof fragment.index === "number" && fragment.index === last.index && fragment.type === last.type;
}

function joined(one: JsonObject, other: JsonObject): JsonObject {
  const result: { [key: string]: JsonValue } = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = result[key];
    if (GROWING.has(key) && typeof before === "string" && typeof value === "string") result[key] = before + value;
    else if (value !== null) result[key] = value;
  }
  return result;
}
