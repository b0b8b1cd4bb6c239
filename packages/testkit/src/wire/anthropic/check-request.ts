import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import type { WireRequest } from "../request.js";
import { checkBlock, checkTextBlock } from "./check-blocks.js";
import { checkCache } from "./check-cache.js";
import { checkThinking, checkThought, type Signatures } from "./check-thinking.js";
import { checkTools } from "./check-tools.js";
import { checkTurns, turnsOf } from "./check-turns.js";
import { checkFields, objectsOf, wrong } from "./wrong.js";

/** What counts tokens takes. */
const COUNTED = "messages model cache_control output_config speed system thinking tool_choice tools".split(" ");

/** What the API takes besides, by the parameters of the official SDK and those of older models. */
const ASKED =
  "max_tokens container diagnostics inference_geo metadata service_tier stop_sequences stream temperature top_k top_p".split(
    " ",
  );

/** What a check needs to know besides the request. */
export interface Knowledge {
  readonly extraParams: readonly string[];
  readonly signatures: Signatures;
}

/**
 * What the API would refuse a request for an answer for, the first reason first.
 * @see https://platform.claude.com/docs/en/api/messages
 */
export function* checkMessagesRequest(request: WireRequest, known: Knowledge): Generator<Problem> {
  const { body } = request;
  yield* checkHeaders(request);
  yield* checkFields(body, [...COUNTED, ...ASKED, ...known.extraParams], "");
  if (body.max_tokens === undefined) yield wrong("max_tokens", "Field required");
  yield* checkNumbers(body);
  yield* checkStops(body);
  yield* checkPrompt(request, known);
}

/** What the API would refuse a request to count tokens for. */
export function* checkCountRequest(request: WireRequest, known: Knowledge): Generator<Problem> {
  yield* checkHeaders(request);
  yield* checkFields(request.body, [...COUNTED, ...known.extraParams], "");
  yield* checkPrompt(request, known);
}

/** @see https://platform.claude.com/docs/en/api/overview for the headers */
function* checkHeaders({ headers }: WireRequest): Generator<Problem> {
  if (headers["x-api-key"] === undefined && headers.authorization === undefined) {
    yield { param: "x-api-key", message: "x-api-key header is required", code: null, status: 401 };
  }
  if (headers["anthropic-version"] === undefined) yield wrong("anthropic-version", "header is required");
}

function* checkPrompt({ body, headers }: WireRequest, { signatures }: Knowledge): Generator<Problem> {
  if (typeof body.model !== "string" || body.model === "") yield wrong("model", "Field required");
  yield* checkSystem(body.system);
  yield* checkMessages(body.messages);
  yield* checkTools(body);
  yield* checkCache(body);
  const turns = turnsOf(objectsOf(body.messages));
  yield* checkTurns(turns);
  yield* checkThinking(body, /interleaved-thinking/.test(headers["anthropic-beta"] ?? ""));
  yield* checkThought(body, turns, signatures);
}

function* checkSystem(system: JsonValue | undefined): Generator<Problem> {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) return yield wrong("system", "Input should be a valid string or list");
  for (const [at, block] of system.entries()) {
    const place = `system.${at}`;
    if (!isJsonObject(block) || block.type !== "text") yield wrong(`${place}.type`, "Input should be 'text'");
    else {
      yield* checkFields(block, ["type", "text", "citations", "cache_control"], place);
      yield* checkTextBlock(block, place, "system");
    }
  }
}

function* checkMessages(messages: JsonValue | undefined): Generator<Problem> {
  if (!Array.isArray(messages)) return yield wrong("messages", "Field required");
  if (messages.length === 0) return yield wrong("messages", "at least one message is required");
  for (const [at, message] of messages.entries()) {
    const place = `messages.${at}`;
    if (!isJsonObject(message)) yield wrong(place, "Input should be a valid dictionary");
    else yield* checkMessage(message, place, at === messages.length - 1);
  }
  const [first] = messages;
  if (isJsonObject(first) && first.role === "assistant") {
    yield wrong("messages", 'first message must use the "user" role');
  }
  yield* checkEnd(messages.at(-1));
}

function* checkMessage(message: JsonObject, place: string, isLast: boolean): Generator<Problem> {
  const { role, content } = message;
  yield* checkFields(message, ["role", "content"], place);
  if (role === "system") {
    const rule = 'The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
    return yield { param: `${place}.role`, message: `messages: Unexpected role "system". ${rule}`, code: null };
  }
  if (role !== "user" && role !== "assistant") {
    return yield wrong(`${place}.role`, "Input should be 'user' or 'assistant'");
  }
  if (content === "" || (Array.isArray(content) && content.length === 0)) {
    if (role === "assistant" && isLast) return;
    const rule = "all messages must have non-empty content except for the optional final assistant message";
    return yield { param: place, message: `${place}: ${rule}`, code: null };
  }
  if (typeof content === "string") return yield* checkTextBlock({ text: content }, place);
  if (!Array.isArray(content)) return yield wrong(`${place}.content`, "Input should be a valid string or list");
  for (const [at, block] of content.entries()) yield* checkBlock(block, role, `${place}.content.${at}`);
}

function* checkEnd(message: JsonValue | undefined): Generator<Problem> {
  if (!isJsonObject(message) || message.role !== "assistant") return;
  const last = typeof message.content === "string" ? message.content : objectsOf(message.content).at(-1)?.text;
  if (typeof last === "string" && last !== last.trimEnd()) {
    yield wrong("messages", "final assistant content cannot end with trailing whitespace");
  }
}

function* checkNumbers(body: JsonObject): Generator<Problem> {
  const ranges = { temperature: [0, 1], top_p: [0, 1] } as const;
  for (const [param, [least, most]] of Object.entries(ranges)) {
    const value = body[param];
    if (value === undefined || (typeof value === "number" && value >= least && value <= most)) continue;
    yield wrong(param, `Input should be a number from ${least} to ${most}`);
  }
  for (const param of ["max_tokens", "top_k"]) {
    const value = body[param];
    if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) continue;
    yield wrong(param, "Input should be a whole number from 0");
  }
  if (body.stream !== undefined && typeof body.stream !== "boolean") {
    yield wrong("stream", "Input should be a valid boolean");
  }
}

function* checkStops({ stop_sequences: stops, metadata }: JsonObject): Generator<Problem> {
  if (stops !== undefined && !Array.isArray(stops)) yield wrong("stop_sequences", "Input should be a valid list");
  for (const [at, stop] of (Array.isArray(stops) ? stops : []).entries()) {
    if (typeof stop === "string" && stop.trim() !== "") continue;
    yield wrong(`stop_sequences.${at}`, "each stop sequence must contain non-whitespace");
  }
  if (isJsonObject(metadata)) yield* checkFields(metadata, ["user_id"], "metadata");
}
