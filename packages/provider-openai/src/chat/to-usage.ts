import { isJsonObject, type JsonObject, type JsonValue, type Money, type Usage } from "@tinyagents/core";
import type { ChatQuirks } from "./quirks.js";

/**
 * Tokens as the server counts them. Its totals include cached and reasoning tokens, as ours do.
 * @see https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
 */
export function toUsage(wire: JsonObject, costCurrency?: string): Usage {
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
  const charged = costCurrency === undefined ? undefined : toMoney(wire.cost, costCurrency);
  return {
    ...Object.fromEntries(counts.filter(([, tokens]) => tokens !== undefined)),
    ...(charged === undefined ? {} : { charged }),
    source: "reported",
  };
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

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function sum(one: JsonValue | undefined, other: JsonValue | undefined): number | undefined {
  const a = count(one);
  const b = count(other);
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
