import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { checkMessages } from "./check-messages.js";
import { misfit, wrong } from "./wrong.js";

const PARAMS = "model messages tools think format options stream keep_alive truncate shift logprobs top_logprobs".split(
  " ",
);

/** @see https://docs.ollama.com/modelfile#valid-parameters-and-values */
const OPTIONS: { readonly [name: string]: "number" | "boolean" | "array" } = {
  ...Object.fromEntries(
    (
      "num_ctx num_batch num_gpu main_gpu num_thread num_keep seed num_predict top_k top_p min_p tfs_z typical_p " +
      "repeat_last_n temperature repeat_penalty presence_penalty frequency_penalty mirostat mirostat_tau mirostat_eta"
    )
      .split(" ")
      .map((name) => [name, "number"]),
  ),
  ...Object.fromEntries(
    "numa low_vram f16_kv logits_all vocab_only use_mmap use_mlock embedding_only penalize_newline"
      .split(" ")
      .map((name) => [name, "boolean"]),
  ),
  stop: "array",
};

const LEVELS = ["high", "medium", "low"];

/**
 * What Ollama would refuse a request for, and what it would drop without a word: parameters, options and fields that it
 * does not know.
 * @see https://docs.ollama.com/api/chat
 */
export function* checkChat(body: JsonObject, extraParams: readonly string[]): Generator<Problem> {
  yield* checkParams(body, [...PARAMS, ...extraParams]);
  yield* checkMessages(body.messages);
  yield* checkThink(body.think);
  yield* checkFormat(body.format);
  yield* checkOptions(body.options);
  yield* checkTools(body.tools);
  if (body.stream !== undefined && typeof body.stream !== "boolean") yield misfit("stream", body.stream, "bool");
}

/**
 * The same for texts whose vectors are asked for.
 * @see https://docs.ollama.com/api/embed
 */
export function* checkEmbed(body: JsonObject, extraParams: readonly string[]): Generator<Problem> {
  yield* checkParams(body, [..."model input truncate dimensions keep_alive options".split(" "), ...extraParams]);
  const { input } = body;
  const isInput = typeof input === "string" || (Array.isArray(input) && input.every((one) => typeof one === "string"));
  if (!isInput) yield { param: "input", message: "invalid input type", code: null };
  yield* checkOptions(body.options);
}

function* checkParams(body: JsonObject, known: readonly string[]): Generator<Problem> {
  if (typeof body.model !== "string" || body.model === "") {
    yield { param: "model", message: "model is required", code: null };
  }
  for (const param of Object.keys(body)) {
    if (!known.includes(param)) yield wrong(param, "Ollama has no such parameter, and drops it silently");
  }
}

function* checkThink(think: JsonValue | undefined): Generator<Problem> {
  if (think === undefined || typeof think === "boolean" || LEVELS.includes(String(think))) return;
  const allowed = [...LEVELS.map((level) => `"${level}"`), "true", "or false"].join(", ");
  yield { param: "think", message: `invalid think value: ${JSON.stringify(think)} (must be ${allowed})`, code: null };
}

function* checkFormat(format: JsonValue | undefined): Generator<Problem> {
  if (format === undefined || format === "json" || format === "" || isJsonObject(format)) return;
  const message = `invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`;
  yield { param: "format", message, code: null };
}

function* checkOptions(options: JsonValue | undefined): Generator<Problem> {
  if (options === undefined) return;
  if (!isJsonObject(options)) return yield misfit("options", options, "map[string]interface {}");
  for (const [name, value] of Object.entries(options)) {
    const type = OPTIONS[name];
    const found = Array.isArray(value) ? "array" : typeof value;
    if (type === undefined) yield wrong(`options.${name}`, "Ollama has no such option, and drops it silently");
    else if (type !== found) {
      yield { param: `options.${name}`, message: `option "${name}" must be of type ${type}`, code: null };
    }
  }
}

function* checkTools(tools: JsonValue | undefined): Generator<Problem> {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) return yield misfit("tools", tools, "api.Tools");
  for (const [at, tool] of tools.entries()) {
    const declared = isJsonObject(tool) ? tool.function : undefined;
    if (!isJsonObject(tool) || tool.type !== "function" || !isJsonObject(declared)) {
      yield wrong(`tools[${at}]`, "expected an object of type 'function' with 'function'");
    } else if (typeof declared.name !== "string" || declared.name === "") {
      yield wrong(`tools[${at}].function.name`, "a tool has no name");
    } else if (declared.parameters !== undefined && !isJsonObject(declared.parameters)) {
      yield misfit("tools.function.parameters", declared.parameters, "api.ToolFunctionParameters");
    }
  }
}
