import { type ModelDelta, type ModelResponse, ResponseCollector, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { lastLine, line } from "../test/answering.js";
import { AnswerReader } from "./answer-reader.js";
import { type OllamaModelOptions, readModelOptions } from "./options.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

const MODEL = { id: "ollama/qwen3", provider: "ollama", model: "qwen3" };

function reader(options: OllamaModelOptions = {}, prompt = "Hi"): AnswerReader {
  const settings = readModelOptions("qwen3", options);
  const converter = new MessageConverter(true);
  return new AnswerReader(toRequest(settings, { messages: [userMessage(prompt)] }, "whole", converter), settings);
}

function deltasOf(lines: readonly object[], from = reader()): readonly ModelDelta[] {
  return [...lines.flatMap((one) => from.read(one as never)), ...from.end()];
}

function read(lines: readonly object[], from = reader()): ModelResponse {
  const collector = new ResponseCollector(MODEL);
  for (const delta of deltasOf(lines, from)) collector.add(delta);
  return collector.response();
}

function call(inner: object, outer: object = {}): object {
  return { tool_calls: [{ ...outer, function: inner }] };
}

describe("an answer", () => {
  it("is text, thought and calls, each a delta of its own (MSG-06, STM-07)", () => {
    const deltas = deltasOf([
      line({ content: "", thinking: "h" }),
      line({ content: "", thinking: "m" }),
      line({ content: "Yes" }),
      line({ content: "", ...call({ name: "look", arguments: { at: 1 } }, { id: "c1" }) }),
      lastLine(),
    ]);
    expect(deltas).toEqual([
      { type: "start", model: "qwen3" },
      { type: "reasoning", index: 0, text: "h" },
      { type: "provider", index: 0, providerMetadata: { ollama: { field: "thinking" } } },
      { type: "reasoning", index: 0, text: "m" },
      { type: "text", index: 1, text: "Yes" },
      { type: "tool_call_start", index: 2, id: "c1", name: "look" },
      { type: "tool_call_args", index: 2, args: '{"at":1}' },
      { type: "tool_call_end", index: 2 },
      { type: "usage", usage: { inputTokens: 12, outputTokens: 4, source: "reported" } },
      {
        type: "finish",
        finishReason: "tool_calls",
        rawFinishReason: "stop",
        model: "qwen3",
        providerData: { created_at: "2026-01-01T00:00:00Z" },
      },
    ]);
  });

  it("adds up to the same streamed and in one piece (MDL-10)", () => {
    const calls = [
      { id: "a", function: { index: 0, name: "look", arguments: { at: "東京" } } },
      { function: { index: 0, name: "look", arguments: {} } },
    ];
    const streamed = read([
      line({ thinking: "h" }),
      line({ thinking: "m", content: "" }),
      line({ content: "Ye" }),
      line({ content: "s" }),
      line({ tool_calls: calls.slice(0, 1) }),
      line({ tool_calls: calls.slice(1) }),
      lastLine({ total_duration: 5 }),
    ]);
    expect(read([lastLine({ total_duration: 5 }, { thinking: "hm", content: "Yes", tool_calls: calls })])).toEqual(
      streamed,
    );
  });

  it("keeps times and whatever else the server says as the provider's data (PRV-06, MSG-08)", () => {
    const times = { total_duration: 9, load_duration: 1, prompt_eval_duration: 3, eval_duration: 5 };
    const first = Object.freeze([{ token: "a" }]);
    const { providerData } = read([
      line({ content: "a" }, { logprobs: first }),
      lastLine({ ...times, logprobs: [{ token: "b" }], remote_host: "https://ollama.com", created_at: "later" }),
    ]);
    expect(providerData).toEqual({
      ...times,
      logprobs: [{ token: "a" }, { token: "b" }],
      remote_host: "https://ollama.com",
      created_at: "later",
    });
  });

  it("keeps unknown fields where they came, and none that reaches a prototype (MSG-08)", () => {
    const response = read([
      line({ content: "a", plan: "p" }),
      line(call({ name: "look", arguments: {}, note: "n" }, { id: "c", sig: "s" })),
      lastLine(JSON.parse('{"__proto__":{"polluted":1}}') as object),
    ]);
    expect(response.message.providerMetadata).toEqual({ ollama: { plan: "p" } });
    expect(response.message.content[1]).toMatchObject({
      providerMetadata: { ollama: { sig: "s", function: { note: "n" } } },
    });
    expect(read([JSON.parse('{"done":true,"message":{"content":"a"},"__proto__":{"x":1}}') as object])).toMatchObject({
      warnings: [{ code: "malformed_data" }],
    });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("says what it cost, as far as the server knows (USG-01, USG-02)", () => {
    const usage = (counts: object) => read([line({ content: "a" }), lastLine(counts)]).usage;
    expect(usage({ prompt_eval_count: 12, eval_count: 4 })).toEqual({
      inputTokens: 12,
      outputTokens: 4,
      source: "reported",
    });
    expect(usage({ prompt_eval_count: undefined })).toEqual({ outputTokens: 4, source: "reported" });
    expect(usage({ prompt_eval_count: -1, eval_count: "4" })).toBeUndefined();
  });

  it("counts tokens once, however often a server says them (PA-09)", () => {
    const counted = line({ content: "a" }, { prompt_eval_count: 12, eval_count: 1 });
    expect(read([counted, counted, lastLine()]).usage).toMatchObject({ inputTokens: 12, outputTokens: 4 });
  });

  it.each<[object, string, string | undefined]>([
    [{ done_reason: "stop" }, "stop", "stop"],
    [{ done_reason: "length" }, "length", "length"],
    [{ done_reason: "load" }, "other", "load"],
    [{ done_reason: undefined }, "stop", undefined],
  ])("with %j finishes with %s", (more, finishReason, rawFinishReason) => {
    const response = read([line({ content: "a" }), lastLine(more)]);
    expect([response.finishReason, response.rawFinishReason]).toEqual([finishReason, rawFinishReason]);
  });

  it("that was broken off within a call does not claim that calls may run", () => {
    expect(read([line(call({ name: "look", arguments: {} })), lastLine({ done_reason: "length" })]).finishReason).toBe(
      "length",
    );
  });

  it("without its last line has no end (PA-11)", () => {
    const from = reader();
    from.read(line({ content: "Hel" }) as never);
    expect(from.end()).toEqual([]);
  });

  it("that is an error is one, before and after output began (PA-18)", () => {
    for (const before of [[], [line({ content: "Hel" })]]) {
      const from = reader();
      for (const one of before) from.read(one as never);
      expect(() => from.read({ error: "boom" })).toThrow("boom");
    }
  });

  it("survives lines of any shape", () => {
    const odd = [
      {},
      { message: null },
      { message: "text" },
      { message: { content: 7, tool_calls: "no" } },
      { model: 1 },
    ];
    const nameless = { message: { tool_calls: [null, {}, { function: null }] } };
    const response = read([...odd, nameless, lastLine({ done_reason: 7 })]);
    expect(response.message.content).toMatchObject([
      { type: "tool_call", name: "", args: {} },
      { type: "tool_call", name: "", args: {} },
    ]);
  });
});

describe("a call", () => {
  function calls(...list: readonly unknown[]) {
    return read([line({ tool_calls: list }), lastLine()]).message.content;
  }

  it("is one for each entry, whatever they are numbered with (PA-01)", () => {
    const entry = (n: number, index: unknown) => ({ id: `c${n}`, function: { index, name: "look", arguments: { n } } });
    for (const indexes of [
      [0, 0],
      [1, 5],
      [undefined, undefined],
    ]) {
      expect(calls(entry(1, indexes[0]), entry(2, indexes[1]))).toEqual([
        { type: "tool_call", id: "c1", name: "look", args: { n: 1 } },
        { type: "tool_call", id: "c2", name: "look", args: { n: 2 } },
      ]);
    }
  });

  it("has an id also where the server gives none, another for each (MSG-12)", () => {
    const entry = { function: { name: "look", arguments: {} } };
    const [one, other] = calls(entry, entry) as readonly { readonly id?: string }[];
    expect(one?.id).toMatch(/^call_/);
    expect(other?.id).not.toBe(one?.id);
    expect(calls(entry, entry)).toEqual([one, other]);
  });

  it.each<[unknown, object]>([
    [{ at: 1 }, { args: { at: 1 } }],
    ['{"at":1}', { args: { at: 1 } }],
    ["", { args: {} }],
    [undefined, { args: {} }],
    [null, { args: {} }],
    [{}, { args: {} }],
  ])("with the arguments %j has %j (PA-03)", (args, expected) => {
    expect(calls({ id: "c", function: { name: "look", arguments: args } })).toEqual([
      { type: "tool_call", id: "c", name: "look", ...expected },
    ]);
  });

  it.each<[unknown, string]>([
    ['{"at":', '{"at":'],
    ["[1]", "[1]"],
    [[1], "[1]"],
    [7, "7"],
    [JSON.parse('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
  ])("with the arguments %j is kept as an invalid one (MSG-05)", (args, raw) => {
    expect(calls({ id: "c", function: { name: "look", arguments: args } })).toMatchObject([
      { type: "tool_call", id: "c", name: "look", args: {}, invalid: { raw } },
    ]);
  });
});

describe("a prompt that the server cut (PA-19)", () => {
  const prompt = "word ".repeat(4_000);
  const known = { profile: { contextWindow: 4_096 } };
  const cut = [line({ content: "What?" }), lastLine({ prompt_eval_count: 2_050 })];

  it("fails the call where it shall", () => {
    expect(() => read(cut, reader(known, prompt))).toThrowError(
      expect.objectContaining({
        code: "context_window_exceeded",
        retryable: false,
        details: { provider: "ollama", providerCode: "prompt_truncated", askedTokens: 5_004, limitTokens: 4_096 },
      }),
    );
  });

  it("is told with the response where it may be cut", () => {
    const { warnings, message } = read(cut, reader({ ...known, onTruncation: "warn" }, prompt));
    expect(warnings).toMatchObject([{ code: "provider", setting: "messages" }]);
    expect(message.content).toEqual([{ type: "text", text: "What?" }]);
  });

  it("is only told where it is not sure", () => {
    for (const options of [known, {}]) {
      const unsure = reader(options, options === known ? "word ".repeat(3_000) : prompt);
      expect(read(cut, unsure).warnings).toHaveLength(1);
    }
  });

  it("is nothing to tell where it fits", () => {
    expect(read([line({ content: "a" }), lastLine()], reader(known)).warnings).toEqual([]);
  });
});
