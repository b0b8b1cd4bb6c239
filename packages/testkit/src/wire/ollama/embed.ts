import type { JsonObject } from "@tinyagents/core";
import type { ScriptedEndpoint } from "../dialect.js";
import type { WireAnswer, WireFailure } from "../entry.js";
import type { WireRequest } from "../request.js";
import { vectorsOf } from "../vector.js";
import { framing } from "./chat.js";
import { checkEmbed } from "./check-chat.js";
import { type Models, notFound } from "./models.js";

/** `POST /api/embed`. */
export function embedEndpoint(models: Models, extraParams: readonly string[]): ScriptedEndpoint {
  return {
    type: "scripted",
    method: "POST",
    lacks: [
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
    ],
    problems: ({ body }) => checkEmbed(body, extraParams),
    refusal: ({ body }) => unable(body, models),
    streams: () => false,
    framing,
    frames: () => [],
    whole: (answer, request) => embedBody(answer, request, models),
  };
}

/** @see https://docs.ollama.com/api/embed */
function embedBody(answer: WireAnswer, { body }: WireRequest, models: Models): JsonObject {
  const texts = textsOf(body);
  const dimensions = typeof body.dimensions === "number" ? body.dimensions : models.find(body.model)?.embeddingLength;
  return {
    model: answer.model ?? body.model ?? "",
    embeddings: vectorsOf(answer, texts, dimensions ?? 8),
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    ...(answer.usage === null ? {} : { prompt_eval_count: answer.usage?.inputTokens ?? 10 }),
  };
}

function unable(body: JsonObject, models: Models): WireFailure | undefined {
  if (models.find(body.model) === undefined) return notFound(body.model);
  const longest = Math.max(0, ...textsOf(body).map((text) => Math.ceil(text.length / 4)));
  const tooLong = body.truncate === false && longest > models.window(body);
  return tooLong ? { status: 400, reason: "prompt_too_long" } : undefined;
}

function textsOf({ input }: JsonObject): readonly string[] {
  return (Array.isArray(input) ? input : [input]).map(String);
}
