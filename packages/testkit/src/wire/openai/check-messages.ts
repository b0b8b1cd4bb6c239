import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { invalid, NAME } from "./invalid.js";

/** The types of content parts that a message of each role may have. */
const PARTS: { readonly [role: string]: readonly string[] } = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};

/** @see https://github.com/agno-agi/agno/issues/5382 for the code and the number */
const LONGEST_CALL_ID = 40;

/** The tool calls of the latest assistant message that have no result yet. */
interface Open {
  readonly index: number;
  readonly ids: Set<string>;
  readonly asked: ReadonlySet<string>;
}

/**
 * What the API refuses in a history. That arguments are the text of a JSON object is asked for by compatible servers.
 * @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 * @see https://github.com/vercel/ai/pull/14280 for what broken arguments do
 */
export function* checkMessages(messages: JsonValue | undefined): Generator<Problem> {
  if (!Array.isArray(messages)) {
    return yield {
      param: "messages",
      message: "Missing required parameter: 'messages'.",
      code: "missing_required_parameter",
    };
  }
  if (messages.length === 0) return yield invalid("messages", "empty array, expected at least one message");
  let open: Open | undefined;
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    if (!isJsonObject(message) || typeof message.role !== "string" || PARTS[message.role] === undefined) {
      yield invalid(`${place}.role`, `expected one of ${Object.keys(PARTS).join(", ")}`);
      continue;
    }
    yield* checkContent(message, place);
    if (message.role === "tool") yield* checkResult(message, place, open);
    else {
      yield* unanswered(open);
      open = openCalls(message, index);
    }
    if (message.tool_calls !== undefined) yield* checkCalls(message.tool_calls, place);
  }
  yield* unanswered(open);
}

function* checkContent(message: JsonObject, place: string): Generator<Problem> {
  const { role, content } = message;
  if (typeof content === "string") return;
  if (content === undefined || content === null) {
    if (role === "assistant" && (message.tool_calls !== undefined || message.refusal !== undefined)) return;
    return yield invalid(`${place}.content`, "expected a string or an array of content parts, got null");
  }
  if (!Array.isArray(content))
    return yield invalid(`${place}.content`, "expected a string or an array of content parts");
  if (content.length === 0) yield emptyArray(`${place}.content`);
  for (const [at, part] of content.entries()) yield* checkPart(part, String(role), `${place}.content[${at}]`);
}

function* checkPart(part: JsonValue, role: string, place: string): Generator<Problem> {
  const type = isJsonObject(part) ? part.type : undefined;
  if (!isJsonObject(part) || typeof type !== "string" || !PARTS[role]?.includes(type)) {
    return yield invalid(place, `a part of type '${String(type)}' is not allowed in a message of role '${role}'`);
  }
  if (type !== "text" && type !== "refusal") {
    if (!isJsonObject(part[type])) yield invalid(`${place}.${type}`, "expected an object");
  } else if (typeof part[type] !== "string" || part[type] === "") {
    yield invalid(`${place}.${type}`, "expected a text that is not empty");
  }
}

function* checkResult(message: JsonObject, place: string, open: Open | undefined): Generator<Problem> {
  const id = message.tool_call_id;
  if (typeof id !== "string") {
    return yield {
      param: `${place}.tool_call_id`,
      message: `Missing parameter '${place}.tool_call_id'.`,
      code: "missing_required_parameter",
    };
  }
  if (open === undefined || open.asked.size === 0) {
    const message = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    return yield { param: `${place}.role`, message: `Invalid parameter: ${message}`, code: null };
  }
  if (open.ids.delete(id)) return;
  yield open.asked.has(id)
    ? invalid(`${place}.tool_call_id`, `a second result for '${id}'`)
    : invalid(`${place}.tool_call_id`, `'${id}' not found in 'tool_calls' of the previous message`);
}

function* unanswered(open: Open | undefined): Generator<Problem> {
  if (open === undefined || open.ids.size === 0) return;
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...open.ids].join(", ")}`;
  yield { param: `messages[${open.index}].tool_calls`, message, code: null };
}

function openCalls({ tool_calls: calls }: JsonObject, index: number): Open {
  const ids = (Array.isArray(calls) ? calls : []).flatMap((call: JsonValue) =>
    isJsonObject(call) && typeof call.id === "string" ? [call.id] : [],
  );
  return { index, ids: new Set(ids), asked: new Set(ids) };
}

function* checkCalls(calls: JsonValue, place: string): Generator<Problem> {
  if (!Array.isArray(calls) || calls.length === 0) return yield emptyArray(`${place}.tool_calls`);
  const ids = new Set<string>();
  for (const [at, call] of calls.entries()) {
    const where = `${place}.tool_calls[${at}]`;
    if (!isJsonObject(call) || call.type !== "function" || !isJsonObject(call.function)) {
      yield invalid(where, "expected an object of type 'function' with 'function'");
      continue;
    }
    yield* checkCallId(call.id, where, ids);
    const { name, arguments: args } = call.function;
    if (typeof name !== "string" || !NAME.test(name)) {
      yield invalid(`${where}.function.name`, `expected a string that matches ${NAME.source}`);
    }
    if (!isObjectText(args)) yield invalid(`${where}.function.arguments`, "expected the text of a JSON object");
  }
}

function* checkCallId(id: JsonValue | undefined, where: string, ids: Set<string>): Generator<Problem> {
  if (typeof id !== "string" || id === "") return yield invalid(`${where}.id`, "expected a text that is not empty");
  if (ids.has(id)) yield invalid(`${where}.id`, `two calls have the id '${id}'`);
  ids.add(id);
  if (id.length <= LONGEST_CALL_ID) return;
  const message = `Invalid '${where}.id': string too long. Expected a string with maximum length ${LONGEST_CALL_ID}, but got a string with length ${id.length} instead.`;
  yield { param: `${where}.id`, message, code: "string_above_max_length" };
}

function isObjectText(text: JsonValue | undefined): boolean {
  if (typeof text !== "string") return false;
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function emptyArray(param: string): Problem {
  return {
    param,
    message: `Invalid '${param}': empty array. Expected an array with minimum length 1.`,
    code: "empty_array",
  };
}
