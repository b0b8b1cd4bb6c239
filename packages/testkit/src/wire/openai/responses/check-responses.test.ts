import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { checkResponses } from "./check-responses.js";
import { memory } from "./memory.js";

const user: JsonObject = { role: "user", content: "hi, in json" };
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: "search",
  arguments: "{}",
  ...more,
});
const output = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "function_call_output",
  call_id: id,
  output: "done",
  ...more,
});
const said = (text: string, more: JsonObject = {}): JsonObject => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
  ...more,
});
const reasoning = (more: JsonObject = {}): JsonObject => ({
  type: "reasoning",
  id: "rs_own",
  summary: [],
  encrypted_content: "secret",
  ...more,
});
const tool = (more: JsonObject = {}): JsonObject => ({
  type: "function",
  name: "search",
  parameters: { type: "object", properties: {} },
  ...more,
});
const input = (...items: readonly JsonValue[]): JsonObject => ({ input: [user, ...items] });
const format = (more: JsonObject): JsonObject => ({ text: { format: more } });

/** A server that has stored `resp_1`, and given `resp_2` without storing it. */
function known() {
  const kept = memory();
  kept.keep("resp_1", { input: [user] }, [reasoning({ id: "rs_1" }), call("call_1", { id: "fc_1" })]);
  kept.keep("resp_2", { input: [user], store: false }, [reasoning({ id: "rs_2" }), said("a", { id: "msg_2" })]);
  return kept;
}

function problems(body: JsonObject): readonly string[] {
  const whole = { model: "gpt-x", input: [user], ...body };
  return [...checkResponses(whole, known(), ["x_extra"])].map(({ message }) => message);
}

describe("a request that the Responses API takes", () => {
  test.each<[string, JsonObject]>([
    ["a text", { input: "hi" }],
    [
      "messages of every role and content",
      input(
        { role: "system", content: "s" },
        { type: "message", role: "developer", content: [{ type: "input_text", text: "d" }] },
        {
          role: "user",
          content: [
            { type: "input_image", image_url: "data:image/png;base64,QUJD", detail: "low" },
            { type: "input_image", file_id: "file_1" },
            { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" },
            { type: "input_file", file_url: "https://x/y.pdf" },
          ],
        },
        said("a", { id: "msg_own", status: "completed" }),
        { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      ),
    ],
    [
      "calls and their outputs",
      input(call("a"), call("b"), output("b"), output("a", { output: [{ type: "input_text", text: "1" }] })),
    ],
    ["reasoning with what came of it", input(reasoning(), call("a", { id: "fc_own" }), output("a"), said("so"))],
    ["an answer to a call of a stored response", { previous_response_id: "resp_1", input: [output("call_1")] }],
    [
      "references to stored items",
      { input: [user, { type: "item_reference", id: "rs_1" }, { id: "fc_1" }, output("call_1")] },
    ],
    ["reasoning that was not stored, as it was given", input(reasoning({ id: "rs_2" }), said("a", { id: "msg_2" }))],
    ["items of the API's own tools", input({ type: "web_search_call", id: "ws_1", status: "completed" }, said("so"))],
    [
      "every setting",
      {
        instructions: "be brief",
        tools: [tool(), { type: "web_search" }, { type: "mcp", server_label: "x" }],
        tool_choice: { type: "function", name: "search" },
        parallel_tool_calls: false,
        text: { format: { type: "json_schema", name: "a", schema: {} }, verbosity: "low" },
        reasoning: { effort: "high", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        max_output_tokens: 16,
        temperature: 2,
        store: false,
        stream: true,
        stream_options: { include_obfuscation: false },
        x_extra: 1,
      },
    ],
  ])("has %s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });
});

describe("a request to the Responses API is refused for", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["no model", { model: "" }, /^Missing required parameter: 'model'/],
    ["an unknown parameter", { n: 2 }, /^Unknown parameter: 'n'\.$/],
    ["parameters of Chat Completions", { messages: [user] }, /this parameter has moved to 'input'/],
    ["a format in the old place", { response_format: {} }, /this parameter has moved to 'text.format'/],
    ["no input", { input: null }, /^One of 'input'/],
    [
      "a part of another role",
      input({ role: "user", content: [{ type: "output_text", text: "x" }] }),
      /'input_text', /,
    ],
    [
      "input that an assistant gives",
      input({ role: "assistant", content: [{ type: "input_text", text: "x" }] }),
      /^Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'\.$/,
    ],
    [
      "a part of Chat Completions",
      input({ role: "user", content: [{ type: "text", text: "x" }] }),
      /Invalid value: 'text'/,
    ],
    ["an empty content", input({ role: "user", content: [] }), /'input\[1\].content': empty array/],
    ["a message of a tool", input({ role: "tool", content: "x" }), /Invalid value: 'tool'/],
    ["an unknown field", input({ role: "user", content: "x", name: "u" }), /Unknown parameter: 'input\[1\].name'/],
    ["calls within a message", input({ ...said("x"), tool_calls: [] }), /Unknown parameter: 'input\[1\].tool_calls'/],
    ["an input of another type", { input: {} }, /^Invalid 'input': expected a string or an array of items/],
    ["an item that is no object", input("x"), /^Invalid 'input\[1\]': expected an object/],
    ["a message without content", input({ role: "user" }), /^Missing required parameter: 'input\[1\].content'/],
    [
      "content of another type",
      input({ role: "user", content: {} }),
      /'input\[1\].content': expected a string or an array/,
    ],
    [
      "a part that is no object",
      input({ role: "user", content: ["x"] }),
      /'input\[1\].content\[0\]': expected an object/,
    ],
    ["a text that is missing", input({ role: "user", content: [{ type: "input_text" }] }), /content\[0\].text'/],
    [
      "a refusal that is missing",
      input({ role: "assistant", content: [{ type: "refusal" }] }),
      /content\[0\].refusal'/,
    ],
    [
      "a file without its bytes",
      input({ role: "user", content: [{ type: "input_file", filename: "a" }] }),
      /file_data'/,
    ],
    [
      "a file without its type",
      input({ role: "user", content: [{ type: "input_file", filename: "a", file_data: "QUJD" }] }),
      /file_data': expected a data URL/,
    ],
    ["a call without its id", input({ type: "function_call", name: "a", arguments: "{}" }), /'input\[1\].call_id'/],
    ["an output of nothing", input(call("a"), { type: "function_call_output", call_id: "a" }), /'input\[2\].output'/],
    ["reasoning without an id", input({ type: "reasoning", summary: [] }, said("x")), /'input\[1\].id'/],
    [
      "an item's id that is too long",
      input(said("x", { id: `msg_${"x".repeat(61)}` })),
      /'input\[1\].id': string too long/,
    ],
    ["an unknown item", input({ type: "tool_call" }), /^Invalid value: 'tool_call'/],
    [
      "bytes without their type",
      input({ role: "user", content: [{ type: "input_image", image_url: "QUJD" }] }),
      /Expected a base64-encoded data URL with an image MIME type/,
    ],
    [
      "an image of another type",
      input({ role: "user", content: [{ type: "input_image", image_url: "data:image/bmp;base64,QUJD" }] }),
      /MIME/,
    ],
    [
      "a file without a name",
      input({ role: "user", content: [{ type: "input_file", file_data: "data:x" }] }),
      /filename/,
    ],
    ["a call's id in place of an item's", input(call("a", { id: "call_a" }), output("a")), /begins with 'fc'/],
    ["an id that is too long (PA-27)", input(call("a".repeat(65)), output("a".repeat(65))), /maximum length 64/],
    [
      "a name out of pattern",
      input(call("a", { name: "a.b" }), output("a")),
      /'input\[1\].name': string does not match/,
    ],
    [
      "arguments as data (PA-04)",
      input(call("a", { arguments: {} }), output("a")),
      /'input\[1\].arguments': expected a string/,
    ],
    ["a call without its output", input(call("a"), said("x")), /^No tool output found for function call a\.$/],
    [
      "an output without its call",
      input(output("a")),
      /^No tool call found for function call output with call_id a\.$/,
    ],
    ["a second output", input(call("a"), output("a"), output("a")), /^Duplicate output found .* a\.$/],
    [
      "a second call of one id",
      input(call("a"), output("a"), call("a"), output("a")),
      /^Duplicate call_id found: a\.$/,
    ],
    [
      "an item twice",
      input(said("a", { id: "msg_a" }), said("b", { id: "msg_a" })),
      /^Duplicate item found with id msg_a/,
    ],
    [
      "an item that the previous response has",
      { previous_response_id: "resp_1", input: [call("call_1", { id: "fc_1" }), output("call_1")] },
      /^Duplicate item found with id fc_1/,
    ],
    ["an open call of the previous response", { previous_response_id: "resp_1" }, /^No tool output found .* call_1/],
    [
      "an unknown previous response",
      { previous_response_id: "resp_9" },
      /^Previous response with id 'resp_9' not found\.$/,
    ],
    ["one that was not stored", { previous_response_id: "resp_2" }, /'resp_2' not found/],
    [
      "two pasts",
      { previous_response_id: "resp_1", conversation: "c", input: [output("call_1")] },
      /in conjunction with/,
    ],
    [
      "reasoning at the end",
      input(reasoning()),
      /^Item 'rs_own' of type 'reasoning' was provided without its required following/,
    ],
    ["reasoning before a user's message", input(reasoning(), user), /without its required following item/],
    [
      "an item without its reasoning (PA-08)",
      input(call("call_1", { id: "fc_1" }), output("call_1")),
      /^Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'\.$/,
    ],
    [
      "reasoning that was changed",
      input(reasoning({ id: "rs_1", encrypted_content: "other" }), said("x")),
      /^The encrypted content for item rs_1 could not be verified\.$/,
    ],
    [
      "reasoning that is neither stored nor sent",
      input(reasoning({ id: "rs_2", encrypted_content: null }), said("x")),
      /^Item with id 'rs_2' not found. Items are not persisted when `store` is set to false/,
    ],
    ["a reference to nothing", input({ type: "item_reference", id: "msg_9" }), /^Item with id 'msg_9' not found\.$/],
    [
      "reasoning without a summary",
      input({ type: "reasoning", id: "rs_x", encrypted_content: "x" }, said("x")),
      /summary/,
    ],
    ["tools that are no list", { tools: {} }, /^Invalid 'tools': expected an array/],
    ["a tool that is no object", { tools: ["a"] }, /^Invalid 'tools\[0\]': expected an object/],
    [
      "a tool's name out of pattern",
      { tools: [tool({ name: "a.b" })] },
      /'tools\[0\].name': expected a string that matches/,
    ],
    [
      "a schema of another type",
      { tools: [tool({ parameters: { type: "array" } })] },
      /schema must be a JSON Schema of/,
    ],
    ["an unknown choice", { tools: [tool()], tool_choice: "any" }, /^Invalid value: 'any'/],
    ["a text setting of another type", { text: "low" }, /^Invalid 'text': expected an object/],
    ["an unknown format", format({ type: "xml" }), /^Invalid value: 'xml'/],
    ["a format without a name", format({ type: "json_schema", schema: {} }), /'text.format.name'/],
    ["a format without a schema", format({ type: "json_schema", name: "a" }), /'text.format.schema'/],
    ["a reasoning of another type", { reasoning: "high" }, /^Invalid 'reasoning': expected an object/],
    [
      "a tool of the old shape",
      { tools: [{ type: "function", function: { name: "a" } }] },
      /Unknown parameter: 'tools\[0\].function'/,
    ],
    ["a tool without a name", { tools: [{ type: "function" }] }, /Missing required parameter: 'tools\[0\].name'/],
    ["two tools of one name", { tools: [tool(), tool()] }, /two tools have the same name/],
    ["an unknown kind of tool", { tools: [{ type: "browser" }] }, /Invalid value: 'browser'/],
    [
      "a loose schema in strict mode (PA-23)",
      { tools: [tool({ strict: true })] },
      /'additionalProperties' is required/,
    ],
    [
      "a choice of the old shape",
      { tools: [tool()], tool_choice: { type: "function", function: {} } },
      /'tool_choice.name'/,
    ],
    [
      "a choice of an unknown tool",
      { tools: [tool()], tool_choice: { type: "function", name: "x" } },
      /not found in 'tools'/,
    ],
    ["a forced choice of nothing", { tool_choice: "required" }, /it needs 'tools'/],
    [
      "a format of the old shape",
      format({ type: "json_schema", json_schema: {} }),
      /Unknown parameter: 'text.format.json_schema'/,
    ],
    ["JSON that nobody speaks of", { input: "hi", ...format({ type: "json_object" }) }, /must contain the word 'json'/],
    ["an unknown effort", { reasoning: { effort: "huge" } }, /Invalid value: 'huge'/],
    ["an unknown summary", { reasoning: { summary: "long" } }, /Invalid value: 'long'/],
    ["an unknown include", { include: ["usage"] }, /Invalid value: 'usage'/],
    ["too few tokens", { max_output_tokens: 5 }, /Expected a value >= 16, but got 5 instead/],
    ["stream options without a stream", { stream_options: {} }, /only allowed when 'stream' is enabled/],
    ["stream options of Chat Completions", { stream: true, stream_options: { include_usage: true } }, /include_usage/],
    ["a temperature out of range", { temperature: 3 }, /expected a number from 0 to 2/],
  ])("%s", (_, body, message) => {
    expect(problems(body).join("\n")).toMatch(message);
  });
});
