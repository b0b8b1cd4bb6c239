import { collect, type JsonObject, type ModelDelta, type ModelResponse } from "@tinyagents/core";
import { StreamReader } from "../src/from-stream.js";

const IDENTITY = { id: "anthropic/m", provider: "anthropic", model: "m" };
export const STOP = { type: "message_stop" };

export function start(usage?: JsonObject, more: JsonObject = {}): JsonObject {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m-1", content: [], stop_reason: null };
  return { type: "message_start", message: { ...message, ...more, ...(usage === undefined ? {} : { usage }) } };
}

/** A block as it is streamed: its beginning, its fragments, its end. */
export function block(index: number, content_block: JsonObject, ...deltas: JsonObject[]): JsonObject[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

export function said(text: string): JsonObject {
  return { type: "text_delta", text };
}

export function args(partial_json: string): JsonObject {
  return { type: "input_json_delta", partial_json };
}

export function textBlock(index: number, ...texts: string[]): JsonObject[] {
  return block(index, { type: "text", text: "", citations: null }, ...texts.map(said));
}

export function call(index: number, id: string, name: string, ...fragments: string[]): JsonObject[] {
  return block(index, { type: "tool_use", id, name, input: {} }, ...fragments.map(args));
}

export function end(stop_reason: string | null, usage?: JsonObject, more: JsonObject = {}): JsonObject[] {
  const delta = { stop_reason, stop_sequence: null, ...more };
  return [{ type: "message_delta", delta, ...(usage === undefined ? {} : { usage }) }, STOP];
}

export function deltasOf(events: readonly JsonObject[], requestId?: string): ModelDelta[] {
  const reader = new StreamReader("anthropic", [], requestId);
  return [...events.flatMap((event) => reader.read(event)), ...reader.end()];
}

export async function responseOf(deltas: readonly ModelDelta[]): Promise<ModelResponse> {
  async function* all(): AsyncGenerator<ModelDelta> {
    yield* deltas;
  }
  return collect(all(), IDENTITY);
}

export const read = (events: readonly JsonObject[]): Promise<ModelResponse> => responseOf(deltasOf(events));
