import {
  type FinishDelta,
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelWarning,
  reportedUsage,
  saidFields,
  TinyAgentsError,
  textOf,
  type Usage,
  unknownFields,
} from "@tinyagents/core";
import { APIError } from "openai";

/** What an answer holds, as far as its end depends on it. */
export interface Answered {
  readonly refused: boolean;
  readonly called: boolean;
}

/**
 * The end of an answer.
 * @throws the SDK's error for an answer that failed; `provider_server` for one that has not ended: it was sent to the
 * background.
 */
export function finishOf(
  response: JsonObject,
  answered: Answered,
  warnings: ModelWarning[],
  provider: string,
): FinishDelta {
  const status = textOf(response.status);
  if (status === "failed") throw failureOf(response.error);
  if (status === "queued" || status === "in_progress") throw unfinished(provider, status);
  const reason = isJsonObject(response.incomplete_details) ? textOf(response.incomplete_details.reason) : "";
  const raw = reason === "" ? status : reason;
  const providerData = unknownFields(response, KNOWN, warnings);
  return {
    type: "finish",
    finishReason: finishReason(raw, answered),
    ...identityOf(response),
    ...(isJsonObject(response.usage) ? { usage: toUsage(response.usage) } : {}),
    ...saidFields({ rawFinishReason: raw, warnings, providerData }),
  };
}

/** What the server calls the answer, and the model that gives it. */
export function identityOf({ id, model }: JsonObject): { readonly responseId?: string; readonly model?: string } {
  return saidFields({ responseId: textOf(id), model: textOf(model) });
}

/** A failure that came inside an answer, as the SDK has others: they are told apart in one place. */
export function failureOf(error: JsonValue | undefined): APIError {
  const said = isJsonObject(error) ? error : { message: "The answer failed, and the server did not say why." };
  return new APIError(undefined, said, undefined, undefined);
}

function unfinished(provider: string, status: string): TinyAgentsError<"provider_server"> {
  return new TinyAgentsError("provider_server", `${provider} has not answered yet: the response is ${status}.`, {
    details: { provider, providerCode: status },
  });
}

function finishReason(raw: string, { refused, called }: Answered): FinishReason {
  switch (raw) {
    case "max_output_tokens":
      return "length";
    case "content_filter":
      return "content_filter";
    case "completed":
      if (called) return "tool_calls";
      return refused ? "refusal" : "stop";
    default:
      return "other";
  }
}

/**
 * Tokens as the server counts them. Its totals include cached and reasoning tokens, as ours do.
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-usage
 */
function toUsage(wire: JsonObject): Usage {
  const input = isJsonObject(wire.input_tokens_details) ? wire.input_tokens_details : {};
  const output = isJsonObject(wire.output_tokens_details) ? wire.output_tokens_details : {};
  return reportedUsage({
    inputTokens: wire.input_tokens,
    outputTokens: wire.output_tokens,
    cachedInputTokens: input.cached_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    reasoningTokens: output.reasoning_tokens,
  });
}

/** Fields with a home, and those that only repeat the request. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["id", "object", "created_at", "completed_at", "status", "model", "output", "output_text", "usage", "error"],
  ...["incomplete_details", "instructions", "input", "tools", "tool_choice", "parallel_tool_calls", "temperature"],
  ...["top_p", "top_logprobs", "max_output_tokens", "max_tool_calls", "previous_response_id", "reasoning", "text"],
  ...["truncation", "store", "background", "user", "metadata", "prompt", "prompt_cache_key", "safety_identifier"],
  ...["prompt_cache_options", "prompt_cache_retention", "frequency_penalty", "presence_penalty", "billing"],
]);
