import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { checkMessages } from "./check-messages.js";
import { checkStrictSchema } from "./check-schema.js";
import { invalid, NAME } from "./invalid.js";

/** What the API takes at the top of a request, by the parameters of the official SDK. */
const PARAMS = new Set(
  (
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens " +
    "metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key " +
    "prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier " +
    "stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options"
  ).split(" "),
);

/**
 * What the API would refuse a request for, the first reason first.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function* checkChat(body: JsonObject, extraParams: readonly string[]): Generator<Problem> {
  if (typeof body.model !== "string" || body.model === "") {
    yield { param: "model", message: "you must provide a model parameter", code: null };
  }
  yield* checkMessages(body.messages);
  for (const param of Object.keys(body)) {
    if (PARAMS.has(param) || extraParams.includes(param)) continue;
    yield { param, message: `Unrecognized request argument supplied: ${param}`, code: null };
  }
  yield* checkTools(body.tools);
  yield* checkToolChoice(body);
  yield* checkFormat(body.response_format, body.messages);
  yield* checkSettings(body);
}

function* checkTools(tools: JsonValue | undefined): Generator<Problem> {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) return yield invalid("tools", "expected an array");
  if (tools.length === 0) return yield { param: "tools", message: "[] is too short - 'tools'", code: null };
  if (tools.length > 128) yield invalid("tools", "array too long, expected at most 128 items");
  const names = new Set<JsonValue>();
  for (const [at, tool] of tools.entries()) {
    const place = `tools[${at}]`;
    if (!isJsonObject(tool) || tool.type !== "function" || !isJsonObject(tool.function)) {
      yield invalid(place, "expected an object of type 'function' with 'function'");
      continue;
    }
    yield* checkFunction(tool.function, `${place}.function`);
    const { name = null } = tool.function;
    if (names.has(name)) yield invalid(`${place}.function.name`, "two tools have the same name");
    names.add(name);
  }
}

function* checkFunction(declared: JsonObject, place: string): Generator<Problem> {
  const { name, parameters, strict } = declared;
  if (typeof name !== "string" || !NAME.test(name)) {
    yield invalid(`${place}.name`, `expected a string that matches ${NAME.source}`);
  }
  if (parameters === undefined) return;
  if (!isJsonObject(parameters) || parameters.type !== "object") {
    yield invalid(`${place}.parameters`, `schema must be a JSON Schema of 'type: "object"'`);
  } else if (strict === true) yield* checkStrictSchema(parameters, `${place}.parameters`);
}

function* checkToolChoice({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: JsonObject): Generator<Problem> {
  for (const [param, value] of Object.entries({ tool_choice: choice, parallel_tool_calls: parallel })) {
    if (value !== undefined && tools === undefined) {
      yield { param, message: `'${param}' is only allowed when 'tools' are specified.`, code: null };
    }
  }
  if (choice === undefined || choice === "auto" || choice === "none" || choice === "required") return;
  const named = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined;
  if (named === undefined) return yield invalid("tool_choice", "expected 'auto', 'none', 'required' or a named tool");
  const offered = (Array.isArray(tools) ? tools : []).some(
    (tool: JsonValue) => isJsonObject(tool) && isJsonObject(tool.function) && tool.function.name === named,
  );
  if (!offered) yield invalid("tool_choice", `tool choice '${String(named)}' not found in 'tools'`);
}

function* checkFormat(format: JsonValue | undefined, messages: JsonValue | undefined): Generator<Problem> {
  if (format === undefined) return;
  const type = isJsonObject(format) ? format.type : undefined;
  if (type === "text") return;
  if (type === "json_object") {
    if (/json/i.test(JSON.stringify(messages ?? []))) return;
    const message = `'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.`;
    return yield { param: "messages", message, code: null };
  }
  if (type !== "json_schema") return yield invalid("response_format.type", "expected text, json_object or json_schema");
  const schema = (format as JsonObject).json_schema;
  if (!isJsonObject(schema)) return yield invalid("response_format.json_schema", "expected an object");
  if (typeof schema.name !== "string" || !NAME.test(schema.name)) {
    yield invalid("response_format.json_schema.name", `expected a string that matches ${NAME.source}`);
  }
  if (!isJsonObject(schema.schema)) yield invalid("response_format.json_schema.schema", "expected an object");
  else if (schema.strict === true) yield* checkStrictSchema(schema.schema, "response_format.json_schema.schema");
}

const STREAM_OPTIONS = ["include_usage", "include_obfuscation"];

function* checkSettings(body: JsonObject): Generator<Problem> {
  if (body.stream_options !== undefined && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    yield { param: "stream_options", message, code: null };
  }
  for (const option of Object.keys(isJsonObject(body.stream_options) ? body.stream_options : {})) {
    if (STREAM_OPTIONS.includes(option)) continue;
    const param = `stream_options.${option}`;
    yield { param, message: `Unknown parameter: '${param}'.`, code: "unknown_parameter" };
  }
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined) {
    yield invalid("max_tokens", "setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported");
  }
  for (const [param, highest] of [
    ["temperature", 2],
    ["top_p", 1],
  ] as const) {
    const value = body[param];
    if (value === undefined || (typeof value === "number" && value >= 0 && value <= highest)) continue;
    yield invalid(param, `expected a number from 0 to ${highest}`);
  }
  for (const param of ["max_tokens", "max_completion_tokens"]) {
    const value = body[param];
    if (value === undefined || (Number.isInteger(value) && Number(value) >= 1)) continue;
    yield invalid(param, "expected a whole number from 1");
  }
  if (Array.isArray(body.stop) && (body.stop.length === 0 || body.stop.length > 4)) {
    yield invalid("stop", "expected 1 to 4 sequences");
  }
}
