import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import { splitText } from "../../split.js";
import { argsValue, type NamedCall, namedCalls } from "../calls.js";
import type { WireAnswer } from "../entry.js";
import type { Frame } from "../frame.js";
import type { WireRequest } from "../request.js";

/** When every answer was made: the same in every run. */
const CREATED_AT = "2023-11-14T22:13:20Z";

/**
 * The lines of a streamed answer. A tool call always comes whole.
 * @see https://docs.ollama.com/api/streaming
 */
export function chatFrames(answer: WireAnswer, request: WireRequest, window: number): readonly Frame[] {
  const head = headOf(answer, request);
  const line = (kind: Frame["kind"], fields: JsonObject): Frame => ({
    kind,
    data: JSON.stringify({ ...head, ...fields }),
  });
  const said = [
    ...splitText(contentOf(answer), answer.split).map((content) => ({ content })),
    ...callsOf(answer, request).map((call) => ({ content: "", tool_calls: [call] })),
  ];
  const thought = splitText(thinkingOf(answer), answer.split).map((thinking) => ({
    content: "",
    [fieldOf(answer)]: thinking,
  }));
  return [
    ...[...thought, ...said].map((fields) => line("delta", { message: { role: "assistant", ...fields }, done: false })),
    line("finish", { message: { role: "assistant", content: "" }, ...endOf(answer, request, window) }),
  ];
}

/**
 * The body of an answer that is not streamed.
 * @see https://docs.ollama.com/api/chat
 */
export function chatBody(answer: WireAnswer, request: WireRequest, window: number, finished: boolean): JsonObject {
  const thinking = thinkingOf(answer);
  const calls = callsOf(answer, request);
  const message: JsonObject = {
    role: "assistant",
    content: contentOf(answer),
    ...(thinking === "" ? {} : { [fieldOf(answer)]: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const end = finished ? endOf(answer, request, window) : { done: false };
  return { ...headOf(answer, request), message, ...end };
}

function headOf({ model }: WireAnswer, { body }: WireRequest): JsonObject {
  return { model: model ?? body.model ?? "", created_at: CREATED_AT };
}

/** Thinking goes by this name unless the entry has another for it. */
function fieldOf({ reasoningField }: WireAnswer): string {
  return reasoningField ?? "thinking";
}

function thinkingOf({ reasoning = "", reasoningField }: WireAnswer): string {
  return reasoningField === "think_tags" ? "" : reasoning;
}

/** A model whose template Ollama does not know thinks in the text. */
function contentOf({ reasoning, reasoningField, text = "" }: WireAnswer): string {
  if (reasoning === undefined || reasoningField !== "think_tags") return text;
  return `<think>\n${reasoning}\n</think>\n\n${text}`;
}

function callsOf({ toolCalls = [], toolIndexes, toolIds }: WireAnswer, { body }: WireRequest): readonly JsonObject[] {
  return namedCalls(toolCalls, usedIds(body)).map((call, at) => {
    const named = toolIds === undefined ? { id: call.id } : toolIds === "empty" ? { id: "" } : {};
    return { ...named, function: { ...placeOf(at, toolIndexes), ...calledOf(call) } };
  });
}

function calledOf(call: NamedCall): JsonObject {
  return { name: call.name, arguments: argsValue(call) };
}

function placeOf(at: number, indexes: WireAnswer["toolIndexes"]): JsonObject {
  if (indexes === "missing") return {};
  return { index: indexes === "constant" ? 0 : (indexes?.[at] ?? at) };
}

/** Why an answer ends, and what it took. Calls and refusals are ordinary stops. Durations are nanoseconds. */
function endOf(answer: WireAnswer, request: WireRequest, window: number): JsonObject {
  const { finishReason = "stop" } = answer;
  const reason = finishReason === "tool_calls" || finishReason === "refusal" ? "stop" : finishReason;
  return {
    ...(reason === null ? {} : { done_reason: reason }),
    done: true,
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    ...usageOf(answer, request.body, window),
  };
}

function usageOf({ usage }: WireAnswer, body: JsonObject, window: number): JsonObject {
  if (usage === null) return {};
  const { inputTokens, outputTokens, more } = usage ?? {
    inputTokens: Math.min(promptTokens(body), window),
    outputTokens: 5,
  };
  return {
    prompt_eval_count: inputTokens,
    prompt_eval_duration: 2_000_000,
    eval_count: outputTokens,
    eval_duration: 2_000_000,
    ...more,
  };
}

/** About how long a prompt is: a token is four characters, and a message has four tokens of its own. */
export function promptTokens({ messages, tools }: JsonObject): number {
  const texts = (Array.isArray(messages) ? messages : []).map((message: JsonValue) => {
    const { content = "", thinking = "", tool_calls: calls = [] } = isJsonObject(message) ? message : {};
    return 16 + String(content).length + String(thinking).length + lengthOf(calls);
  });
  const length = texts.reduce((sum, one) => sum + one, lengthOf(tools ?? []));
  return Math.ceil(length / 4);
}

function lengthOf(list: JsonValue): number {
  return Array.isArray(list) && list.length === 0 ? 0 : JSON.stringify(list).length;
}

function usedIds({ messages }: JsonObject): readonly string[] {
  const calls = (Array.isArray(messages) ? messages : []).flatMap((message: JsonValue) =>
    isJsonObject(message) && Array.isArray(message.tool_calls) ? message.tool_calls : [],
  );
  return calls.flatMap((call: JsonValue) => (isJsonObject(call) && typeof call.id === "string" ? [call.id] : []));
}
