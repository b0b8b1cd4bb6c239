import { isJsonObject, type JsonObject, type ModelDelta, type ModelWarning, malformedAnswer } from "@tinyagents/core";
import { StreamReader } from "./from-stream.js";

/**
 * Turns an answer of the unary endpoint into deltas: it is read as a stream whose blocks come whole, so the two cannot
 * add up to different things. One without a stop reason has no end.
 * @throws `provider_server` for what is no message.
 */
export function readWhole(
  wire: unknown,
  provider: string,
  warnings: readonly ModelWarning[],
  requestId?: string,
): readonly ModelDelta[] {
  if (!isJsonObject(wire) || !Array.isArray(wire.content)) throw malformedAnswer(provider, "is no message");
  const reader = new StreamReader(provider, warnings, requestId);
  const out = eventsOf(wire, wire.content).flatMap((event) => reader.read(event));
  return [...out, ...reader.end()];
}

function eventsOf(message: JsonObject, content: readonly unknown[]): readonly JsonObject[] {
  const { usage, ...head } = message;
  const blocks = content.filter(isJsonObject).flatMap((block, index): JsonObject[] => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: head },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: message.stop_reason ?? null }, usage: usage ?? null },
    { type: "message_stop" },
  ];
}
