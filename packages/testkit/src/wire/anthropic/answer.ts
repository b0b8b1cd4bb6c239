import type { JsonObject } from "@tinyagents/core";
import { argsValue, type NamedCall, namedCalls } from "../calls.js";
import type { WireAnswer, WireUsage } from "../entry.js";
import type { WireRequest } from "../request.js";
import { objectsOf } from "./wrong.js";

/** One content block of an answer; of a tool call also the text of its input, and which call it is. */
export interface Content {
  readonly block: JsonObject;
  readonly call?: { readonly argsText: string; readonly at: number };
}

/** What an answer says, in order. */
export function contentOf(answer: WireAnswer, request: WireRequest): readonly Content[] {
  const { reasoning, signature, text, blocks = [], toolCalls = [] } = answer;
  const thought = reasoning !== undefined || signature !== undefined;
  return [
    ...(thought ? [{ block: thinkingOf(reasoning ?? "", answer, request) }] : []),
    ...(text === undefined ? [] : [{ block: { type: "text", text, citations: null } }]),
    ...blocks.map((block) => ({ block })),
    ...namedCalls(toolCalls, usedIds(request.body)).map((call, at) => callOf(call, at, answer)),
  ];
}

/** The message that an answer is, before it says anything. */
export function messageOf({ model, usage }: WireAnswer, { body, number }: WireRequest): JsonObject {
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: model ?? body.model ?? "",
    content: [],
    container: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  };
}

/** Why an answer ends. Names of core's are put in Anthropic's words. */
export function stopOf(answer: WireAnswer, { body }: WireRequest): JsonObject {
  const { finishReason, refusal, toolCalls = [] } = answer;
  const implied = refusal !== undefined ? "refusal" : toolCalls.length > 0 ? "tool_calls" : "stop";
  const reason = finishReason === undefined ? implied : finishReason;
  const [sequence = null] = Array.isArray(body.stop_sequences) ? body.stop_sequences : [];
  return {
    stop_reason: reason === null ? null : (STOPS[reason] ?? reason),
    stop_sequence: reason === "stop_sequence" ? sequence : null,
    stop_details: refusal === undefined ? null : { type: "refusal", category: null, explanation: refusal },
    container: null,
  };
}

const STOPS: { readonly [reason: string]: string } = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  pause: "pause_turn",
};

/**
 * Tokens as Anthropic counts them: what came from a cache or went into one is no part of `input_tokens`.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function usageOf(usage: WireUsage = { inputTokens: 10, outputTokens: 5 }): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens, more } = usage;
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: "standard",
    ...more,
  };
}

function thinkingOf(thinking: string, { signature }: WireAnswer, { number }: WireRequest): JsonObject {
  return { type: "thinking", thinking, signature: signature ?? `signature_${number}` };
}

function callOf(call: NamedCall, at: number, { toolIds }: WireAnswer): Content {
  const named = toolIds === undefined ? { id: call.id } : toolIds === "empty" ? { id: "" } : {};
  const block = { type: "tool_use", ...named, name: call.name, input: argsValue(call), caller: { type: "direct" } };
  return { block, call: { argsText: call.argsText, at } };
}

function usedIds({ messages }: JsonObject): readonly string[] {
  const blocks = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  return blocks.flatMap(({ type, id }) => (type === "tool_use" && typeof id === "string" ? [id] : []));
}
