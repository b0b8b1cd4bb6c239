import { type JsonObject, text } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { args, block, deltasOf, end, read, responseOf, STOP, said, start, textBlock } from "../test/events.js";

describe("what a provider adds", () => {
  const citation = {
    type: "char_location",
    cited_text: "Grass is green.",
    document_index: 0,
    start_char_index: 0,
    end_char_index: 15,
  };

  it("citations follow the text that they belong to, whenever they come", async () => {
    const cites = { type: "citations_delta", citation };
    for (const deltas of [
      [said("It is "), said("green."), cites],
      [cites, said("It is green.")],
    ]) {
      const { message } = await read([
        start(),
        ...textBlock(0, "Well: "),
        ...block(1, { type: "text", text: "", citations: [] }, ...deltas),
        ...end("end_turn"),
      ]);
      expect(message.content).toEqual([
        { type: "text", text: "Well: " },
        { type: "text", text: "It is green." },
        {
          type: "citation",
          source: citation,
          text: "Grass is green.",
          providerMetadata: { anthropic: { of: "text" } },
        },
      ]);
      expect(text(message)).toBe("Well: It is green.");
    }
  });

  it("its own tools' calls and results are kept whole, in order (MSG-08)", async () => {
    const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ url: "https://a.test" }] };
    const { message } = await read([
      start(),
      ...block(
        0,
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        args('{"query":'),
        args('"x"}'),
      ),
      ...block(1, result),
      ...textBlock(2, "Found."),
      ...end("end_turn"),
    ]);
    const value = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    expect(message.content).toEqual([
      { type: "provider", provider: "anthropic", value },
      { type: "provider", provider: "anthropic", value: result },
      { type: "text", text: "Found." },
    ]);
  });

  it("blocks of types that are not known yet grow by their fragments (MSG-08)", async () => {
    const { message } = await read([
      start(),
      ...block(
        0,
        { type: "compaction", content: "So " },
        { type: "compaction_delta", content: "far." },
        { type: "compaction_delta", content: null, signature: "s" },
      ),
      ...end("compaction"),
    ]);
    const value = { type: "compaction", content: "So far.", signature: "s" };
    expect(message.content).toEqual([{ type: "provider", provider: "anthropic", value }]);
  });

  it("input of its own tools that is no JSON is kept as text, and told of", async () => {
    const broken = block(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }, args('{"q'));
    const { message, warnings } = await read([start(), ...broken, ...end("end_turn")]);
    expect(message.content).toMatchObject([{ type: "provider", value: { input: '{"q' } }]);
    expect(warnings).toMatchObject([{ code: "malformed_data" }]);
  });

  it("fields that have no home are kept: of the message, of blocks and of usage (MSG-08, PRV-06)", async () => {
    const container = { id: "container_1", expires_at: "2026-11-30T00:00:00Z" };
    const response = await read([
      start({ input_tokens: 3, service_tier: "standard" }, { diagnostics: { cache_miss_reason: null } }),
      ...block(0, { type: "text", text: "Hi", note: "n" }),
      {
        type: "message_delta",
        delta: { stop_reason: "stop_sequence", stop_sequence: "END", container },
        usage: { output_tokens: 1 },
        context_management: { applied_edits: [] },
      },
      STOP,
    ]);
    expect(response.message.content[0]?.providerMetadata).toEqual({ anthropic: { note: "n" } });
    const fields = {
      container,
      context_management: { applied_edits: [] },
      diagnostics: { cache_miss_reason: null },
      stop_sequence: "END",
    };
    expect(response.message.providerMetadata).toEqual({ anthropic: fields });
    expect(response.providerData).toEqual({ ...fields, usage: { service_tier: "standard" } });
  });

  it("the request's id is kept with the response", async () => {
    const { providerData } = await responseOf(deltasOf([start(), ...textBlock(0, "Hi"), ...end("end_turn")], "req_1"));
    expect(providerData).toEqual({ request_id: "req_1" });
  });

  it("a field that could reach an object's prototype is left out, and told of", async () => {
    const bad = JSON.parse('{"type":"odd_block","note":{"__proto__":{"polluted":true}}}') as JsonObject;
    const { message, warnings } = await read([start(), ...block(0, bad), ...textBlock(1, "x"), ...end("end_turn")]);
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
    expect(warnings).toMatchObject([{ code: "malformed_data" }]);
  });
});
