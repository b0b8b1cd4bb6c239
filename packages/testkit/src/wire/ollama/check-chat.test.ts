import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { checkChat, checkEmbed } from "./check-chat.js";

const user = { role: "user", content: "hi" };
const asks = (...calls: readonly JsonValue[]): JsonObject => ({ role: "assistant", content: "", tool_calls: calls });
const call = (args: JsonValue = {}): JsonObject => ({ function: { name: "search", arguments: args } });
const result: JsonObject = { role: "tool", tool_name: "search", content: "done" };
const tool: JsonObject = { type: "function", function: { name: "search", parameters: { type: "object" } } };
const history = (...messages: readonly JsonObject[]): JsonObject => ({ messages: [user, ...messages] });

function problems(body: JsonObject): readonly string[] {
  return [...checkChat({ model: "m", messages: [user], ...body }, ["x_extra"])].map(({ message }) => message);
}

describe("a request that Ollama takes", () => {
  test.each<[string, JsonObject]>([
    ["every role", history({ role: "system", content: "s" }, { role: "assistant", content: "a", thinking: "t" }, user)],
    ["calls with their results", history(asks(call(), { id: "call_1", ...call() }), result, result, user)],
    ["images as base64", { messages: [{ ...user, images: ["QUJD"] }] }],
    [
      "every setting",
      {
        tools: [tool],
        think: "high",
        format: { type: "object" },
        options: { num_ctx: 8_192, temperature: 0, stop: ["END"], penalize_newline: true },
        stream: false,
        keep_alive: "5m",
        x_extra: 1,
      },
    ],
  ])("has %s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });
});

describe("a request to Ollama is wrong for", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["no model", { model: "" }, /^model is required$/],
    ["no messages", { messages: [] }, /loads the model/],
    [
      "a parameter that would be dropped (PA-21)",
      { tool_choice: "auto" },
      /^tool_choice: Ollama has no such parameter/,
    ],
    ["an option that would be dropped", { options: { max_tokens: 5 } }, /^options.max_tokens: Ollama has no such/],
    ["an option of another type", { options: { stop: "END" } }, /^option "stop" must be of type array$/],
    ["options that are no object", { options: [] }, /cannot unmarshal array .*options of type map/],
    [
      "a schema of a tool that is no object",
      { tools: [{ type: "function", function: { name: "a", parameters: "x" } }] },
      /cannot unmarshal string .*parameters of type api.ToolFunctionParameters/,
    ],
    ["a message that is no object", history("x" as never), /cannot unmarshal string/],
    ["another role", history({ role: "developer", content: "x" }), /^messages\[1\].role: invalid role: developer/],
    ["content in parts", history({ role: "user", content: [] }), /cannot unmarshal array .*content of type string/],
    ["thinking that is no text", history({ role: "assistant", thinking: {} }), /cannot unmarshal object/],
    ["a field that would be dropped", history({ ...user, name: "u" }), /^messages\[1\].name: Ollama has no such field/],
    [
      "arguments as text (PA-04)",
      history(asks(call("{}")), result),
      /cannot unmarshal string into Go struct field .*arguments of type api.ToolCallFunctionArguments/,
    ],
    ["a call without a name", history(asks({ function: { arguments: {} } }), result), /does not name its tool/],
    ["calls that are no list", history({ ...user, tool_calls: {} }), /cannot unmarshal object .*tool_calls/],
    [
      "a call without its result",
      history(asks(call(), call()), result, user),
      /^messages\[1\].tool_calls: 1 calls have/,
    ],
    ["a call at the end", history(asks(call())), /^messages\[1\].tool_calls: 1 calls have no result/],
    ["a result without its call", history(result), /^messages\[1\]: a tool's result that no call asks for/],
    ["a result of no tool", history(asks(call()), { role: "tool", content: "x" }), /which tool it is of/],
    ["an image with its prefix (PA-14)", { messages: [{ ...user, images: ["data:x"] }] }, /illegal base64 data/],
    ["images that are no list", { messages: [{ ...user, images: "QUJD" }] }, /cannot unmarshal string .*images/],
    ["another way to think", { think: "deep" }, /^invalid think value: "deep"/],
    ["another format", { format: "xml" }, /^invalid format: "xml"; expected "json" or a valid JSON Schema object$/],
    ["tools that are no list", { tools: {} }, /cannot unmarshal object .*tools of type api.Tools/],
    ["a tool of another shape", { tools: [{ name: "a" }] }, /^tools\[0\]: expected an object of type 'function'/],
    ["a tool without a name", { tools: [{ type: "function", function: {} }] }, /a tool has no name/],
    ["a stream that is no truth", { stream: "no" }, /cannot unmarshal string .*stream of type bool/],
  ])("%s", (_, body, message) => {
    expect(problems(body).join("\n")).toMatch(message);
  });

  test("input to embed that is no text", () => {
    const found = [...checkEmbed({ model: "m", input: [1], prompt: "x" }, [])].map(({ message }) => message);
    expect(found).toEqual(["prompt: Ollama has no such parameter, and drops it silently", "invalid input type"]);
  });
});
