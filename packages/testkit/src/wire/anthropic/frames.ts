import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import { type Split, splitText } from "../../split.js";
import type { WireAnswer } from "../entry.js";
import type { Frame } from "../frame.js";
import type { WireRequest } from "../request.js";
import { type Content, contentOf, messageOf, stopOf, usageOf } from "./answer.js";
import { objectsOf } from "./wrong.js";

/**
 * The events of a streamed answer.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function messageFrames(answer: WireAnswer, request: WireRequest): readonly Frame[] {
  const message = messageOf(answer, request);
  const begun = isJsonObject(message.usage) ? { usage: { ...message.usage, output_tokens: 1 } } : {};
  return [
    event("start", "message_start", { message: { ...message, ...begun } }),
    event("delta", "ping", {}),
    ...contentOf(answer, request).flatMap((content, at) => blockFrames(content, at, answer)),
    event("finish", "message_delta", { delta: stopOf(answer, request), ...finalUsage(answer) }),
    event("done", "message_stop", {}),
  ];
}

/** The body of an answer that is not streamed. */
export function messageBody(answer: WireAnswer, request: WireRequest, finished: boolean): JsonObject {
  const content = contentOf(answer, request).map(({ block }) => block);
  const stop = finished ? stopOf(answer, request) : {};
  return { ...messageOf(answer, request), content, ...stop };
}

/** An event of a stream. */
export function event(kind: Frame["kind"], type: string, fields: JsonObject): Frame {
  return { kind, event: type, data: JSON.stringify({ type, ...fields }) };
}

/** Tokens at the end of a stream: all of them once more, those of the input too. */
function finalUsage({ usage }: WireAnswer): JsonObject {
  if (usage === null) return {};
  const { cache_creation: _, service_tier: __, ...cumulative } = usageOf(usage);
  return { usage: cumulative };
}

function blockFrames(content: Content, at: number, answer: WireAnswer): readonly Frame[] {
  const place = placeOf(content, at, answer);
  const { start, deltas } = piecesOf(content, answer);
  return [
    event("delta", "content_block_start", { ...place, content_block: start }),
    ...deltas.map((delta) => event("delta", "content_block_delta", { ...place, delta })),
    event("delta", "content_block_stop", place),
  ];
}

function placeOf({ call }: Content, at: number, { toolIndexes }: WireAnswer): JsonObject {
  if (call === undefined || toolIndexes === undefined) return { index: at };
  if (toolIndexes === "missing") return {};
  return { index: toolIndexes === "constant" ? 0 : (toolIndexes[call.at] ?? at) };
}

interface Pieces {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

/** A block as it begins in a stream, and what makes it whole. Blocks that do not grow are whole at once. */
function piecesOf({ block, call }: Content, { split, wholeCalls }: WireAnswer): Pieces {
  switch (block.type) {
    case "text":
      return textPieces(block, split);
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          ...splitText(String(block.thinking), split).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature ?? "" },
        ],
      };
    case "tool_use":
    case "server_tool_use": {
      if (wholeCalls === true) return { start: block, deltas: [] };
      const text = call?.argsText ?? JSON.stringify(block.input ?? {});
      return { start: { ...block, input: {} }, deltas: ["", ...splitText(text, split)].map(inputDelta) };
    }
    default:
      return { start: block, deltas: [] };
  }
}

function textPieces(block: JsonObject, split: Split | undefined): Pieces {
  const citations = objectsOf(block.citations);
  return {
    start: { ...block, text: "", citations: citations.length > 0 ? [] : null },
    deltas: [
      ...citations.map((citation: JsonValue) => ({ type: "citations_delta", citation })),
      ...splitText(String(block.text), split).map((text) => ({ type: "text_delta", text })),
    ],
  };
}

function inputDelta(text: string): JsonObject {
  return { type: "input_json_delta", partial_json: text };
}
