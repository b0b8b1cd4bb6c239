import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { misfit, wrong } from "./wrong.js";

const ROLES = ["system", "user", "assistant", "tool"];
const FIELDS = ["role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * What is wrong with a history. Ollama reads any order of calls and results; here each call has its result, since a
 * model that misses one goes astray without a word.
 * @see https://docs.ollama.com/api/chat
 */
export function* checkMessages(messages: JsonValue | undefined): Generator<Problem> {
  if (!Array.isArray(messages) || messages.length === 0) {
    return yield wrong("messages", "a request without messages loads the model, and is answered with nothing");
  }
  let open: { readonly at: number; readonly left: number } | undefined;
  for (const [at, message] of messages.entries()) {
    const place = `messages[${at}]`;
    if (!isJsonObject(message)) {
      yield misfit("messages", message, "api.Message");
      continue;
    }
    yield* checkMessage(message, place);
    if (message.role !== "tool") {
      if (open !== undefined && open.left > 0) yield unanswered(open.at, open.left);
      open = { at, left: Array.isArray(message.tool_calls) ? message.tool_calls.length : 0 };
    } else {
      if (open === undefined || open.left === 0) yield wrong(place, "a tool's result that no call asks for");
      if (open !== undefined) open = { at: open.at, left: Math.max(0, open.left - 1) };
    }
  }
  if (open !== undefined && open.left > 0) yield unanswered(open.at, open.left);
}

function unanswered(at: number, left: number): Problem {
  return wrong(`messages[${at}].tool_calls`, `${left} calls have no result after them`);
}

function* checkMessage(message: JsonObject, place: string): Generator<Problem> {
  const { role, content, thinking, images, tool_calls: calls, tool_name: name } = message;
  for (const field of Object.keys(message)) {
    if (!FIELDS.includes(field)) yield wrong(`${place}.${field}`, "Ollama has no such field, and drops it silently");
  }
  if (typeof role !== "string" || !ROLES.includes(role)) {
    yield wrong(`${place}.role`, `invalid role: ${String(role)}, must be one of [${ROLES.join(", ")}]`);
  }
  if (content !== undefined && typeof content !== "string") yield misfit("messages.content", content, "string");
  if (thinking !== undefined && typeof thinking !== "string") yield misfit("messages.thinking", thinking, "string");
  if (role === "tool" && name === undefined) {
    yield wrong(`${place}.tool_name`, "a result does not say which tool it is of");
  }
  if (images !== undefined) yield* checkImages(images, place);
  if (calls !== undefined) yield* checkCalls(calls, place);
}

function* checkImages(images: JsonValue, place: string): Generator<Problem> {
  if (!Array.isArray(images)) return yield misfit("messages.images", images, "[]api.ImageData");
  for (const [at, image] of images.entries()) {
    if (typeof image === "string" && BASE64.test(image)) continue;
    yield { param: `${place}.images[${at}]`, message: "illegal base64 data at input byte 4", code: null };
  }
}

function* checkCalls(calls: JsonValue, place: string): Generator<Problem> {
  if (!Array.isArray(calls)) return yield misfit("messages.tool_calls", calls, "[]api.ToolCall");
  for (const [at, call] of calls.entries()) {
    const called = isJsonObject(call) ? call.function : undefined;
    if (!isJsonObject(called) || typeof called.name !== "string" || called.name === "") {
      yield wrong(`${place}.tool_calls[${at}].function.name`, "a call does not name its tool");
    } else if (!isJsonObject(called.arguments)) {
      yield misfit("messages.tool_calls.function.arguments", called.arguments ?? null, "api.ToolCallFunctionArguments");
    }
  }
}
