import { type JsonObject, refusal, text } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { call, end, read, STOP, said, start, textBlock } from "../test/events.js";
import { StreamReader } from "./from-stream.js";

describe("an answer", () => {
  it("without its finishing event has no end, however cleanly it ended (PA-11)", () => {
    const [reason] = end("end_turn") as [JsonObject];
    for (const events of [[], [reason], [STOP], [...end(null)]]) {
      const reader = new StreamReader("anthropic", []);
      for (const event of [start(), ...textBlock(0, "half"), ...events]) reader.read(event);
      expect(reader.end()).toEqual([]);
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
