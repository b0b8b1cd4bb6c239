import { checkJson, isJsonObject, type JsonObject, type JsonValue, type ModelWarning } from "@tinyagents/core";

/**
 * An item as it may be kept: the same, or, where something in it could reach an object's prototype or is nested too
 * deeply to be stored, a copy without that. `warnings` says so.
 */
export function safeItem(item: JsonObject, warnings: ModelWarning[]): JsonObject {
  const fault = faultOf(item);
  if (fault === undefined) return item;
  warnings.push({ code: "malformed_data", message: `Fields of an item of the answer were left out. ${fault}` });
  return safeFields(item);
}

function safeFields(item: JsonObject): JsonObject {
  const entries = Object.entries(item).map(([key, value]): [string, JsonValue] => [key, safeList(value)]);
  return Object.fromEntries(entries.filter(([key, value]) => faultOf({ [key]: value }) === undefined));
}

/** What an item says is in lists of objects: one bad field there leaves the others. */
function safeList(value: JsonValue): JsonValue {
  if (!Array.isArray(value) || faultOf(value) === undefined) return value;
  return value.map((entry: JsonValue) => (isJsonObject(entry) ? soundFields(entry) : null));
}

function soundFields(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key, value]) => faultOf({ [key]: value }) === undefined));
}

function faultOf(value: JsonValue): string | undefined {
  try {
    checkJson(value, "an item of the answer");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "It cannot be read.";
  }
}
