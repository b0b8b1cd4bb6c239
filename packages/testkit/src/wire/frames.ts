import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { ScriptedToolCall } from "../answer.js";
import { callIdsAfter } from "../call-ids.js";
import { splitText } from "../split.js";
import type { WireAnswer, WireUsage } from "./entry.js";

/** One frame of a stream: the text after `data:`, and what it is in the order of things. */
export interface Frame {
  readonly kind: "start" | "delta" | "finish" | "usage" | "done" | "raw";
  readonly data: string;
}

/** The request that is answered, as far as the answer depends on it. */
export interface Asked {
  readonly body: JsonObject;
  /** Ids of responses are counted with it. */
  readonly number: number;
}

/** Any moment will do, as long as it is the same in every run. Seconds. */
const CREATED = 1_700_000_000;

/**
 * The frames of a streamed answer.
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function answerFrames(answer: WireAnswer, asked: Asked): readonly Frame[] {
  if (answer.frames !== undefined) return answer.frames.map(rawFrame);
  const withUsage = includesUsage(asked.body);
  const head = headOf("chat.completion.chunk", answer, asked);
  const frame = (kind: Frame["kind"], choices: readonly JsonValue[], usage: JsonValue = null): Frame => ({
    kind,
    data: JSON.stringify({ ...head, choices, ...(withUsage ? { usage } : {}) }),
  });
  const delta = (kind: Frame["kind"], fields: JsonObject, finishReason: string | null = null): Frame =>
    frame(kind, [{ index: 0, delta: fields, logprobs: null, finish_reason: finishReason }]);
  const frames = [delta("start", { role: "assistant", content: "", refusal: null })];
  for (const fields of deltasOf(answer, asked)) frames.push(delta("delta", fields));
  frames.push(delta("finish", {}, finishReasonOf(answer)));
  if (withUsage && answer.usage !== null) frames.push(frame("usage", [], usageOf(answer.usage)));
  frames.push({ kind: "done", data: "[DONE]" });
  return frames;
}

/**
 * The body of an answer that is not streamed.
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export function wholeBody(answer: WireAnswer, asked: Asked, finishReason: string | null): JsonObject {
  const { reasoning, text, refusal, toolCalls = [], reasoningField = "reasoning_content" } = answer;
  const message: JsonObject = {
    role: "assistant",
    content: text ?? null,
    refusal: refusal ?? null,
    ...(reasoning === undefined ? {} : { [reasoningField]: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: namedCalls(toolCalls, asked.body).map(callOf) }),
  };
  return {
    ...headOf("chat.completion", answer, asked),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
  };
}

/** Why the answer ends, in OpenAI's words. A refusal is an ordinary stop there. */
export function finishReasonOf({ finishReason, toolCalls = [] }: WireAnswer): string {
  return finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
}

function rawFrame(frame: JsonObject | string): Frame {
  return { kind: "raw", data: typeof frame === "string" ? frame : JSON.stringify(frame) };
}

function headOf(object: string, { model }: WireAnswer, { body, number }: Asked): JsonObject {
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

/** @see https://platform.openai.com/docs/api-reference/chat/object#chat-object-usage */
function usageOf(usage: WireUsage = { inputTokens: 10, outputTokens: 5 }): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function deltasOf(answer: WireAnswer, { body }: Asked): readonly JsonObject[] {
  const { reasoning = "", text = "", refusal = "", toolCalls = [], split } = answer;
  const { reasoningField = "reasoning_content" } = answer;
  return [
    ...splitText(reasoning, split).map((piece) => ({ [reasoningField]: piece })),
    ...splitText(text, split).map((content) => ({ content })),
    ...splitText(refusal, split).map((piece) => ({ refusal: piece })),
    ...namedCalls(toolCalls, body).flatMap((call, at) => callDeltas(call, at, answer)),
  ];
}

function callDeltas(call: NamedCall, at: number, answer: WireAnswer): readonly JsonObject[] {
  const place = placeOf(at, answer.toolIndexes);
  const fragment = (fields: JsonObject): JsonObject => ({ tool_calls: [{ ...place, ...fields }] });
  if (answer.wholeCalls === true) return [fragment(callOf(call))];
  return [
    fragment(callOf({ ...call, argsText: "" })),
    ...splitText(call.argsText, answer.split).map((args) => fragment({ function: { arguments: args } })),
  ];
}

function placeOf(at: number, indexes: WireAnswer["toolIndexes"]): JsonObject {
  if (indexes === "missing") return {};
  if (indexes === "constant") return { index: 0 };
  return { index: indexes?.[at] ?? at };
}

interface NamedCall {
  readonly id: string;
  readonly name: string;
  readonly argsText: string;
}

function callOf({ id, name, argsText }: NamedCall): JsonObject {
  return { id, type: "function", function: { name, arguments: argsText } };
}

function namedCalls(calls: readonly ScriptedToolCall[], body: JsonObject): readonly NamedCall[] {
  const nextId = callIdsAfter([...usedIds(body), ...calls.flatMap(({ id }) => id ?? [])]);
  return calls.map(({ id, name, args = {}, rawArgs }) => ({
    id: id ?? nextId(),
    name,
    argsText: rawArgs ?? JSON.stringify(args),
  }));
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
