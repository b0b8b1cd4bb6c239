import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { checkDocument, checkImage } from "./check-media.js";
import { checkFields, checkId, checkText, objectsOf, wrong } from "./wrong.js";

/** Fields of a block of each type besides `type`. */
const FIELDS: { readonly [type: string]: readonly string[] } = {
  text: ["text", "citations", "cache_control"],
  image: ["source", "transformations", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  search_result: ["source", "title", "content", "citations", "cache_control"],
  container_upload: ["file_id", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "caller", "toolset_name", "cache_control"],
  server_tool_use: ["id", "name", "input", "caller", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "toolset_name", "cache_control"],
  tool_reference: ["tool_name", "cache_control"],
};

/** What the API's own tools gave. */
const SERVER_RESULT = /^[a-z_]+_tool_result$/;

const ONLY_IN: { readonly [type: string]: string } = {
  tool_result: "user",
  image: "user",
  document: "user",
  search_result: "user",
  tool_use: "assistant",
  server_tool_use: "assistant",
  thinking: "assistant",
  redacted_thinking: "assistant",
};

/**
 * What the API refuses in one block of a message.
 * @see https://platform.claude.com/docs/en/api/messages
 */
export function* checkBlock(block: JsonValue, role: string, place: string): Generator<Problem> {
  if (!isJsonObject(block))
    return yield wrong(place, "Input should be a valid dictionary or object to extract fields from");
  const type = String(block.type);
  if (SERVER_RESULT.test(type)) return yield* checkServerResult(block, role, `${place}.${type}`);
  const fields = FIELDS[type];
  if (fields === undefined || type === "tool_reference") return yield unknownTag(type, place);
  if ((ONLY_IN[type] ?? role) !== role) {
    return yield wrong(place, `\`${type}\` blocks can only be in \`${ONLY_IN[type]}\` messages`);
  }
  yield* checkFields(block, ["type", ...fields], `${place}.${type}`);
  yield* checkContent(block, type, `${place}.${type}`);
}

/** The text of a block, which has to say something. `where`: the part of the request that the message names. */
export function* checkTextBlock({ text }: JsonObject, place: string, where = "messages"): Generator<Problem> {
  if (typeof text !== "string") return yield* checkText(text, `${place}.text`);
  if (text === "") yield { param: place, message: `${where}: text content blocks must be non-empty`, code: null };
  else if (text.trim() === "") {
    yield { param: place, message: `${where}: text content blocks must contain non-whitespace text`, code: null };
  }
}

function* checkContent(block: JsonObject, type: string, place: string): Generator<Problem> {
  switch (type) {
    case "text":
      return yield* checkTextBlock(block, place);
    case "image":
      return yield* checkImage(block, place);
    case "document":
      return yield* checkDocument(block, place);
    case "thinking":
      yield* checkText(block.thinking, `${place}.thinking`);
      return yield* checkText(block.signature, `${place}.signature`, /^[\s\S]+$/);
    case "redacted_thinking":
      return yield* checkText(block.data, `${place}.data`, /^[\s\S]+$/);
    case "tool_use":
    case "server_tool_use":
      return yield* checkCall(block, place);
    case "tool_result":
      return yield* checkResult(block, place);
  }
}

function* checkCall({ id, name, input }: JsonObject, place: string): Generator<Problem> {
  yield* checkId(id, `${place}.id`);
  yield* checkText(name, `${place}.name`, /^[a-zA-Z0-9_-]{1,200}$/);
  if (!isJsonObject(input)) yield wrong(`${place}.input`, "Input should be a valid dictionary");
}

function* checkResult(block: JsonObject, place: string): Generator<Problem> {
  const { tool_use_id: id, content, is_error: isError } = block;
  yield* checkId(id, `${place}.tool_use_id`);
  if (isError !== undefined && typeof isError !== "boolean") {
    yield wrong(`${place}.is_error`, "Input should be a valid boolean");
  }
  if (isError === true) yield* checkFailedResult(content, place);
  if (content === undefined || typeof content === "string") return;
  if (!Array.isArray(content)) return yield wrong(`${place}.content`, "Input should be a valid string or list");
  for (const [at, part] of content.entries()) yield* checkResultPart(part, `${place}.content.${at}`);
}

function* checkFailedResult(content: JsonValue | undefined, place: string): Generator<Problem> {
  if (content === undefined || content === "" || (Array.isArray(content) && content.length === 0)) {
    yield wrong(place, "content cannot be empty if `is_error` is true");
  } else if (objectsOf(content).some(({ type }) => type !== "text")) {
    yield wrong(place, 'all content must be type "text" if `is_error` is true');
  }
}

function* checkResultPart(part: JsonValue, place: string): Generator<Problem> {
  const type = isJsonObject(part) ? String(part.type) : "";
  const fields = FIELDS[type];
  if (!isJsonObject(part) || fields === undefined || !RESULT_PARTS.includes(type)) return yield unknownTag(type, place);
  yield* checkFields(part, ["type", ...fields], `${place}.${type}`);
  yield* checkContent(part, type, `${place}.${type}`);
}

const RESULT_PARTS = ["text", "image", "document", "search_result", "tool_reference"];

function* checkServerResult(block: JsonObject, role: string, place: string): Generator<Problem> {
  if (role !== "assistant") yield wrong(place, "results of server tools can only be in `assistant` messages");
  yield* checkId(block.tool_use_id, `${place}.tool_use_id`);
  if (block.content === undefined) yield wrong(`${place}.content`, "Field required");
}

function unknownTag(type: string, place: string): Problem {
  const expected = Object.keys(FIELDS).map((name) => `'${name}'`);
  return wrong(
    place,
    `Input tag '${type}' found using 'type' does not match any of the expected tags: ${expected.join(", ")}`,
  );
}
