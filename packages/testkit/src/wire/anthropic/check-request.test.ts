import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import type { WireRequest } from "../request.js";
import { checkCountRequest, checkMessagesRequest } from "./check-request.js";

const user = (...content: readonly JsonValue[]): JsonObject => ({ role: "user", content });
const assistant = (...content: readonly JsonValue[]): JsonObject => ({ role: "assistant", content });
const text = (said: string, more: JsonObject = {}): JsonObject => ({ type: "text", text: said, ...more });
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id,
  name: "search",
  input: {},
  ...more,
});
const result = (id: string, more: JsonObject = {}): JsonObject => ({ type: "tool_result", tool_use_id: id, ...more });
const thought = (more: JsonObject = {}): JsonObject => ({
  type: "thinking",
  thinking: "hm",
  signature: "sig",
  ...more,
});
const tool = (more: JsonObject = {}): JsonObject => ({
  name: "search",
  input_schema: { type: "object", properties: {} },
  ...more,
});
const image = (source: JsonObject): JsonObject => ({ type: "image", source });
const document = (source: JsonObject): JsonObject => ({ type: "document", source });
const cached = (more: JsonObject = {}): JsonObject => ({ cache_control: { type: "ephemeral", ...more } });
const history = (...messages: readonly JsonObject[]): JsonObject => ({ messages: [user(text("hi")), ...messages] });
const thinks: JsonObject = { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_000 };

function request(body: JsonObject, headers: WireRequest["headers"] = {}): WireRequest {
  return {
    number: 1,
    method: "POST",
    path: "/v1/messages",
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", ...headers },
    authorization: undefined,
    text: "",
    body: { model: "claude-x", max_tokens: 100, messages: [user(text("hi"))], ...body },
    aborted: false,
    ended: Promise.resolve("answered"),
  };
}

function problems(body: JsonObject, headers?: WireRequest["headers"]): readonly string[] {
  const known = { extraParams: ["x_extra"], signatures: new Map([["given", "what was thought"]]) };
  return [...checkMessagesRequest(request(body, headers), known)].map(({ message }) => message);
}

describe("a request that Anthropic takes", () => {
  test.each<[string, JsonObject]>([
    ["texts in place of blocks", { system: "be brief", messages: [{ role: "user", content: "hi" }] }],
    [
      "calls, answered in any order before what the user says",
      {
        ...history(assistant(text("so"), call("a"), call("b-2")), user(result("b-2"), result("a"), text("and?"))),
        tools: [tool()],
      },
    ],
    ["calls of earlier turns without tools now", history(assistant(call("a")), user(result("a", { content: "1" })))],
    [
      "results of every kind",
      history(
        assistant(call("a"), call("b"), call("c")),
        user(
          result("a", { content: [text("1"), image({ type: "url", url: "https://x/y.png" })] }),
          result("b", { content: "" }),
          result("c", { content: "it failed", is_error: true }),
        ),
      ),
    ],
    [
      "images and documents of every source",
      {
        messages: [
          user(
            image({ type: "base64", media_type: "image/webp", data: "QUJD" }),
            image({ type: "file", file_id: "file_1" }),
            document({ type: "base64", media_type: "application/pdf", data: "QUJD" }),
            document({ type: "text", media_type: "text/plain", data: "words" }),
            document({ type: "content", content: "words" }),
            document({ type: "url", url: "https://x/y.pdf" }),
          ),
        ],
      },
    ],
    [
      "thinking before a call whose result is sent",
      { ...thinks, ...history(assistant(thought(), call("a")), user(result("a"))) },
    ],
    [
      "redacted thinking there",
      {
        ...thinks,
        ...history(assistant({ type: "redacted_thinking", data: "x" }, call("a")), user(result("a"))),
      },
    ],
    [
      "thinking at the start of the open turn alone",
      {
        ...thinks,
        ...history(
          assistant(text("old")),
          user(text("next")),
          assistant(thought(), call("a")),
          user(result("a")),
          assistant(call("b")),
          user(result("b")),
        ),
      },
    ],
    [
      "no thinking before a call when the model decides how much to think",
      { thinking: { type: "adaptive" }, ...history(assistant(call("a")), user(result("a"))) },
    ],
    ["thinking that was given with its signature", history(assistant(thought({ signature: "sig" }), text("so")))],
    [
      "four breakpoints, the longer ones first",
      {
        tools: [tool(cached({ ttl: "1h" }))],
        system: [text("s", cached({ ttl: "1h" }))],
        messages: [user(text("a", cached()), text("b", cached()))],
      },
    ],
    [
      "the API's own tools and what they gave",
      {
        tools: [{ type: "web_search_20250305", name: "web_search" }, tool()],
        ...history(
          assistant(
            { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
            text("so"),
          ),
          user(text("more")),
        ),
      },
    ],
    [
      "a forced tool and a temperature where thinking is off",
      { thinking: { type: "disabled" }, tools: [tool()], tool_choice: { type: "any" }, temperature: 0 },
    ],
    ["the beginning of an answer", history(assistant(text("{")))],
    [
      "every setting",
      {
        temperature: 1,
        top_p: 0.5,
        top_k: 5,
        stop_sequences: ["END"],
        metadata: { user_id: "u" },
        stream: true,
        service_tier: "auto",
        output_config: { effort: "low" },
        tools: [tool()],
        tool_choice: { type: "tool", name: "search", disable_parallel_tool_use: true },
        x_extra: 1,
      },
    ],
  ])("has %s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });

  test("has a budget above its limit when thinking goes on between tools", () => {
    const body = { thinking: { type: "enabled", budget_tokens: 9_000 } };
    expect(problems(body, { "anthropic-beta": "interleaved-thinking-2025-05-14" })).toEqual([]);
  });
});

describe("a request is refused for", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["no limit of tokens", { max_tokens: null }, /^max_tokens: Input should be a whole number/],
    ["an unknown parameter", { n: 2 }, /^n: Extra inputs are not permitted$/],
    ["no messages", { messages: [] }, /at least one message is required/],
    ["messages that are no list", { messages: "hi" }, /^messages: Field required/],
    ["an answer as the first message", { messages: [assistant(text("hi"))] }, /first message must use the "user" role/],
    ["a system message", { messages: [{ role: "system", content: "x" }] }, /Unexpected role "system"/],
    ["a tool message", history({ role: "tool", content: "x" }), /^messages.1.role: Input should be/],
    ["a name of a message", history({ role: "user", name: "u", content: "x" }), /^messages.1.name: Extra inputs/],
    ["an empty message", history(user(), user(text("x"))), /non-empty content except for the optional final/],
    ["an empty text (PA-26)", history(user(text(""))), /text content blocks must be non-empty/],
    ["an empty text alone", { messages: [{ role: "user", content: "" }] }, /must have non-empty content/],
    ["a text of white space", history(assistant(text("\n")), user(text("x"))), /must contain non-whitespace text/],
    ["an empty system text", { system: [text("")] }, /^system: text content blocks must be non-empty/],
    ["a system block that is no text", { system: [image({ type: "url", url: "https://x" })] }, /^system.0.type/],
    ["an unknown block", history(user({ type: "input_text", text: "x" })), /^messages.1.content.0: Input tag/],
    ["an unknown field of a block", history(user(text("x", { index: 0 }))), /content.0.text.index: Extra inputs/],
    ["a call in a user's message", history(user(call("a"))), /`tool_use` blocks can only be in `assistant`/],
    ["a result in an answer", history(assistant(result("a"))), /`tool_result` blocks can only be in `user`/],
    [
      "an id out of pattern (PA-27)",
      history(assistant(call("a|b")), user(result("a|b"))),
      /tool_use.id: String should/,
    ],
    [
      "a call's name out of pattern",
      history(assistant(call("a", { name: "a b" })), user(result("a"))),
      /tool_use.name/,
    ],
    [
      "arguments as text (PA-04)",
      history(assistant(call("a", { input: "{}" })), user(result("a"))),
      /tool_use.input: Input should be a valid dictionary/,
    ],
    [
      "a call without its result",
      history(assistant(call("a"), call("b")), user(result("a"))),
      /^messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b\./,
    ],
    ["a call at the end", history(assistant(call("a"))), /^messages.1: `tool_use` ids were found/],
    ["a text before the results", history(assistant(call("a")), user(text("x"), result("a"))), /immediately after: a/],
    [
      "a result of an unknown call",
      history(assistant(text("x")), user(result("a"))),
      /^messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a\./,
    ],
    [
      "a second result",
      history(assistant(call("a")), user(result("a"), result("a"))),
      /Found multiple `tool_result` blocks with id: a/,
    ],
    [
      "an id of an earlier call",
      history(assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))),
      /`tool_use` ids must be unique/,
    ],
    [
      "a failure that says nothing",
      history(assistant(call("a")), user(result("a", { is_error: true }))),
      /content cannot be empty if `is_error` is true/,
    ],
    [
      "a failure with an image",
      history(
        assistant(call("a")),
        user(result("a", { is_error: true, content: [image({ type: "url", url: "https://x" })] })),
      ),
      /all content must be type "text" if `is_error` is true/,
    ],
    [
      "an empty text in a result",
      history(assistant(call("a")), user(result("a", { content: [text("")] }))),
      /text content blocks must be non-empty/,
    ],
    [
      "a result of the API's own tool without its call",
      history(assistant({ type: "web_search_tool_result", tool_use_id: "srv", content: [] }, text("x"))),
      /unexpected `tool_use_id` found in `web_search_tool_result` blocks: srv/,
    ],
    [
      "a result of the API's own tool for a call of ours",
      history(
        assistant(call("a"), { type: "web_search_tool_result", tool_use_id: "a", content: [] }),
        user(result("a")),
      ),
      /unexpected `tool_use_id` found in `web_search_tool_result` blocks: a/,
    ],
    [
      "thinking without a signature (PA-06)",
      history(assistant({ type: "thinking", thinking: "hm" }, text("x"))),
      /sign/,
    ],
    ["an empty signature", history(assistant(thought({ signature: "" }), text("x"))), /signature: String should match/],
    [
      "a signature of other thoughts",
      history(assistant(thought({ signature: "given" }), text("x"))),
      /^messages.1.content.0: Invalid `signature` in `thinking` block$/,
    ],
    [
      "thinking at the end of an answer",
      history(assistant(thought())),
      /final block in an assistant message cannot be/,
    ],
    [
      "a call without the thinking before it (PA-08)",
      { ...thinks, ...history(assistant(call("a")), user(result("a"))) },
      /^messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
    ],
    ["a small budget", { thinking: { type: "enabled", budget_tokens: 1_000 } }, /greater than or equal to 1024/],
    [
      "a budget above the limit",
      { thinking: { type: "enabled", budget_tokens: 2_000 }, max_tokens: 2_000 },
      /`max_tokens` must be greater than `thinking.budget_tokens`/,
    ],
    ["a thinking without a budget", { thinking: { type: "enabled" } }, /budget_tokens: Field required/],
    ["an unknown thinking", { thinking: { type: "on" } }, /^thinking.type: Input should be/],
    [
      "thinking with a forced tool",
      { ...thinks, tools: [tool()], tool_choice: { type: "any" } },
      /Thinking may not be enabled when tool_choice forces tool use/,
    ],
    ["thinking with a temperature", { ...thinks, temperature: 0 }, /`temperature` may only be set to 1/],
    ["thinking with top_k", { ...thinks, top_k: 3 }, /`top_k` must be unset/],
    ["thinking with a low top_p", { ...thinks, top_p: 0.5 }, /`top_p` must be greater/],
    ["a temperature above 1", { temperature: 1.5 }, /^temperature: Input should be a number from 0 to 1/],
    ["a stop of white space", { stop_sequences: [" "] }, /each stop sequence must contain non-whitespace/],
    ["unknown metadata", { metadata: { user: "u" } }, /^metadata.user: Extra inputs/],
    ["a tool's name out of pattern", { tools: [tool({ name: "a.b" })] }, /^tools.0.custom.name: String should match/],
    ["two tools of one name", { tools: [tool(), tool()] }, /Tool names must be unique/],
    ["a tool without a schema", { tools: [{ name: "a" }] }, /^tools.0.custom.input_schema: Field required/],
    [
      "a schema of another type",
      { tools: [tool({ input_schema: {} })] },
      /input_schema.type: Input should be 'object'/,
    ],
    [
      "a schema of alternatives",
      { tools: [tool({ input_schema: { type: "object", anyOf: [] } })] },
      /does not support oneOf, allOf, or anyOf/,
    ],
    ["a tool of OpenAI's shape", { tools: [{ type: "function", function: {} }] }, /^tools.0: Input tag 'function'/],
    ["an unknown field of a tool", { tools: [tool({ parameters: {} })] }, /^tools.0.custom.parameters: Extra inputs/],
    ["a choice without tools", { tool_choice: { type: "auto" } }, /only be specified while providing tools/],
    ["a choice as text", { tools: [tool()], tool_choice: "auto" }, /^tool_choice.type: Input should be/],
    ["an unknown named tool", { tools: [tool()], tool_choice: { type: "tool", name: "x" } }, /Tool 'x' not found/],
    [
      "five breakpoints (PA-25)",
      {
        tools: [tool(cached())],
        system: [text("s", cached())],
        ...history(
          assistant(call("a")),
          user(result("a", { content: [text("1", cached())], ...cached() }), text("b", cached())),
        ),
      },
      /A maximum of 4 blocks with cache_control may be provided. Found 5/,
    ],
    [
      "a long breakpoint after a short one",
      { system: [text("s", cached())], messages: [user(text("a", cached({ ttl: "1h" })))] },
      /^messages.0.content.0.cache_control: a ttl='1h' cache_control block must not come after/,
    ],
    ["a breakpoint of another kind", { system: [text("s", { cache_control: {} })] }, /^system.0.cache_control/],
    [
      "a breakpoint at a thought",
      history(assistant(thought(cached()), text("x"))),
      /thinking.cache_control: Extra inputs are not permitted/,
    ],
    [
      "an image of an unknown type",
      history(user(image({ type: "base64", media_type: "image/bmp", data: "QUJD" }))),
      /jpeg/,
    ],
    [
      "an image with its prefix",
      history(user(image({ type: "base64", media_type: "image/png", data: "data:x" }))),
      /data:/,
    ],
    ["a document of an unknown type", history(user(document({ type: "base64", media_type: "text/html" }))), /pdf/],
    ["no model", { model: "" }, /^model: Field required/],
    ["a system prompt of another type", { system: 1 }, /^system: Input should be a valid string or list/],
    [
      "a message that is no object",
      { messages: [user(text("x")), "x"] },
      /^messages.1: Input should be a valid dictionary/,
    ],
    [
      "content of another type",
      history({ role: "user", content: 1 }),
      /^messages.1.content: Input should be a valid string/,
    ],
    ["a block that is no object", history(user("x")), /^messages.1.content.0: Input should be a valid dictionary/],
    ["a text of another type", history(user({ type: "text", text: 1 })), /text.text: Input should be a valid string/],
    ["a stream of another type", { stream: "yes" }, /^stream: Input should be a valid boolean/],
    ["stops that are no list", { stop_sequences: "END" }, /^stop_sequences: Input should be a valid list/],
    ["tools that are no list", { tools: {} }, /^tools: Input should be a valid list/],
    ["a tool that is no object", { tools: ["a"] }, /^tools.0: Input should be a valid dictionary/],
    [
      "an image without a source",
      history(user({ type: "image" })),
      /^messages.1.content.0.image.source: Field required/,
    ],
    ["a document without a source", history(user({ type: "document" })), /document.source: Field required/],
    ["a document of other content", history(user(document({ type: "content", content: 1 }))), /content.content: Input/],
    [
      "a source of OpenAI's",
      history(user(image({ type: "image_url", url: "x" }))),
      /Input tag 'image_url' does not match/,
    ],
    [
      "a failure that is no truth",
      history(assistant(call("a")), user(result("a", { is_error: "yes" }))),
      /is_error: Input/,
    ],
    [
      "a result of another type",
      history(assistant(call("a")), user(result("a", { content: 1 }))),
      /tool_result.content: Input/,
    ],
    [
      "a result with a call in it",
      history(assistant(call("a")), user(result("a", { content: [call("b")] }))),
      /^messages.2.content.0.tool_result.content.0: Input tag 'tool_use'/,
    ],
    [
      "what the API's own tool gave in a user's message",
      history(user({ type: "web_search_tool_result", tool_use_id: "srv", content: [] })),
      /results of server tools can only be in `assistant` messages/,
    ],
    [
      "nothing that the API's own tool gave",
      history(assistant({ type: "web_search_tool_result", tool_use_id: "srv" }, text("x"))),
      /web_search_tool_result.content: Field required/,
    ],
    ["an answer that ends in white space", history(assistant(text("so "))), /cannot end with trailing whitespace/],
  ])("%s", (_, body, message) => {
    expect(problems(body).join("\n")).toMatch(message);
  });

  test("a limit that is not there", () => {
    const { max_tokens: _, ...body } = request({}).body;
    const known = { extraParams: [], signatures: new Map() };
    expect([...checkMessagesRequest({ ...request({}), body }, known)].map(({ message }) => message)).toEqual([
      "max_tokens: Field required",
    ]);
  });

  test("headers that are not there", () => {
    const known = { extraParams: [], signatures: new Map() };
    const found = [...checkMessagesRequest({ ...request({}), headers: {} }, known)];
    expect(found.map(({ status, message }) => [status, message])).toEqual([
      [401, "x-api-key header is required"],
      [undefined, "anthropic-version: header is required"],
    ]);
  });

  test("a limit, where tokens are counted", () => {
    const known = { extraParams: [], signatures: new Map() };
    expect([...checkCountRequest(request({}), known)].map(({ message }) => message)).toEqual([
      "max_tokens: Extra inputs are not permitted",
    ]);
  });
});
