import type { JsonObject, JsonValue, Usage } from "@tinyagents/core";

/**
 * Tokens as the server counts them; nothing when it counts none. What the model thought is part of `eval_count`. A
 * prompt's count may be missing: some versions leave it out for one that they had in their cache.
 * @see https://docs.ollama.com/api/usage
 * @see https://github.com/ollama/ollama/issues/2068
 */
export function toUsage(line: JsonObject): Usage | undefined {
  const inputTokens = count(line.prompt_eval_count);
  const outputTokens = count(line.eval_count);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    source: "reported",
  };
}

/** A number of tokens, or nothing. */
export function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
