import { isJsonObject, type JsonObject, type JsonValue, type Money, type Usage } from "@tinyagents/core";

/**
 * Tokens as the server counts them. Its totals include cached and reasoning tokens, as ours do.
 * @see https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
 */
export function toUsage(wire: JsonObject): Usage {
  const prompt = inner(wire.prompt_tokens_details);
  const completion = inner(wire.completion_tokens_details);
  const counts: [Exclude<keyof Usage, "source" | "charged">, number | undefined][] = [
    ["inputTokens", count(wire.prompt_tokens)],
    ["outputTokens", count(wire.completion_tokens)],
    ["cachedInputTokens", count(prompt.cached_tokens) ?? count(wire.prompt_cache_hit_tokens)],
    ["cacheWriteTokens", count(prompt.cache_write_tokens)],
    ["reasoningTokens", count(completion.reasoning_tokens)],
    ["imageTokens", sum(prompt.image_tokens, completion.image_tokens)],
    ["audioTokens", sum(prompt.audio_tokens, completion.audio_tokens)],
  ];
  const charged = toMoney(wire.cost);
  return {
    ...Object.fromEntries(counts.filter(([, tokens]) => tokens !== undefined)),
    ...(charged === undefined ? {} : { charged }),
    source: "reported",
  };
}

/**
 * What a server says that it charged. OpenRouter counts in credits, and a credit is a US dollar.
 * @see https://openrouter.ai/docs/use-cases/usage-accounting
 */
function toMoney(cost: JsonValue | undefined): Money | undefined {
  if (typeof cost !== "number" || !(cost >= 0)) return undefined;
  // The digits that the server wrote, and no exponent.
  const amount = /e/.test(String(cost)) ? cost.toFixed(18).replace(/\.?0+$/, "") : String(cost);
  return { amount, currency: "USD" };
}

function inner(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function sum(one: JsonValue | undefined, other: JsonValue | undefined): number | undefined {
  const a = count(one);
  const b = count(other);
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
