import { isJsonObject, type JsonObject, type JsonValue, type ModelResponse } from "@tinyagents/core";

/** What all ways to send one answer must agree on. Servers give each answer ids of its own. */
export function essence({ message, finishReason, rawFinishReason, model, usage, attempts }: ModelResponse): unknown {
  return {
    content: message.content.map((block) => withoutIds(block as unknown as JsonObject)),
    metadata: withoutIds(message.providerMetadata ?? {}, true),
    finishReason,
    rawFinishReason,
    model,
    usage,
    attempts,
  };
}

/** A block without the ids in what the provider attached to it. */
function withoutIds(value: JsonObject, inside = false): JsonObject {
  const kept = Object.entries(value).filter(([key]) => !(inside && /^id$|_id$|Id$/.test(key)));
  const entries = kept.map(([key, inner]): [string, JsonValue] => {
    const attached = inside || key === "providerMetadata";
    return [key, isJsonObject(inner) ? withoutIds(inner, attached) : inner];
  });
  return Object.fromEntries(entries);
}
