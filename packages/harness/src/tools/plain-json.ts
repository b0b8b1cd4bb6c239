import { isTinyAgentsError, type JsonValue, messageOf, parseJson, TinyAgentsError } from "@tinyagents/core";

/**
 * A copy that is nothing but JSON: what the tool does with its object later changes no history and no event. `how` the
 * tool gave it stands in the error.
 * @throws `tool_failed` for what has no JSON form.
 */
export function plainJson(
  tool: string,
  callId: string,
  value: unknown,
  how: "returned" | "reported" = "returned",
): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
  let text: string | undefined;
  try {
    text = typeof value === "number" ? undefined : JSON.stringify(value);
  } catch (error) {
    throw notJson(tool, callId, how, messageOf(error));
  }
  if (text === undefined || (text === "{}" && isNoRecord(value))) {
    throw notJson(tool, callId, how, `${kindOf(value)} has no JSON form`);
  }
  try {
    return parseJson(text, { place: "the value", maxChars: Number.POSITIVE_INFINITY, maxDepth: DEEPEST });
  } catch (error) {
    throw notJson(
      tool,
      callId,
      how,
      isTinyAgentsError(error, "corrupt_data") ? error.details.reason : messageOf(error),
    );
  }
}

/** The deepest that a value may be nested, so that a state that holds it can still be read. */
const DEEPEST = 200;

/** Maps, sets, errors, streams: their JSON is an empty object, and what they held would be lost without a word. */
function isNoRecord(value: unknown): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null)
    return typeof value === "number" ? String(value) : `a ${typeof value}`;
  const { name } = (value as { readonly constructor?: { readonly name?: unknown } }).constructor ?? {};
  return typeof name === "string" && name !== "" ? `a value of the kind ${name}` : "this value";
}

function notJson(tool: string, callId: string, how: string, reason: string): TinyAgentsError<"tool_failed"> {
  return new TinyAgentsError("tool_failed", `The tool ${tool} ${how} something that is not JSON: ${reason}`, {
    details: { tool, callId },
  });
}
