import { isTinyAgentsError } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { args, block, end, read, responseOf, said, start } from "../test/events.js";
import { readWhole } from "./from-whole.js";

describe("a whole answer", () => {
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "redacted_thinking", data: "ZGF0YQ==" },
    { type: "text", text: "Green.", citations: [{ type: "char_location", cited_text: "green" }] },
    { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
    { type: "web_search_tool_result", tool_use_id: "s", content: [] },
    { type: "tool_use", id: "a", name: "one", input: { x: 1 }, caller: { type: "direct" } },
  ];
  const usage = {
    input_tokens: 9,
    cache_read_input_tokens: 3,
    output_tokens: 4,
    server_tool_use: { web_search_requests: 1 },
  };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m-1", container: { id: "c" } };

  it("adds up to what its stream adds up to (MDL-10)", async () => {
    const streamed = [
      start({ ...usage, output_tokens: 1 }, { container: { id: "c" } }),
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Hm." },
        { type: "signature_delta", signature: "c2ln" },
      ),
      ...block(1, { type: "redacted_thinking", data: "ZGF0YQ==" }),
      ...block(2, { type: "text", text: "" }, said("Gre"), said("en."), {
        type: "citations_delta",
        citation: { type: "char_location", cited_text: "green" },
      }),
      ...block(3, { type: "server_tool_use", id: "s", name: "web_search", input: {} }, args('{"query":"x"}')),
      ...block(4, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
      ...block(
        5,
        { type: "tool_use", id: "a", name: "one", input: {}, caller: { type: "direct" } },
        args('{"x"'),
        args(":1}"),
      ),
      ...end("tool_use", usage),
    ];
    const whole = readWhole({ ...head, content, stop_reason: "tool_use", stop_sequence: null, usage }, "anthropic", []);
    const response = await responseOf(whole);
    expect(response).toEqual(await read(streamed));
    expect(response).toMatchObject({ finishReason: "tool_calls", responseId: "msg_1", model: { model: "m-1" } });
  });

  it("keeps broken arguments as an invalid call (MSG-05)", async () => {
    const broken = [{ type: "tool_use", id: "a", name: "one", input: '{"x":' }];
    const response = await responseOf(
      readWhole({ ...head, content: broken, stop_reason: "tool_use" }, "anthropic", []),
    );
    expect(response.message.content).toMatchObject([{ args: {}, invalid: { raw: '{"x":' } }]);
  });

  it("that is no message is a failure of the server", () => {
    for (const wire of ["<html>", {}, { content: "x" }, null, []]) {
      expect(() => readWhole(wire, "anthropic", [])).toThrowError(
        expect.toSatisfy((error) => isTinyAgentsError(error, "provider_server")),
      );
    }
  });

  it("without a reason has no end (PA-11)", () => {
    const wire = { ...head, content: [{ type: "text", text: "half" }], stop_reason: null };
    expect(readWhole(wire, "anthropic", []).some(({ type }) => type === "finish")).toBe(false);
  });
});
