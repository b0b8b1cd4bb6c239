import type { JsonObject } from "@tinyagents/core";
import type { Dialect, Endpoint, ScriptedEndpoint } from "../dialect.js";
import type { WireAnswer, WireEntries } from "../entry.js";
import { type Frame, type Framing, putBefore, writeEvent } from "../frame.js";
import type { WireRequest } from "../request.js";
import { type WireServer, type WireServerOptions, wireServer } from "../server.js";
import { contentOf } from "./answer.js";
import { checkCountRequest, checkMessagesRequest, type Knowledge } from "./check-request.js";
import { anthropicFailure } from "./failure.js";
import { event, messageBody, messageFrames } from "./frames.js";

/** A server that speaks Anthropic's API. */
export type AnthropicWireServer = WireServer;

/**
 * Starts a server that answers `POST /v1/messages` and `POST /v1/messages/count_tokens`, one entry of the script per
 * request; a function in place of the list decides every request. An answer to the second is its `usage`: the input
 * tokens. What breaks a rule of the API is refused as the API does it and uses no entry: a signature that this server
 * gave for other thoughts, too. Its base URL has no path, as the SDK wants it. Needs Node.
 *
 * @throws TypeError for an entry that contradicts itself.
 */
export async function anthropicWireServer(
  script: WireEntries,
  options: WireServerOptions = {},
): Promise<AnthropicWireServer> {
  return wireServer(anthropicDialect(options), script, options);
}

function anthropicDialect({ extraParams = [] }: WireServerOptions): Dialect {
  const signatures = new Map<string, string>();
  const known: Knowledge = { extraParams, signatures };
  const endpoints = new Map<string, Endpoint>([
    ["/v1/messages", messagesEndpoint(known, signatures)],
    ["/v1/messages/count_tokens", countEndpoint(known)],
  ]);
  return {
    base: "",
    requestIdHeader: "request-id",
    keyOf: ({ headers, authorization }) => headers["x-api-key"] ?? authorization?.replace(/^Bearer /, ""),
    endpoint: (path) => endpoints.get(path),
    failed: anthropicFailure,
  };
}

function messagesEndpoint(known: Knowledge, signatures: Map<string, string>): ScriptedEndpoint {
  const remember = (answer: WireAnswer, request: WireRequest): void => {
    for (const { block } of contentOf(answer, request)) {
      if (block.type === "thinking") signatures.set(String(block.signature), String(block.thinking));
    }
  };
  return {
    type: "scripted",
    method: "POST",
    lacks: ["reasoningField", "usageIn", "embeddings"],
    problems: (request) => checkMessagesRequest(request, known),
    streams: ({ stream }) => stream === true,
    framing,
    frames(answer, request) {
      remember(answer, request);
      return messageFrames(answer, request);
    },
    whole(answer, request, finished) {
      remember(answer, request);
      return messageBody(answer, request, finished);
    },
  };
}

function countEndpoint(known: Knowledge): ScriptedEndpoint {
  return {
    type: "scripted",
    method: "POST",
    lacks: COUNT_LACKS,
    problems: (request) => checkCountRequest(request, known),
    streams: () => false,
    framing,
    frames: () => [],
    whole: ({ usage }) => (usage === null ? {} : { input_tokens: usage?.inputTokens ?? 10 }),
  };
}

const COUNT_LACKS: ScriptedEndpoint["lacks"] = [
  "reasoning",
  "signature",
  "text",
  "refusal",
  "blocks",
  "toolCalls",
  "finishReason",
  "reasoningField",
  "usageIn",
  "embeddings",
  "frames",
];

const OVERLOADED: JsonObject = { type: "overloaded_error", message: "Overloaded" };

const framing: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  write: writeEvent,
  comment: ": still working",
  malformed: (data = '{"type":"content_block_delta","index":0,"del') => ({
    kind: "raw",
    event: "content_block_delta",
    data,
  }),
  error: (error = OVERLOADED) => event("raw", "error", { error }),
  bare: withUnknown,
};

/** More pings, an event that nobody knows, and a delta of a kind that nobody knows. */
function withUnknown(frames: readonly Frame[]): readonly Frame[] {
  const unknown = event("raw", "future_event", { note: "of a later version" });
  const begun = frames.findIndex(({ event }) => event === "content_block_start");
  const delta = event("raw", "content_block_delta", { index: 0, delta: { type: "future_delta", value: 1 } });
  const inside = begun === -1 ? frames : frames.toSpliced(begun + 1, 0, delta);
  return putBefore(inside.toSpliced(1, 0, unknown), ["finish", "done"], [event("raw", "ping", {})]);
}
