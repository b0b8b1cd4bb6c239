import type { JsonObject, JsonValue } from "@tinyagents/core";
import type { ScriptedEndpoint } from "../dialect.js";
import type { WireAnswer } from "../entry.js";
import type { Problem } from "../problem.js";
import type { WireRequest } from "../request.js";
import { vectorsOf } from "../vector.js";
import { chatFraming } from "./chat.js";
import { invalid } from "./invalid.js";

const PARAMS = ["input", "model", "dimensions", "encoding_format", "user"];
const MOST_INPUTS = 2_048;

/** `POST /v1/embeddings`. */
export function embeddingsEndpoint(extraParams: readonly string[]): ScriptedEndpoint {
  return {
    type: "scripted",
    method: "POST",
    lacks: LACKS,
    problems: ({ body }) => checkEmbeddings(body, extraParams),
    streams: () => false,
    framing: chatFraming,
    frames: () => [],
    whole: embeddingsBody,
  };
}

const LACKS: ScriptedEndpoint["lacks"] = [
  "reasoning",
  "signature",
  "text",
  "refusal",
  "blocks",
  "toolCalls",
  "finishReason",
  "reasoningField",
  "usageIn",
  "frames",
];

/** @see https://platform.openai.com/docs/api-reference/embeddings/create */
function* checkEmbeddings(body: JsonObject, extraParams: readonly string[]): Generator<Problem> {
  const { model, input, dimensions, encoding_format: format } = body;
  if (typeof model !== "string" || model === "") {
    yield { param: "model", message: "you must provide a model parameter", code: null };
  }
  for (const param of Object.keys(body)) {
    if (PARAMS.includes(param) || extraParams.includes(param)) continue;
    yield { param, message: `Unrecognized request argument supplied: ${param}`, code: null };
  }
  yield* checkInput(input);
  if (format !== undefined && format !== "float" && format !== "base64") {
    yield invalid("encoding_format", "expected 'float' or 'base64'");
  }
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && Number(dimensions) >= 1)) {
    yield invalid("dimensions", "expected a whole number from 1");
  }
}

function* checkInput(input: JsonValue | undefined): Generator<Problem> {
  if (input === "" || (Array.isArray(input) && input.includes(""))) {
    return yield invalid("input", "input cannot be an empty string");
  }
  if (typeof input === "string") return;
  if (!Array.isArray(input) || input.length === 0) return yield invalid("input", "expected a text or a list of texts");
  if (input.length > MOST_INPUTS) yield invalid("input", `expected at most ${MOST_INPUTS} inputs`);
  if (!input.every((one) => typeof one === typeof input[0])) yield invalid("input", "expected texts alone, or tokens");
}

/** @see https://platform.openai.com/docs/api-reference/embeddings/object */
function embeddingsBody(answer: WireAnswer, { body }: WireRequest): JsonObject {
  const vectors = vectorsOf(answer, textsOf(body.input), typeof body.dimensions === "number" ? body.dimensions : 8);
  const tokens = answer.usage?.inputTokens ?? 10;
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: body.encoding_format === "base64" ? base64(vector) : vector,
    })),
    model: answer.model ?? body.model ?? "",
    ...(answer.usage === null ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens, ...answer.usage?.more } }),
  };
}

/** The inputs as texts. A list of numbers is one input, in tokens. */
function textsOf(input: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(input)) return [String(input)];
  return typeof input[0] === "number" ? [input.join(" ")] : input.map(String);
}

/** Numbers of 32 bits, the least byte first. */
function base64(vector: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, value] of vector.entries()) bytes.setFloat32(at * 4, value, true);
  return Buffer.from(bytes.buffer).toString("base64");
}
