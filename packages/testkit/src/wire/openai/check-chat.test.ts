import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { checkChat } from "./check-chat.js";

const user = { role: "user", content: "json please" };
const call = (id: JsonValue, args = "{}", name = "search"): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const asks = (...calls: readonly JsonObject[]): JsonObject => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string): JsonObject => ({ role: "tool", tool_call_id: id, content: "done" });
const declared = (fields: JsonObject = {}): JsonObject => ({
  type: "function",
  function: { name: "search", parameters: { type: "object", properties: {} }, ...fields },
});
const strict = (schema: JsonObject): JsonObject => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
});

function problems(body: JsonObject): readonly string[] {
  const whole = { model: "gpt-x", messages: [user], ...body };
  return [...checkChat(whole, [])].map(({ param, message }) => `${param}: ${message}`);
}

describe("a request that the API takes", () => {
  test.each<[string, JsonObject]>([
    [
      "every kind of message",
      {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "developer", content: [{ type: "text", text: "x" }] },
          {
            role: "user",
            content: [
              { type: "text", text: "x" },
              { type: "image_url", image_url: { url: "https://x" } },
              { type: "file", file: { file_id: "f" } },
            ],
          },
          asks(call("call_1"), call("call_2")),
          result("call_2"),
          result("call_1"),
          { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
          { role: "assistant", content: null, refusal: "no" },
          { role: "assistant", content: "" },
        ],
      },
    ],
    [
      "tools and a choice among them",
      {
        tools: [declared(), declared({ name: "read" })],
        tool_choice: { type: "function", function: { name: "read" } },
        parallel_tool_calls: false,
      },
    ],
    [
      "a strict schema",
      strict({
        type: "object",
        additionalProperties: false,
        required: ["a"],
        properties: {
          a: {
            anyOf: [{ type: "null" }, { type: "object", additionalProperties: false, required: [], properties: {} }],
          },
        },
      }),
    ],
    [
      "settings within their bounds",
      {
        temperature: 2,
        top_p: 0,
        max_completion_tokens: 1,
        stop: ["a", "b", "c", "d"],
        stream: true,
        stream_options: { include_usage: true },
        response_format: { type: "json_object" },
      },
    ],
  ])("has %s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });
});

describe("a request that the API refuses", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["no model", { model: "" }, /^model: you must provide a model/],
    ["no messages", { messages: [] }, /^messages: Invalid 'messages': empty array/],
    ["messages that are no list", { messages: "hi" }, /^messages: Missing required parameter/],
    ["an unknown role", { messages: [{ role: "bot", content: "x" }] }, /^messages\[0\]\.role/],
    ["an unknown parameter", { maxTokens: 1 }, /^maxTokens: Unrecognized request argument/],
    ["content that is null", { messages: [{ role: "user", content: null }] }, /^messages\[0\]\.content: .*got null/],
    ["content that is a number", { messages: [{ role: "user", content: 1 }] }, /^messages\[0\]\.content/],
    ["an empty list of parts", { messages: [{ role: "user", content: [] }] }, /empty array/],
    [
      "an empty text part (PA-26)",
      { messages: [{ role: "assistant", content: [{ type: "text", text: "" }] }] },
      /^messages\[0\]\.content\[0\]\.text/,
    ],
    [
      "an image in a tool message (PA-14)",
      { messages: [asks(call("a")), { ...result("a"), content: [{ type: "image_url", image_url: {} }] }] },
      /'image_url' is not allowed in a message of role 'tool'/,
    ],
    [
      "an image without its object",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }] },
      /content\[0\]\.image_url/,
    ],
    [
      "a result without a call",
      { messages: [user, result("a")] },
      /^messages\[1\]\.role: .*must be a response to a preceeding message/,
    ],
    ["a result of another call", { messages: [asks(call("a")), result("b")] }, /'b' not found in 'tool_calls'/],
    ["a second result", { messages: [asks(call("a")), result("a"), result("a")] }, /a second result for 'a'/],
    [
      "a result without an id",
      { messages: [asks(call("a")), { role: "tool", content: "x" }] },
      /^messages\[1\]\.tool_call_id: Missing/,
    ],
    [
      "a call without a result at the end",
      { messages: [asks(call("a"), call("b")), result("a")] },
      /^messages\[0\]\.tool_calls: .*did not have response messages: b$/,
    ],
    ["a call without a result before the next message", { messages: [asks(call("a")), user] }, /response messages: a$/],
    [
      "an empty list of calls",
      { messages: [{ role: "assistant", content: "x", tool_calls: [] }] },
      /^messages\[0\]\.tool_calls: .*empty array/,
    ],
    ["a call of no function", { messages: [asks({ id: "a", type: "custom" }), result("a")] }, /tool_calls\[0\]: /],
    ["a call without an id", { messages: [asks(call(""))] }, /tool_calls\[0\]\.id/],
    ["two calls with one id", { messages: [asks(call("a"), call("a")), result("a")] }, /two calls have the id 'a'/],
    [
      "a call id that is too long (PA-27)",
      { messages: [asks(call("x".repeat(41))), result("x".repeat(41))] },
      /string too long.*maximum length 40, but got a string with length 41/,
    ],
    ["a call name with a dot", { messages: [asks(call("a", "{}", "a.b")), result("a")] }, /function\.name/],
    ["broken arguments (PA-04)", { messages: [asks(call("a", '{"q')), result("a")] }, /function\.arguments/],
    ["arguments that are no object", { messages: [asks(call("a", "[]")), result("a")] }, /function\.arguments/],
    ["an empty list of tools", { tools: [] }, /^tools: \[\] is too short/],
    ["tools that are no list", { tools: {} }, /^tools: /],
    ["too many tools", { tools: Array.from({ length: 129 }, (_, at) => declared({ name: `t${at}` })) }, /at most 128/],
    ["a tool of no function", { tools: [{ type: "function" }] }, /^tools\[0\]: /],
    ["a tool name with a dot", { tools: [declared({ name: "a.b" })] }, /^tools\[0\]\.function\.name/],
    ["two tools with one name", { tools: [declared(), declared()] }, /^tools\[1\]\.function\.name: .*same name/],
    ["a tool without an object of parameters", { tools: [declared({ parameters: { type: "string" } })] }, /parameters/],
    [
      "a strict tool with open parameters",
      { tools: [declared({ strict: true })] },
      /'additionalProperties' is required/,
    ],
    ["a choice without tools", { tool_choice: "auto" }, /^tool_choice: .*only allowed when 'tools'/],
    ["parallel calls without tools", { parallel_tool_calls: true }, /^parallel_tool_calls: /],
    ["a choice of an unknown kind", { tools: [declared()], tool_choice: "any" }, /^tool_choice: /],
    [
      "a choice of a tool that is not offered",
      { tools: [declared()], tool_choice: { type: "function", function: { name: "x" } } },
      /'x' not found in 'tools'/,
    ],
    [
      "JSON mode without the word",
      { messages: [{ role: "user", content: "hi" }], response_format: { type: "json_object" } },
      /must contain the word 'json'/,
    ],
    ["a format of an unknown kind", { response_format: { type: "xml" } }, /^response_format\.type/],
    ["a format without a schema", { response_format: { type: "json_schema" } }, /^response_format\.json_schema: /],
    [
      "a schema name with a space",
      { response_format: { type: "json_schema", json_schema: { name: "a b", schema: {} } } },
      /json_schema\.name/,
    ],
    [
      "a schema that is missing",
      { response_format: { type: "json_schema", json_schema: { name: "a" } } },
      /json_schema\.schema/,
    ],
    [
      "a strict schema with an optional property (PA-23)",
      strict({ type: "object", additionalProperties: false, required: [], properties: { a: {} } }),
      /Missing 'a'/,
    ],
    [
      "a strict schema that is open deep inside",
      strict({
        type: "object",
        additionalProperties: false,
        required: ["a"],
        properties: { a: { type: "array", items: { type: "object", required: [] } } },
      }),
      /properties\.a\.items, 'additionalProperties'/,
    ],
    ["a strict schema whose root is a union", strict({ anyOf: [] }), /root must be of type 'object'/],
    [
      "an unknown stream option",
      { stream: true, stream_options: { usage: true } },
      /Unknown parameter: 'stream_options.usage'/,
    ],
    ["stream options without a stream", { stream_options: {} }, /^stream_options: .*only allowed when 'stream'/],
    ["two bounds of the answer", { max_tokens: 1, max_completion_tokens: 1 }, /at the same time/],
    ["a temperature above 2", { temperature: 3 }, /^temperature: /],
    ["a bound of zero tokens", { max_tokens: 0 }, /^max_tokens: /],
    ["five stop sequences", { stop: ["1", "2", "3", "4", "5"] }, /^stop: /],
  ])("has %s", (_, body, expected) => {
    const found = problems(body);
    expect(found).not.toEqual([]);
    expect(found[0]).toMatch(expected);
  });
});
