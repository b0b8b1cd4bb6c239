import { type JsonObject, reportedUsage, type Usage } from "@tinyagents/core";

/**
 * Tokens as the server counts them; nothing when it counts none. What the model thought is part of `eval_count`. A
 * prompt's count may be missing: some versions leave it out for one that they had in their cache.
 * @see https://docs.ollama.com/api/usage
 * @see https://github.com/ollama/ollama/issues/2068
 */
export function toUsage(line: JsonObject): Usage | undefined {
  const usage = reportedUsage({ inputTokens: line.prompt_eval_count, outputTokens: line.eval_count });
  return Object.keys(usage).length > 1 ? usage : undefined;
}
