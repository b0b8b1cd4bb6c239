import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { checkFields, checkText, objectsOf, wrong } from "./wrong.js";

const FIELDS = (
  "type name description input_schema cache_control strict input_examples defer_loading allowed_callers " +
  "eager_input_streaming"
).split(" ");

/** The API's own tools have a type that ends in a date or a kind: `web_search_20250305`. */
const OWN = /^[a-z0-9_]+_(\d{8}|bm25|regex)(_\d{8})?$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CHOICES = ["auto", "any", "tool", "none"];

/**
 * What the API refuses in tools and in the choice between them.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
 */
export function* checkTools({ tools, tool_choice: choice }: JsonObject): Generator<Problem> {
  if (tools !== undefined && !Array.isArray(tools)) return yield wrong("tools", "Input should be a valid list");
  const names = new Set<JsonValue>();
  for (const [at, tool] of (tools ?? []).entries()) {
    const place = `tools.${at}`;
    if (!isJsonObject(tool)) {
      yield wrong(place, "Input should be a valid dictionary or object to extract fields from");
      continue;
    }
    yield* checkTool(tool, place);
    if (names.has(tool.name ?? null)) yield { param: place, message: "tools: Tool names must be unique.", code: null };
    names.add(tool.name ?? null);
  }
  yield* checkChoice(choice, objectsOf(tools));
}

function* checkTool(tool: JsonObject, place: string): Generator<Problem> {
  const { type, name, input_schema: schema } = tool;
  if (typeof type === "string" && type !== "custom") {
    if (!OWN.test(type)) yield wrong(place, `Input tag '${type}' found using 'type' does not match any of the tools`);
    return;
  }
  const where = `${place}.custom`;
  yield* checkFields(tool, FIELDS, where);
  yield* checkText(name, `${where}.name`, NAME);
  if (!isJsonObject(schema)) return yield wrong(`${where}.input_schema`, "Field required");
  if (schema.type !== "object") yield wrong(`${where}.input_schema.type`, "Input should be 'object'");
  if (["oneOf", "allOf", "anyOf"].some((keyword) => schema[keyword] !== undefined)) {
    yield wrong(`${where}.input_schema`, "input_schema does not support oneOf, allOf, or anyOf at the top level");
  }
}

function* checkChoice(choice: JsonValue | undefined, tools: readonly JsonObject[]): Generator<Problem> {
  if (choice === undefined) return;
  if (!isJsonObject(choice) || !CHOICES.includes(String(choice.type))) {
    return yield wrong("tool_choice.type", `Input should be ${CHOICES.map((one) => `'${one}'`).join(", ")}`);
  }
  if (choice.type === "none") return;
  if (tools.length === 0) return yield wrong("tool_choice", "tool_choice may only be specified while providing tools");
  yield* checkFields(choice, ["type", "name", "disable_parallel_tool_use"], "tool_choice");
  if (choice.type !== "tool" || tools.some(({ name }) => name === choice.name)) return;
  yield wrong("tool_choice.name", `Tool '${String(choice.name)}' not found in provided tools`);
}
