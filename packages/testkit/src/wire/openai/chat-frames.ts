import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import { splitText } from "../../split.js";
import { type NamedCall, namedCalls } from "../calls.js";
import type { WireAnswer, WireUsage } from "../entry.js";
import type { Frame } from "../frame.js";
import type { WireRequest } from "../request.js";

/** Any moment will do, as long as it is the same in every run. Seconds. */
export const CREATED = 1_700_000_000;

/**
 * The frames of a streamed answer.
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function chatFrames(answer: WireAnswer, request: WireRequest): readonly Frame[] {
  const withUsage = includesUsage(request.body) && answer.usageIn === undefined;
  const head = headOf("chat.completion.chunk", answer, request);
  const everywhere = answer.usageIn === "every_frame" ? usageField(answer) : {};
  const frame = (kind: Frame["kind"], choices: readonly JsonValue[], more: JsonObject = {}): Frame => ({
    kind,
    data: JSON.stringify({ ...head, choices, ...(withUsage ? { usage: null } : {}), ...everywhere, ...more }),
  });
  const delta = (fields: JsonObject): Frame => frame("delta", [choiceOf(fields, null)]);
  return [
    frame("start", [choiceOf({ role: "assistant", content: "", refusal: null }, null)]),
    ...deltasOf(answer, request).map(delta),
    frame("finish", [choiceOf({}, finishReasonOf(answer))], finishUsage(answer, request)),
    ...(withUsage && answer.usage !== null ? [frame("usage", [], usageField(answer))] : []),
    { kind: "done", data: "[DONE]" },
  ];
}

/**
 * The body of an answer that is not streamed.
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export function chatBody(answer: WireAnswer, request: WireRequest, finished: boolean): JsonObject {
  const { reasoning, refusal, toolCalls = [], reasoningField = "reasoning_content" } = answer;
  const aside = reasoning === undefined || reasoningField === "think_tags" ? {} : { [reasoningField]: reasoning };
  const message: JsonObject = {
    role: "assistant",
    content: contentOf(answer) ?? null,
    refusal: refusal ?? null,
    ...aside,
    ...(toolCalls.length === 0 ? {} : { tool_calls: callsOf(answer, request).map((call) => callOf(call, answer)) }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finished ? finishReasonOf(answer) : null };
  return { ...headOf("chat.completion", answer, request), choices: [choice], ...usageField(answer) };
}

/** Why the answer ends, in OpenAI's words. A refusal is an ordinary stop there. */
function finishReasonOf({ finishReason, toolCalls = [] }: WireAnswer): string | null {
  if (finishReason !== undefined) return finishReason === "refusal" ? "stop" : finishReason;
  return toolCalls.length > 0 ? "tool_calls" : "stop";
}

function choiceOf(delta: JsonObject, finishReason: string | null): JsonObject {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

function headOf(object: string, { model }: WireAnswer, { body, number }: WireRequest): JsonObject {
  return {
    id: `chatcmpl-${number}`,
    object,
    created: CREATED,
    model: model ?? body.model ?? "",
    service_tier: "default",
    system_fingerprint: null,
  };
}

function includesUsage({ stream_options: options }: JsonObject): boolean {
  return isJsonObject(options) && options.include_usage === true;
}

/** @see https://console.groq.com/docs/api-reference#chat-create for `x_groq` */
function finishUsage({ usageIn, usage }: WireAnswer, { number }: WireRequest): JsonObject {
  if (usage === null || usageIn === undefined || usageIn === "every_frame") return {};
  if (usageIn === "finish_frame") return { usage: usageOf(usage) };
  return { x_groq: { id: `req_${number}`, usage: usageOf(usage) } };
}

function usageField({ usage }: WireAnswer): JsonObject {
  return usage === null ? {} : { usage: usageOf(usage) };
}

/** @see https://platform.openai.com/docs/api-reference/chat/object#chat-object-usage */
function usageOf(usage: WireUsage = { inputTokens: 10, outputTokens: 5 }): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens, reasoningTokens = 0, more } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedInputTokens,
      ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...more,
  };
}

/** What is said aloud, with reasoning among it where that has no field of its own. */
function contentOf({ reasoning, reasoningField, text }: WireAnswer): string | undefined {
  if (reasoning === undefined || reasoningField !== "think_tags") return text;
  return `<think>\n${reasoning}\n</think>\n\n${text ?? ""}`;
}

function deltasOf(answer: WireAnswer, request: WireRequest): readonly JsonObject[] {
  const { reasoning = "", refusal = "", split, reasoningField = "reasoning_content" } = answer;
  const aside = reasoningField === "think_tags" ? "" : reasoning;
  return [
    ...splitText(aside, split).map((piece) => ({ [reasoningField]: piece })),
    ...splitText(contentOf(answer) ?? "", split).map((content) => ({ content })),
    ...splitText(refusal, split).map((piece) => ({ refusal: piece })),
    ...callsOf(answer, request).flatMap((call, at) => callDeltas(call, at, answer)),
  ];
}

function callDeltas(call: NamedCall, at: number, answer: WireAnswer): readonly JsonObject[] {
  const place = placeOf(at, answer.toolIndexes);
  const fragment = (fields: JsonObject): JsonObject => ({ tool_calls: [{ ...place, ...fields }] });
  if (answer.wholeCalls === true) return [fragment(callOf(call, answer))];
  return [
    fragment(callOf({ ...call, argsText: "" }, answer)),
    ...splitText(call.argsText, answer.split).map((args) => fragment({ function: { arguments: args } })),
  ];
}

function placeOf(at: number, indexes: WireAnswer["toolIndexes"]): JsonObject {
  if (indexes === "missing") return {};
  if (indexes === "constant") return { index: 0 };
  return { index: indexes?.[at] ?? at };
}

function callOf({ id, name, argsText }: NamedCall, { toolIds }: WireAnswer): JsonObject {
  const named = toolIds === undefined ? { id } : toolIds === "empty" ? { id: "" } : {};
  return { ...named, type: "function", function: { name, arguments: argsText } };
}

function callsOf({ toolCalls = [] }: WireAnswer, { body }: WireRequest): readonly NamedCall[] {
  return namedCalls(toolCalls, usedIds(body));
}

function usedIds({ messages }: JsonObject): readonly string[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: JsonValue) => {
    if (!isJsonObject(message) || !Array.isArray(message.tool_calls)) return [];
    return message.tool_calls.flatMap((call: JsonValue) =>
      isJsonObject(call) && typeof call.id === "string" ? [call.id] : [],
    );
  });
}
