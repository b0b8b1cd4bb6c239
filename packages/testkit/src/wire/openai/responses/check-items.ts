import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../../problem.js";
import { invalid, NAME } from "../invalid.js";
import { checkContent, checkOutput } from "./check-content.js";
import { checkFields, missing, unsupportedValue } from "./wrong.js";

const ROLES = ["user", "assistant", "system", "developer"];
const LONGEST_ID = 64;

/** What ids of items begin with, where the API looks at that. */
const PREFIXES: { readonly [type: string]: string } = { message: "msg", function_call: "fc", reasoning: "rs" };

const FIELDS: { readonly [type: string]: readonly string[] } = {
  message: ["type", "role", "content", "id", "status", "phase"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status", "namespace", "caller"],
  function_call_output: ["type", "id", "call_id", "output", "status", "caller"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
  item_reference: ["type", "id"],
};

/** Items of tools that the API runs itself, and others that are sent back as they came. */
const OWN = (
  "file_search_call web_search_call code_interpreter_call image_generation_call computer_call computer_call_output " +
  "local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output " +
  "mcp_list_tools mcp_approval_request mcp_approval_response mcp_call custom_tool_call custom_tool_call_output " +
  "tool_search_call tool_search_output additional_tools compaction compaction_trigger program program_output"
).split(" ");

/** The type of an item: one with a role is a message, one with nothing but an id names another. */
export function typeOf({ type, role }: JsonObject): string {
  if (typeof type === "string") return type;
  return role === undefined ? "item_reference" : "message";
}

/**
 * What the API refuses in the items of an input, each by itself.
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export function* checkItems(input: JsonValue | undefined): Generator<Problem> {
  if (input === undefined || typeof input === "string") return;
  if (!Array.isArray(input)) return yield invalid("input", "expected a string or an array of items");
  for (const [at, item] of input.entries()) {
    const place = `input[${at}]`;
    if (!isJsonObject(item)) yield invalid(place, "expected an object");
    else yield* checkItem(item, place);
  }
}

function* checkItem(item: JsonObject, place: string): Generator<Problem> {
  const type = typeOf(item);
  if (OWN.includes(type)) return;
  const fields = FIELDS[type];
  if (fields === undefined) return yield unsupportedValue(place, type, [...Object.keys(FIELDS), ...OWN]);
  yield* checkFields(item, fields, place);
  yield* checkId(item, type, place);
  switch (type) {
    case "message":
      return yield* checkMessage(item, place);
    case "function_call":
      return yield* checkCall(item, place);
    case "function_call_output":
      yield* checkCallId(item, place);
      return yield* checkOutput(item.output, place);
    case "reasoning":
      if (typeof item.id !== "string") yield missing(`${place}.id`);
      if (!Array.isArray(item.summary)) yield missing(`${place}.summary`);
  }
}

function* checkId({ id }: JsonObject, type: string, place: string): Generator<Problem> {
  if (id === undefined || id === null) return;
  const prefix = PREFIXES[type] ?? "";
  if (typeof id !== "string" || !id.startsWith(prefix)) {
    const message = `Invalid '${place}.id': '${String(id)}'. Expected an ID that begins with '${prefix}'.`;
    yield { param: `${place}.id`, message, code: "invalid_value" };
  } else if (id.length > LONGEST_ID) yield tooLong(`${place}.id`, id);
}

function* checkMessage(item: JsonObject, place: string): Generator<Problem> {
  const { role, content } = item;
  if (typeof role !== "string" || !ROLES.includes(role)) {
    return yield unsupportedValue(`${place}.role`, String(role), ROLES);
  }
  yield* checkContent(content, role, place);
}

function* checkCall(item: JsonObject, place: string): Generator<Problem> {
  yield* checkCallId(item, place);
  const { name, arguments: args } = item;
  if (typeof name !== "string" || !NAME.test(name)) {
    const message = `Invalid '${place}.name': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
    yield { param: `${place}.name`, message, code: "invalid_value" };
  }
  if (typeof args !== "string") {
    const message = `Invalid type for '${place}.arguments': expected a string, but got ${args === undefined ? "nothing" : "an object"} instead.`;
    yield { param: `${place}.arguments`, message, code: "invalid_type" };
  }
}

function* checkCallId({ call_id: id }: JsonObject, place: string): Generator<Problem> {
  if (typeof id !== "string" || id === "") yield missing(`${place}.call_id`);
  else if (id.length > LONGEST_ID) yield tooLong(`${place}.call_id`, id);
}

function tooLong(param: string, text: string): Problem {
  const expected = `Expected a string with maximum length ${LONGEST_ID}, but got a string with length ${text.length} instead.`;
  return { param, message: `Invalid '${param}': string too long. ${expected}`, code: "string_above_max_length" };
}
