import type { JsonObject, JsonValue } from "@tinyagents/core";
import type { WireAnswer, WireUsage } from "../../entry.js";
import type { WireRequest } from "../../request.js";
import { CREATED } from "../chat-frames.js";

/** How a response ended: what its last event is called, and what it says of it. */
export interface Ending {
  readonly status: "completed" | "incomplete" | "failed";
  readonly fields: JsonObject;
}

/** Why an answer ends, in the API's words. Calls and refusals are ordinary ends there. */
export function endingOf({ finishReason }: WireAnswer): Ending {
  switch (finishReason) {
    case undefined:
    case "stop":
    case "tool_calls":
    case "refusal":
      return { status: "completed", fields: { status: "completed" } };
    case null:
      return { status: "completed", fields: { status: null } };
    case "error": {
      const error = { code: "server_error", message: "The server had an error while processing your request." };
      return { status: "failed", fields: { status: "failed", error } };
    }
    default: {
      const reason = finishReason === "length" ? "max_output_tokens" : finishReason;
      return { status: "incomplete", fields: { status: "incomplete", incomplete_details: { reason } } };
    }
  }
}

/**
 * A response before it has said anything.
 * @see https://platform.openai.com/docs/api-reference/responses/object
 */
export function responseOf({ model }: WireAnswer, { body, number }: WireRequest): JsonObject {
  const said = (param: string, unsaid: JsonValue): JsonValue => body[param] ?? unsaid;
  return {
    id: `resp_${number}`,
    object: "response",
    created_at: CREATED,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: said("instructions", null),
    max_output_tokens: said("max_output_tokens", null),
    metadata: said("metadata", {}),
    model: model ?? said("model", ""),
    output: [],
    parallel_tool_calls: said("parallel_tool_calls", true),
    previous_response_id: said("previous_response_id", null),
    reasoning: said("reasoning", { effort: null, summary: null }),
    service_tier: "default",
    store: said("store", true),
    temperature: said("temperature", 1),
    text: said("text", { format: { type: "text" } }),
    tool_choice: said("tool_choice", "auto"),
    tools: said("tools", []),
    top_p: said("top_p", 1),
    truncation: said("truncation", "disabled"),
    usage: null,
  };
}

/** The tokens of a response. */
export function usageField({ usage }: WireAnswer): JsonObject {
  return { usage: usage === null ? null : usageOf(usage) };
}

function usageOf(usage: WireUsage = { inputTokens: 10, outputTokens: 5 }): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0, more } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
    ...more,
  };
}
