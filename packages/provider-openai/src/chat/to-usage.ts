import {
  countOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  reportedUsage,
  type Usage,
} from "@tinyagents/core";
import type { ChatQuirks } from "./quirks.js";

/**
 * Tokens as the server counts them. Its totals include cached and reasoning tokens, as ours do.
 * @see https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
 */
export function toUsage(wire: JsonObject, costCurrency?: string): Usage {
  const prompt = inner(wire.prompt_tokens_details);
  const completion = inner(wire.completion_tokens_details);
  const charged = costCurrency === undefined ? undefined : toMoney(wire.cost, costCurrency);
  const counted = reportedUsage({
    inputTokens: wire.prompt_tokens,
    outputTokens: wire.completion_tokens,
    cachedInputTokens: prompt.cached_tokens ?? wire.prompt_cache_hit_tokens,
    cacheWriteTokens: prompt.cache_write_tokens,
    reasoningTokens: completion.reasoning_tokens,
    imageTokens: sum(prompt.image_tokens, completion.image_tokens),
    audioTokens: sum(prompt.audio_tokens, completion.audio_tokens),
  });
  return charged === undefined ? counted : { ...counted, charged };
}

/** The usage that a frame or a whole answer tells, wherever the server puts it. */
export function usageIn({ usage, x_groq: groq }: JsonObject, { costCurrency }: ChatQuirks): Usage | undefined {
  const told = isJsonObject(usage) ? usage : isJsonObject(groq) && isJsonObject(groq.usage) ? groq.usage : undefined;
  return told === undefined ? undefined : toUsage(told, costCurrency);
}

/** What a server says that it charged: the digits that it wrote, up to the 18th decimal, without an exponent. */
function toMoney(cost: JsonValue | undefined, currency: string): Money | undefined {
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost < 0) return undefined;
  const written = String(cost);
  const amount = /e|\.\d{19}/.test(written) ? cost.toFixed(18).replace(/\.?0+$/, "") : written;
  return { amount, currency };
}

function inner(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function sum(one: JsonValue | undefined, other: JsonValue | undefined): number | undefined {
  const a = countOf(one);
  const b = countOf(other);
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
