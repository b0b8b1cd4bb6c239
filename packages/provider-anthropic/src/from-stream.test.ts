import {
  collect,
  hashText,
  isTinyAgentsError,
  type JsonObject,
  type ModelDelta,
  type ModelResponse,
  refusal,
  text,
} from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { StreamReader } from "./from-stream.js";
import { readWhole } from "./from-whole.js";

const IDENTITY = { id: "anthropic/m", provider: "anthropic", model: "m" };
const STOP = { type: "message_stop" };

function start(usage?: JsonObject, more: JsonObject = {}): JsonObject {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m-1", content: [], stop_reason: null };
  return { type: "message_start", message: { ...message, ...more, ...(usage === undefined ? {} : { usage }) } };
}

/** A block as it is streamed: its beginning, its fragments, its end. */
function block(index: number, content_block: JsonObject, ...deltas: JsonObject[]): JsonObject[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function said(text: string): JsonObject {
  return { type: "text_delta", text };
}

function args(partial_json: string): JsonObject {
  return { type: "input_json_delta", partial_json };
}

function textBlock(index: number, ...texts: string[]): JsonObject[] {
  return block(index, { type: "text", text: "", citations: null }, ...texts.map(said));
}

function call(index: number, id: string, name: string, ...fragments: string[]): JsonObject[] {
  return block(index, { type: "tool_use", id, name, input: {} }, ...fragments.map(args));
}

function end(stop_reason: string | null, usage?: JsonObject, more: JsonObject = {}): JsonObject[] {
  const delta = { stop_reason, stop_sequence: null, ...more };
  return [{ type: "message_delta", delta, ...(usage === undefined ? {} : { usage }) }, STOP];
}

function deltasOf(events: readonly JsonObject[], requestId?: string): ModelDelta[] {
  const reader = new StreamReader("anthropic", [], requestId);
  return [...events.flatMap((event) => reader.read(event)), ...reader.end()];
}

async function responseOf(deltas: readonly ModelDelta[]): Promise<ModelResponse> {
  async function* all(): AsyncGenerator<ModelDelta> {
    yield* deltas;
  }
  return collect(all(), IDENTITY);
}

const read = (events: readonly JsonObject[]): Promise<ModelResponse> => responseOf(deltasOf(events));

describe("tool calls in a stream", () => {
  async function callsOf(events: readonly JsonObject[]): Promise<unknown> {
    const { message } = await read([start(), ...events, ...end("tool_use")]);
    return message.content.map((one) =>
      one.type === "tool_call" ? [one.id, one.name, one.invalid?.raw ?? one.args] : one,
    );
  }

  it("are told apart when all say index 0 (PA-01)", async () => {
    const calls = await callsOf([...call(0, "a", "one", '{"x":', "1}"), ...call(0, "b", "two", '{"y":2}')]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("may have only the indexes 1 and 5, and may interleave (PA-01)", async () => {
    const opened = (index: number, id: string, name: string): JsonObject => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name, input: {} },
    });
    const more = (index: number, piece: string): JsonObject => ({
      type: "content_block_delta",
      index,
      delta: args(piece),
    });
    const calls = await callsOf([
      opened(1, "a", "one"),
      opened(5, "b", "two"),
      more(5, '{"y":'),
      more(1, '{"x":'),
      more(1, "1}"),
      more(5, "2}"),
      { type: "content_block_stop", index: 1 },
      { type: "content_block_stop", index: 5 },
    ]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("may have no index at all: a fragment goes on with the newest block (PA-01)", async () => {
    const bare = [...call(0, "a", "one", '{"x":', "1}"), ...call(0, "b", "two", "{}")].map(
      ({ index: _, ...event }) => event,
    );
    expect(await callsOf(bare)).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", {}],
    ]);
  });

  it("without ids get some", async () => {
    expect(await callsOf([...call(0, "", "one", "{}"), ...call(1, "", "two", "{}")])).toEqual([
      ["msg_1_0", "one", {}],
      ["msg_1_1", "two", {}],
    ]);
  });

  it("have all their arguments when the first fragment parses by itself (PA-02)", async () => {
    expect(await callsOf(call(0, "a", "one", "1", "2"))).toEqual([["a", "one", "12"]]);
  });

  it("end where their block does, or with the stream where its end is left out (PA-02)", async () => {
    const [opened, fragment] = call(0, "a", "one", '{"x":1}') as [JsonObject, JsonObject];
    const deltas = deltasOf([start(), opened, fragment, ...end("tool_use")]);
    expect(deltas.map(({ type }) => type)).toEqual([
      "start",
      "tool_call_start",
      "tool_call_args",
      "tool_call_end",
      "finish",
    ]);
  });

  it("without arguments are called with an empty object (PA-03)", async () => {
    expect(await callsOf([...call(0, "a", "one"), ...call(1, "b", "two", "", " ")])).toEqual([
      ["a", "one", {}],
      ["b", "two", {}],
    ]);
  });

  it("may have their arguments in the first frame", async () => {
    const whole = block(0, { type: "tool_use", id: "a", name: "one", input: { x: 1 } });
    expect(await callsOf(whole)).toEqual([["a", "one", { x: 1 }]]);
  });

  it("whose arguments are broken are kept as invalid, with their text (PA-04, MSG-05)", async () => {
    const { message } = await read([start(), ...call(0, "a", "one", '{"x":'), ...end("max_tokens")]);
    expect(message.content[0]).toMatchObject({ type: "tool_call", args: {}, invalid: { raw: '{"x":' } });
  });

  it("keep fields of the server's own, such as who called", async () => {
    const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
    const { message } = await read([
      start(),
      ...block(0, { type: "tool_use", id: "a", name: "one", input: {}, caller }),
      ...end("tool_use"),
    ]);
    expect(message.content[0]?.providerMetadata).toEqual({ anthropic: { caller } });
  });
});

describe("thinking in a stream", () => {
  const thinking = (...deltas: JsonObject[]): JsonObject[] =>
    block(0, { type: "thinking", thinking: "", signature: "" }, ...deltas);
  const thought = (text: string): JsonObject => ({ type: "thinking_delta", thinking: text });
  const signed = (signature: string): JsonObject => ({ type: "signature_delta", signature });

  it("is one block with its whole text and the signature that came alone (PA-07, MSG-06)", async () => {
    const { message } = await read([
      start(),
      ...thinking(thought("Let me "), thought("see."), signed("c2ln")),
      ...textBlock(1, "Yes."),
      ...end("end_turn"),
    ]);
    const anthropic = { signature: "c2ln", textHash: hashText("Let me see.") };
    expect(message.content).toEqual([
      { type: "reasoning", text: "Let me see.", providerMetadata: { anthropic } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("keeps a signature that comes in pieces, and one that has no text", async () => {
    const pieces = await read([start(), ...thinking(signed("c2"), signed("ln")), ...end("end_turn")]);
    expect(pieces.message.content).toMatchObject([
      { type: "reasoning", text: "", providerMetadata: { anthropic: { signature: "c2ln" } } },
    ]);
  });

  it("between calls stays between them", async () => {
    const { message } = await read([
      start(),
      ...thinking(thought("First."), signed("s1")),
      ...call(1, "a", "one", "{}"),
      ...block(2, { type: "thinking", thinking: "Then.", signature: "s2" }),
      ...call(3, "b", "two", "{}"),
      ...end("tool_use"),
    ]);
    expect(message.content.map(({ type }) => type)).toEqual(["reasoning", "tool_call", "reasoning", "tool_call"]);
  });

  it("that is withheld is kept as it is", async () => {
    const { message } = await read([
      start(),
      ...block(0, { type: "redacted_thinking", data: "ZGF0YQ==" }),
      ...textBlock(1, "Yes."),
      ...end("end_turn"),
    ]);
    expect(message.content[0]).toEqual({
      type: "reasoning",
      text: "",
      redacted: true,
      providerMetadata: { anthropic: { redactedData: "ZGF0YQ==" } },
    });
  });

  it("text, thoughts and arguments come on channels of their own (STM-07)", () => {
    const deltas = deltasOf([
      start(),
      ...thinking(thought("Hm.")),
      ...textBlock(1, "Hi."),
      ...call(2, "a", "one", "{}"),
      ...end("tool_use"),
    ]);
    const said = deltas.filter(({ type }) => ["text", "reasoning", "tool_call_args"].includes(type));
    expect(said).toEqual([
      { type: "reasoning", index: 0, text: "Hm." },
      { type: "text", index: 1, text: "Hi." },
      { type: "tool_call_args", index: 2, args: "{}" },
    ]);
  });
});

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

describe("an answer", () => {
  it("without its finishing event was cut short, however cleanly it ended (PA-11)", () => {
    const [reason] = end("end_turn") as [JsonObject];
    for (const events of [[], [reason], [STOP], [...end(null)]]) {
      const reader = new StreamReader("anthropic", []);
      for (const event of [start(), ...textBlock(0, "half"), ...events]) reader.read(event);
      expect(() => reader.end()).toThrowError(
        expect.toSatisfy((error) => isTinyAgentsError(error, "network") && error.details.partialText === "half"),
      );
    }
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool_calls"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["brand_new", "other"],
  ])("that stopped for %s finishes with %s, and keeps the reason (PA-11)", async (raw, finishReason) => {
    const response = await read([start(), ...textBlock(0, "x"), ...end(raw)]);
    expect(response).toMatchObject({ finishReason, rawFinishReason: raw });
  });

  it("that says end_turn of a call finishes with tool_calls", async () => {
    expect(await read([start(), ...call(0, "a", "one", "{}"), ...end("end_turn")])).toMatchObject({
      finishReason: "tool_calls",
    });
  });

  it("that is a refusal says why, apart from the text (PA-10)", async () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "This could do harm." };
    const response = await read([start(), ...textBlock(0, "Well"), ...end("refusal", undefined, { stop_details })]);
    expect(refusal(response.message)).toBe("This could do harm.");
    expect(text(response.message)).toBe("Well");
    expect(response.message.content[1]).toMatchObject({ type: "refusal", safety: stop_details });
  });

  it("that is a refusal without a word is one all the same (PA-10)", async () => {
    const response = await read([start(), ...end("refusal")]);
    expect(response.finishReason).toBe("refusal");
    expect(response.message.content).toMatchObject([{ type: "refusal", text: "" }]);
  });

  it("leaves out empty text", async () => {
    const { message } = await read([start(), ...textBlock(0), ...textBlock(1, ""), ...end("end_turn")]);
    expect(message.content).toEqual([]);
  });

  it("survives events, fragments and blocks that are not known or not whole (PA-20)", async () => {
    const { message, warnings } = await read([
      { type: "ping" },
      { type: "vendor_note", note: 1 },
      start(),
      { type: "content_block_start", index: 0 },
      { type: "content_block_delta", index: 0, delta: said("Hi") },
      { type: "content_block_delta", index: 0, delta: { type: "odd_delta" } },
      { type: "content_block_delta", index: 0 },
      { type: "content_block_stop", index: 7 },
      ...end("end_turn"),
    ]);
    expect(message.content).toEqual([{ type: "text", text: "Hi" }]);
    expect(warnings).toMatchObject([{ code: "malformed_data", message: expect.stringContaining("odd_delta") }]);
  });
});

describe("usage", () => {
  const prompt = { input_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 20, output_tokens: 1 };

  it("counts each token once, however many events tell of it (PA-09, USG-01, USG-05, OB-01)", async () => {
    const last = { ...prompt, output_tokens: 7, output_tokens_details: { thinking_tokens: 5 } };
    const expected = {
      inputTokens: 110,
      outputTokens: 7,
      cachedInputTokens: 80,
      cacheWriteTokens: 20,
      reasoningTokens: 5,
      source: "reported",
    };
    const streamed = await read([start(prompt), ...textBlock(0, "x"), ...end("end_turn", last)]);
    expect(streamed.usage).toEqual(expected);
    expect(streamed.message.usage).toEqual(expected);
  });

  it("keeps what the last event leaves out (PA-09)", async () => {
    const last = { output_tokens: 7, input_tokens: null, cache_read_input_tokens: null };
    const { usage } = await read([start(prompt), ...textBlock(0, "x"), ...end("end_turn", last)]);
    expect(usage).toMatchObject({ inputTokens: 110, outputTokens: 7, cachedInputTokens: 80 });
  });

  it("of an answer that is broken off is known for its input alone (OB-05, USG-02)", () => {
    const reader = new StreamReader("anthropic", []);
    const deltas = [start(prompt), ...textBlock(0, "x")].flatMap((event) => reader.read(event));
    const [first] = deltas.filter(({ type }) => type === "usage");
    expect(first).toMatchObject({ usage: { inputTokens: 110, source: "reported" } });
    expect(first).not.toHaveProperty("usage.outputTokens");
  });

  it("that the server does not tell is unknown", async () => {
    expect((await read([start(), ...textBlock(0, "x"), ...end("end_turn")])).usage).toBeUndefined();
  });
});

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

  it("without a reason was cut short (PA-11)", () => {
    const wire = { ...head, content: [{ type: "text", text: "half" }], stop_reason: null };
    expect(() => readWhole(wire, "anthropic", [])).toThrowError(
      expect.toSatisfy((error) => isTinyAgentsError(error, "network") && error.details.partialText === "half"),
    );
  });
});
