import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../../problem.js";
import { checkStrictSchema } from "../check-schema.js";
import { invalid, NAME } from "../invalid.js";
import { checkItems } from "./check-items.js";
import { checkOrder } from "./check-order.js";
import type { Memory } from "./memory.js";
import { checkFields, missing, unknownParameter, unsupportedValue } from "./wrong.js";

/** What the API takes at the top of a request, by the parameters of the official SDK. */
const PARAMS = (
  "background context_management conversation include input instructions max_output_tokens metadata model moderation " +
  "parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention " +
  "reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools " +
  "top_logprobs top_p truncation user"
).split(" ");

/** Parameters of Chat Completions, and where they have gone. */
const MOVED: { readonly [param: string]: string } = {
  messages: "input",
  response_format: "text.format",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  reasoning_effort: "reasoning.effort",
  verbosity: "text.verbosity",
};

const INCLUDES = (
  "file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url " +
  "computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content " +
  "message.output_text.logprobs"
).split(" ");

/**
 * What the Responses API would refuse a request for, the first reason first.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function* checkResponses(body: JsonObject, known: Memory, extraParams: readonly string[]): Generator<Problem> {
  if (typeof body.model !== "string" || body.model === "") yield missing("model");
  yield* checkParams(body, extraParams);
  yield* checkPrevious(body, known);
  yield* checkItems(body.input);
  yield* checkOrder(body, known);
  yield* checkTools(body.tools);
  yield* checkChoice(body.tool_choice, body.tools);
  yield* checkText(body.text, body.input);
  yield* checkReasoning(body.reasoning);
  yield* checkSettings(body);
}

function* checkParams(body: JsonObject, extraParams: readonly string[]): Generator<Problem> {
  for (const param of Object.keys(body)) {
    const place = MOVED[param];
    if (place !== undefined) {
      const message = `Unsupported parameter: '${param}'. In the Responses API, this parameter has moved to '${place}'.`;
      yield { param, message, code: "unsupported_parameter" };
    } else if (!PARAMS.includes(param) && !extraParams.includes(param)) yield unknownParameter(param);
  }
}

function* checkPrevious(body: JsonObject, known: Memory): Generator<Problem> {
  const { input, previous_response_id: previous, conversation, prompt } = body;
  if ([input, previous, conversation, prompt].every((one) => one === undefined || one === null)) {
    const message = "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided.";
    yield { param: "input", message, code: "missing_required_parameter" };
  }
  if (previous === undefined || previous === null) return;
  if (conversation !== undefined) {
    yield invalid("previous_response_id", "it cannot be used in conjunction with 'conversation'");
  } else if (known.conversation(String(previous)) === undefined) {
    const message = `Previous response with id '${String(previous)}' not found.`;
    yield { param: "previous_response_id", message, code: "previous_response_not_found" };
  }
}

/** The API's own tools say no more than their type here. */
const OWN_TOOL =
  /^(web_search|web_search_preview|file_search|code_interpreter|image_generation|computer|computer_use_preview|mcp|local_shell|shell|apply_patch|custom|tool_search|namespace)(_\d{4}_\d{2}_\d{2})?$/;

const TOOL_FIELDS = [
  "type",
  "name",
  "description",
  "parameters",
  "strict",
  "defer_loading",
  "allowed_callers",
  "output_schema",
];

function* checkTools(tools: JsonValue | undefined): Generator<Problem> {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) return yield invalid("tools", "expected an array of objects");
  const names = new Set<JsonValue>();
  for (const [at, tool] of tools.entries()) {
    const place = `tools[${at}]`;
    if (!isJsonObject(tool)) yield invalid(place, "expected an object");
    else if (tool.type === "function") {
      yield* checkFunction(tool, place);
      if (names.has(tool.name ?? null)) yield invalid(`${place}.name`, "two tools have the same name");
      names.add(tool.name ?? null);
    } else if (!OWN_TOOL.test(String(tool.type))) {
      yield unsupportedValue(`${place}.type`, String(tool.type), ["function", "custom", "web_search", "mcp", "..."]);
    }
  }
}

function* checkFunction(tool: JsonObject, place: string): Generator<Problem> {
  yield* checkFields(tool, TOOL_FIELDS, place);
  const { name, parameters, strict } = tool;
  if (name === undefined) yield missing(`${place}.name`);
  else if (typeof name !== "string" || !NAME.test(name)) {
    yield invalid(`${place}.name`, `expected a string that matches ${NAME.source}`);
  }
  if (parameters === undefined || parameters === null) return;
  if (!isJsonObject(parameters) || parameters.type !== "object") {
    yield invalid(`${place}.parameters`, `schema must be a JSON Schema of 'type: "object"'`);
  } else if (strict === true) yield* checkStrictSchema(parameters, `${place}.parameters`);
}

function* checkChoice(choice: JsonValue | undefined, tools: JsonValue | undefined): Generator<Problem> {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  const offered = (Array.isArray(tools) ? tools : []).filter(isJsonObject);
  if (choice === "required" || (isJsonObject(choice) && choice.type !== "function")) {
    if (offered.length === 0) yield invalid("tool_choice", "it needs 'tools' to choose from");
    return;
  }
  if (!isJsonObject(choice)) return yield unsupportedValue("tool_choice", String(choice), ["none", "auto", "required"]);
  if (typeof choice.name !== "string") return yield missing("tool_choice.name");
  if (!offered.some(({ name }) => name === choice.name)) {
    yield invalid("tool_choice", `tool choice '${choice.name}' not found in 'tools'`);
  }
}

function* checkText(text: JsonValue | undefined, input: JsonValue | undefined): Generator<Problem> {
  if (text === undefined) return;
  if (!isJsonObject(text)) return yield invalid("text", "expected an object");
  yield* checkFields(text, ["format", "verbosity"], "text");
  const { format } = text;
  if (!isJsonObject(format) || format.type === "text") return;
  if (format.type === "json_object") {
    if (/json/i.test(JSON.stringify(input ?? ""))) return;
    const message =
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
    return yield { param: "input", message, code: null };
  }
  if (format.type !== "json_schema") {
    return yield unsupportedValue("text.format.type", String(format.type), ["text", "json_object", "json_schema"]);
  }
  yield* checkFields(format, ["type", "name", "description", "schema", "strict"], "text.format");
  if (typeof format.name !== "string" || !NAME.test(format.name)) yield missing("text.format.name");
  if (!isJsonObject(format.schema)) yield missing("text.format.schema");
  else if (format.strict === true) yield* checkStrictSchema(format.schema, "text.format.schema");
}

function* checkReasoning(reasoning: JsonValue | undefined): Generator<Problem> {
  if (reasoning === undefined || reasoning === null) return;
  if (!isJsonObject(reasoning)) return yield invalid("reasoning", "expected an object");
  const { effort, summary } = reasoning;
  const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
  if (typeof effort === "string" && !efforts.includes(effort))
    yield unsupportedValue("reasoning.effort", effort, efforts);
  const summaries = ["auto", "concise", "detailed"];
  if (typeof summary === "string" && !summaries.includes(summary)) {
    yield unsupportedValue("reasoning.summary", summary, summaries);
  }
}

const FEWEST_TOKENS = 16;

function* checkSettings(body: JsonObject): Generator<Problem> {
  const { include, max_output_tokens: longest, stream, stream_options: options } = body;
  for (const [at, one] of (Array.isArray(include) ? include : []).entries()) {
    if (!INCLUDES.includes(String(one))) yield unsupportedValue(`include[${at}]`, String(one), INCLUDES);
  }
  if (typeof longest === "number" && longest < FEWEST_TOKENS) {
    const expected = `Expected a value >= ${FEWEST_TOKENS}, but got ${longest} instead.`;
    const message = `Invalid 'max_output_tokens': integer below minimum value. ${expected}`;
    yield { param: "max_output_tokens", message, code: "integer_below_min_value" };
  }
  if (isJsonObject(options)) {
    if (stream !== true) {
      const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
      yield { param: "stream_options", message, code: null };
    }
    yield* checkFields(options, ["include_obfuscation"], "stream_options");
  }
  for (const [param, highest] of [
    ["temperature", 2],
    ["top_p", 1],
  ] as const) {
    const value = body[param];
    if (typeof value === "number" && (value < 0 || value > highest)) {
      yield invalid(param, `expected a number from 0 to ${highest}`);
    }
  }
}
