import { collect, isTinyAgentsError, type JsonObject, type ModelDelta, type ModelResponse } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { StreamReader } from "./from-stream.js";
import { readWhole } from "./from-whole.js";

const IDENTITY = { id: "openai/m", provider: "openai", model: "m" };

function frame(delta: JsonObject, finish: string | null = null): JsonObject {
  return {
    id: "r1",
    object: "chat.completion.chunk",
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

function fragments(...calls: JsonObject[]): JsonObject {
  return frame({ tool_calls: calls });
}

const FINISH = frame({}, "tool_calls");

function deltasOf(frames: readonly JsonObject[]): ModelDelta[] {
  const reader = new StreamReader("openai", {}, []);
  return [...frames.flatMap((one) => reader.read(one)), ...reader.end()];
}

async function responseOf(deltas: readonly ModelDelta[]): Promise<ModelResponse> {
  async function* all(): AsyncGenerator<ModelDelta> {
    yield* deltas;
  }
  return collect(all(), IDENTITY);
}

async function callsOf(frames: readonly JsonObject[]): Promise<unknown> {
  const { message } = await responseOf(deltasOf(frames));
  return message.content.map((block) =>
    block.type === "tool_call" ? [block.id, block.name, block.invalid?.raw ?? block.args] : block,
  );
}

describe("tool calls in a stream", () => {
  const start = (id: string | null, name: string, args: string, index?: number): JsonObject => ({
    ...(index === undefined ? {} : { index }),
    ...(id === null ? {} : { id }),
    type: "function",
    function: { name, arguments: args },
  });
  const more = (args: string, index?: number): JsonObject => ({
    ...(index === undefined ? {} : { index }),
    function: { arguments: args },
  });

  it("are told apart by id when all say index 0 (PA-01)", async () => {
    const calls = await callsOf([
      fragments(start("a", "one", '{"x":', 0)),
      fragments(more("1}", 0)),
      fragments(start("b", "two", '{"y":', 0)),
      fragments(more("2}", 0)),
      FINISH,
    ]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("may have only the indexes 1 and 5, and may interleave (PA-01)", async () => {
    const calls = await callsOf([
      fragments(start("a", "one", "", 1), start("b", "two", "", 5)),
      fragments(more('{"y":', 5), more('{"x":', 1)),
      fragments(more("1}", 1), more("2}", 5)),
      FINISH,
    ]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("may have no index at all: a fragment without id goes on with the last call (PA-01)", async () => {
    const calls = await callsOf([
      fragments(start("a", "one", "")),
      fragments(more('{"x":')),
      fragments(more("1}")),
      fragments(start("b", "two", "")),
      fragments(more("{}")),
      FINISH,
    ]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", {}],
    ]);
  });

  it("may have neither ids nor indexes: each name begins a call, and ids are made up (PA-01)", async () => {
    const calls = await callsOf([fragments(start(null, "one", "{}")), fragments(start(null, "two", "{}")), FINISH]);
    expect(calls).toEqual([
      ["r1_0", "one", {}],
      ["r1_1", "two", {}],
    ]);
  });

  it("are two calls when a server gives one id to two indexes (PA-01)", async () => {
    const calls = await callsOf([fragments(start("a", "one", "{}", 0)), fragments(start("a", "one", "{}", 1)), FINISH]);
    expect(calls).toEqual([
      ["a", "one", {}],
      ["a", "one", {}],
    ]);
  });

  it("go on in fragments that repeat id and name, or make up another id", async () => {
    const calls = await callsOf([
      fragments(start("a", "one", '{"x"', 0)),
      fragments(start("a", "one", ":", 0)),
      fragments({ index: 0, id: "else", function: { arguments: "1}" } }),
      FINISH,
    ]);
    expect(calls).toEqual([["a", "one", { x: 1 }]]);
  });

  it("are complete only at the end, however soon their arguments parse (PA-02)", () => {
    const deltas = deltasOf([fragments(start("a", "one", "{}", 0)), frame({ content: "x" }), FINISH]);
    const types = deltas.map(({ type }) => type);
    expect(types.indexOf("tool_call_end")).toBeGreaterThan(types.indexOf("text"));
  });

  it("have all their arguments when the first fragment parses by itself (PA-02)", async () => {
    const calls = await callsOf([fragments(start("a", "one", "1", 0)), fragments(more("2", 0)), FINISH]);
    expect(calls).toEqual([["a", "one", "12"]]);
  });

  it("without arguments are called with an empty object (PA-03)", async () => {
    const calls = await callsOf([fragments({ index: 0, id: "a", function: { name: "one" } }), FINISH]);
    expect(calls).toEqual([["a", "one", {}]]);
  });

  it("whose arguments are broken are kept as invalid, with their text (PA-04)", async () => {
    const { message } = await responseOf(deltasOf([fragments(start("a", "one", '{"x":', 0)), FINISH]));
    expect(message.content[0]).toMatchObject({ type: "tool_call", args: {}, invalid: { raw: '{"x":' } });
  });

  it("may be named after their arguments began, or never", async () => {
    const named = await callsOf([
      fragments({ index: 0, id: "a", function: { arguments: '{"x":' } }),
      fragments({ index: 0, function: { name: "one", arguments: "1}" } }),
      FINISH,
    ]);
    expect(named).toEqual([["a", "one", { x: 1 }]]);
    const unnamed = await callsOf([fragments({ index: 0, id: "a", function: { arguments: "{}" } }), FINISH]);
    expect(unnamed).toEqual([["a", "", {}]]);
  });

  it("keep fields of the server's own, such as signatures", async () => {
    const call = { ...start("a", "one", "{}", 0), extra_content: { google: { thought_signature: "s" } } };
    const { message } = await responseOf(deltasOf([fragments(call), FINISH]));
    expect(message.content[0]?.providerMetadata).toEqual({
      openai: { extra_content: { google: { thought_signature: "s" } } },
    });
  });

  it("put together fields of the server's own that come in pieces", async () => {
    const first = { ...start("a", "one", "{", 0), extra_content: { parts: ["s"], kind: "old" } };
    const second = { index: 0, function: { arguments: "}" }, extra_content: { parts: ["t"], kind: "new" } };
    const { message } = await responseOf(deltasOf([fragments(first), fragments(second), FINISH]));
    expect(message.content[0]?.providerMetadata).toEqual({
      openai: { extra_content: { parts: ["s", "t"], kind: "new" } },
    });
  });
});

describe("an answer", () => {
  it("without a finish reason has no end, however cleanly it ended (PA-11)", () => {
    const reader = new StreamReader("openai", {}, []);
    reader.read(frame({ content: "half" }));
    expect(reader.end()).toEqual([]);
  });

  it("keeps a finish reason that is the server's own (PA-11)", async () => {
    const { finishReason, rawFinishReason } = await responseOf(deltasOf([frame({ content: "x" }, "eos_token")]));
    expect({ finishReason, rawFinishReason }).toEqual({ finishReason: "other", rawFinishReason: "eos_token" });
  });

  it("that is a refusal finishes as one, with its text (PA-10)", async () => {
    const response = await responseOf(deltasOf([frame({ refusal: "I will " }), frame({ refusal: "not." }, "stop")]));
    expect(response.finishReason).toBe("refusal");
    expect(response.message.content).toEqual([{ type: "refusal", text: "I will not." }]);
  });

  it("survives frames without choices or without a delta, and keeps their notes (PA-20)", async () => {
    const response = await responseOf(
      deltasOf([
        { id: "", model: "", choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
        frame({ content: "Hi" }),
        { id: "r1", choices: [{ index: 0, content_filter_results: { hate: { filtered: false } } }] },
        frame({}, "stop"),
        { id: "r1", content_filter_offsets: { end: 2 } },
      ]),
    );
    expect(response.message.content).toEqual([{ type: "text", text: "Hi" }]);
    expect(response.responseId).toBe("r1");
    expect(response.providerData).toEqual({
      prompt_filter_results: [{ prompt_index: 0 }],
      content_filter_results: { hate: { filtered: false } },
      content_filter_offsets: { end: 2 },
    });
  });

  it("counts cached tokens once when usage comes in several frames (PA-09)", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 80 } };
    const response = await responseOf(
      deltasOf([
        { ...frame({ content: "x" }, "stop"), usage },
        { choices: [], usage },
      ]),
    );
    expect(response.usage).toEqual({ inputTokens: 100, outputTokens: 2, cachedInputTokens: 80, source: "reported" });
  });

  it("has its reasoning in a block of its own, whichever field carries it (MSG-06)", async () => {
    for (const field of ["reasoning_content", "reasoning"]) {
      const { message } = await responseOf(
        deltasOf([frame({ [field]: "hm" }), frame({ [field]: "m" }), frame({ content: "Yes" }, "stop")]),
      );
      expect(message.content).toEqual([
        { type: "reasoning", text: "hmm", providerMetadata: { openai: { field } } },
        { type: "text", text: "Yes" },
      ]);
    }
  });

  it("has its reasoning once when a server sends both fields", async () => {
    const both = frame({ reasoning: "hm", reasoning_content: "hm" });
    const { message } = await responseOf(deltasOf([both, frame({ content: "Yes" }, "stop")]));
    expect(message.content[0]).toMatchObject({ type: "reasoning", text: "hm" });
  });

  it("keeps fields that have no home: of the message, of the choice and of the response (MSG-08)", async () => {
    const response = await responseOf(
      deltasOf([
        { ...frame({ content: "x", annotations: [{ url: "a" }] }), system_fingerprint: "fp" },
        frame({ annotations: [{ url: "b" }] }, "stop"),
      ]),
    );
    expect(response.message.providerMetadata).toEqual({ openai: { annotations: [{ url: "a" }, { url: "b" }] } });
    expect(response.providerData).toEqual({ system_fingerprint: "fp" });
  });

  it("leaves out a field that could reach an object's prototype, and says so", async () => {
    const bad = JSON.parse('{"note": {"__proto__": {"polluted": true}}}') as JsonObject;
    const response = await responseOf(deltasOf([{ ...frame({ content: "x" }, "stop"), ...bad }]));
    expect(response.providerData).toBeUndefined();
    expect(response.warnings).toMatchObject([{ code: "malformed_data" }]);
  });
});

describe("a whole answer", () => {
  it("adds up to what its stream adds up to (MDL-10)", async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 3 } };
    const call = { id: "a", type: "function", function: { name: "one", arguments: '{"x":1}' }, extra: 1 };
    const head = { id: "r1", model: "m-1", service_tier: "default" };
    const streamed = deltasOf([
      { ...head, choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "hm" } }] },
      { ...head, choices: [{ index: 0, delta: { content: "Hi" } }] },
      { ...head, choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }], audio: { id: "au" } } }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop", logprobs: { content: [1] } }] },
      { ...head, choices: [], usage },
    ]);
    const message = {
      role: "assistant",
      reasoning_content: "hm",
      content: "Hi",
      tool_calls: [call],
      audio: { id: "au" },
    };
    const choice = { index: 0, message, finish_reason: "stop", logprobs: { content: [1] } };
    const whole = readWhole({ ...head, choices: [choice], usage }, "openai", {}, []);
    expect(await responseOf(whole)).toEqual(await responseOf(streamed));
    expect((await responseOf(whole)).finishReason).toBe("tool_calls");
    expect(whole.map(({ type }) => type)).toContain("block");
  });

  it("that is no chat completion is a failure of the server", () => {
    for (const wire of ["<html>", {}, { choices: [] }, null]) {
      expect(() => readWhole(wire, "openai", {}, [])).toThrowError(
        expect.toSatisfy((error) => isTinyAgentsError(error, "provider_server")),
      );
    }
  });
});
