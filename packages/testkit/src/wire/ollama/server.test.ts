import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import { type OllamaServerOptions, type OllamaWireServer, ollamaWireServer, type WireEntry } from "../index.js";

let server: OllamaWireServer;
afterEach(() => server.close());

async function serve(script: readonly WireEntry[], options?: OllamaServerOptions): Promise<void> {
  server = await ollamaWireServer(script, options);
}

function post(body: JsonObject = {}, path = "/api/chat"): Promise<Response> {
  const messages = path === "/api/chat" ? { messages: [{ role: "user", content: "hi" }] } : {};
  return fetch(`${server.url}${path}`, {
    method: "POST",
    body: JSON.stringify({ model: "llama3.2", ...messages, ...body }),
  });
}

async function chat(body: JsonObject = {}) {
  return (await post({ stream: false, ...body })).json();
}

/** The lines of a stream, parsed. */
async function lines(body: JsonObject = {}) {
  const text = await (await post(body)).text();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("an answer of Ollama's wire server", () => {
  test("comes whole when the request says so", async () => {
    await serve([{ text: "hello", usage: { inputTokens: 7, outputTokens: 3 } }]);
    expect(await chat()).toEqual({
      model: "llama3.2",
      created_at: "2023-11-14T22:13:20Z",
      message: { role: "assistant", content: "hello" },
      done_reason: "stop",
      done: true,
      total_duration: 5_000_000,
      load_duration: 1_000_000,
      prompt_eval_count: 7,
      prompt_eval_duration: 2_000_000,
      eval_count: 3,
      eval_duration: 2_000_000,
    });
    server.assertDone();
  });

  test("comes in lines of JSON unless the request says otherwise", async () => {
    await serve([{ text: "ab", split: "characters" }, "ab"]);
    const found = await lines();
    expect(found.map(({ message, done }) => [message.content, done])).toEqual([
      ["a", false],
      ["b", false],
      ["", true],
    ]);
    expect(found.at(-1)).toMatchObject({ done_reason: "stop", eval_count: 5 });
    expect((await post()).headers.get("content-type")).toBe("application/x-ndjson");
  });

  test("thinks before it speaks", async () => {
    await serve([
      { reasoning: "hm", text: "so" },
      { reasoning: "hm", text: "so" },
    ]);
    expect((await lines()).map(({ message }) => message)).toEqual([
      { role: "assistant", content: "", thinking: "hm" },
      { role: "assistant", content: "so" },
      { role: "assistant", content: "" },
    ]);
    expect((await chat()).message.thinking).toBe("hm");
  });

  test("thinks in its text where the server does not know how the model thinks", async () => {
    await serve([{ reasoning: "hm", text: "so", reasoningField: "think_tags" }]);
    expect((await chat()).message).toEqual({ role: "assistant", content: "<think>\nhm\n</think>\n\nso" });
  });

  test("calls tools with whole arguments, each in a line, and ends with an ordinary stop", async () => {
    await serve([{ toolCalls: [{ name: "a", args: { x: 1 } }, { name: "b" }] }]);
    const found = await lines();
    expect(found.flatMap(({ message }) => message.tool_calls ?? [])).toEqual([
      { id: "call_1", function: { index: 0, name: "a", arguments: { x: 1 } } },
      { id: "call_2", function: { index: 1, name: "b", arguments: {} } },
    ]);
    expect(found.at(-1).done_reason).toBe("stop");
  });

  test("counts ids of calls on from the request", async () => {
    await serve([{ toolCalls: [{ name: "a" }] }]);
    const asked = [
      { role: "assistant", content: "", tool_calls: [{ id: "call_3", function: { name: "a", arguments: {} } }] },
      { role: "tool", tool_name: "a", content: "1" },
    ];
    expect((await chat({ messages: asked })).message.tool_calls[0].id).toBe("call_4");
  });

  test.each([
    [{ toolIndexes: "missing", toolIds: "missing" }, [undefined, undefined], undefined],
    [{ toolIndexes: "constant", toolIds: "empty" }, [0, 0], ""],
    [{ toolIndexes: [3, 5] }, [3, 5], "call_1"],
  ] as const)("gives calls other indexes and ids, as versions do: %j (PA-01)", async (style, indexes, id) => {
    await serve([{ toolCalls: [{ name: "a" }, { name: "b" }], ...style }]);
    const calls = (await chat()).message.tool_calls;
    expect(calls.map((one: { function: { index?: number } }) => one.function.index)).toEqual(indexes);
    expect(calls[0].id).toBe(id);
  });

  test("gives arguments that are no JSON as they are (PA-03)", async () => {
    await serve([
      {
        toolCalls: [
          { name: "a", rawArgs: "" },
          { name: "b", rawArgs: "{x" },
        ],
      },
    ]);
    const calls = (await chat()).message.tool_calls;
    expect([calls[0].function.arguments, calls[1].function.arguments]).toEqual([{}, "{x"]);
  });

  test.each([
    ["length", "length"],
    ["tool_calls", "stop"],
    ["refusal", "stop"],
    [null, undefined],
  ])("ends for the reason %j in Ollama's words", async (finishReason, reason) => {
    await serve([{ text: "a", finishReason }]);
    expect((await chat()).done_reason).toBe(reason);
  });

  test("never says its usage when it is told so", async () => {
    await serve([{ text: "a", usage: null }]);
    expect(await chat()).not.toHaveProperty("prompt_eval_count");
  });

  test("drops the head of a prompt that is too long, without a word (PA-19)", async () => {
    const models = [{ name: "llama3.2", numCtx: 500, contextLength: 1_000 }];
    await serve([() => "a", () => "a", () => "a", () => "a"], { models });
    const counted = async (content: string, options?: JsonObject) => {
      const messages = [{ role: "user", content }];
      return (await chat({ messages, ...(options === undefined ? {} : { options }) })).prompt_eval_count;
    };
    const long = "x".repeat(8_000);
    expect(await counted("x".repeat(800))).toBe(204);
    expect(await counted(long)).toBe(500);
    expect(await counted(long, { num_ctx: 700 })).toBe(700);
    expect(await counted(long, { num_ctx: 9_000 })).toBe(1_000);
  });

  test("embeds texts: the same for the same text, of the length that the model or the request says", async () => {
    await serve([{}, {}, { embeddings: [[1, 2]] }], { models: [{ name: "e", embeddingLength: 3 }] });
    const embed = async (body: JsonObject) => (await post({ model: "e", ...body }, "/api/embed")).json();
    const { embeddings, prompt_eval_count: count } = await embed({ input: ["tea", "coffee", "tea"] });
    expect(embeddings[0]).toEqual(embeddings[2]);
    expect(embeddings[0]).not.toEqual(embeddings[1]);
    expect(Math.hypot(...embeddings[0])).toBeCloseTo(1);
    expect([embeddings[0].length, count]).toEqual([3, 10]);
    expect((await embed({ input: "tea", dimensions: 5 })).embeddings[0]).toHaveLength(5);
    expect((await embed({ input: "tea" })).embeddings).toEqual([[1, 2]]);
  });

  test("counts tools and earlier calls as part of the prompt", async () => {
    await serve(["a", "a"]);
    const call = { function: { name: "a", arguments: { q: "x".repeat(400) } } };
    const messages = [
      { role: "assistant", content: "", thinking: "y".repeat(400), tool_calls: [call] },
      { role: "tool", tool_name: "a", content: "1" },
    ];
    const bare = (await chat({ messages })).prompt_eval_count;
    expect(bare).toBeGreaterThan(200);
    const tools = [{ type: "function", function: { name: "a", description: "z".repeat(400) } }];
    expect((await chat({ messages, tools })).prompt_eval_count).toBeGreaterThan(bare + 100);
  });

  test("never says how much it embedded when it is told so, and refuses what does not fit whole", async () => {
    await serve([{ usage: null }], { models: [{ name: "e", numCtx: 10 }] });
    const embed = (body: JsonObject) => post({ model: "e", ...body }, "/api/embed");
    expect(await (await embed({ input: "tea" })).json()).not.toHaveProperty("prompt_eval_count");
    const response = await embed({ input: ["tea", "x".repeat(41)], truncate: false });
    expect([response.status, (await response.json()).error]).toEqual([
      400,
      "the input length exceeds the context length",
    ]);
    server.assertDone();
  });

  test("has as many embeddings as the request has inputs", async () => {
    await serve([{ embeddings: [[1]] }]);
    await post({ input: ["a", "b"] }, "/api/embed").catch(() => undefined);
    expect(() => server.assertDone()).toThrow(/the entry has 1 embeddings, and the request has 2 inputs/);
  });
});

describe("the models of Ollama's wire server", () => {
  const models = [
    { name: "small", capabilities: ["completion"], numCtx: 2_048 },
    { name: "big:70b", architecture: "qwen3", contextLength: 40_960 },
  ];

  test("are listed", async () => {
    await serve([], { models });
    const { models: listed } = await (await fetch(`${server.url}/api/tags`)).json();
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(["small:latest", "big:70b"]);
  });

  test("show what they can and how much they read", async () => {
    await serve([], { models });
    const small = await (await post({ model: "small" }, "/api/show")).json();
    expect(small.capabilities).toEqual(["completion"]);
    expect(small.parameters).toMatch(/^num_ctx +2048$/);
    const big = await (await post({ model: "big:70b" }, "/api/show")).json();
    expect(big.model_info).toMatchObject({ "general.architecture": "qwen3", "qwen3.context_length": 40_960 });
    expect(big.parameters).toBe("");
    const none = await post({ model: "none" }, "/api/show");
    expect([none.status, await none.json()]).toEqual([404, { error: "model 'none' not found" }]);
  });

  test("that are not there, or cannot do something, refuse it, and no entry is used", async () => {
    await serve(["a"], { models });
    const tools = [{ type: "function", function: { name: "a" } }];
    const said = async (body: JsonObject) => {
      const response = await post(body);
      return [response.status, (await response.json()).error];
    };
    expect(await said({ model: "none" })).toEqual([404, "model 'none' not found"]);
    expect(await said({ model: "small", tools })).toEqual([
      400,
      "registry.ollama.ai/library/small:latest does not support tools",
    ]);
    expect(await said({ model: "small", think: true })).toEqual([400, '"small" does not support thinking']);
    expect([server.violations, server.remaining]).toEqual([[], 1]);
    expect((await post({ model: "small", think: false })).status).toBe(200);
    server.assertDone();
  });

  test("refuse a prompt that is too long when nothing may be dropped", async () => {
    await serve([], { models });
    const response = await post({
      model: "small",
      truncate: false,
      messages: [{ role: "user", content: "x".repeat(9_000) }],
    });
    expect([response.status, (await response.json()).error]).toEqual([
      400,
      "the input length exceeds the context length",
    ]);
  });

  test("have one name each", async () => {
    await serve([]);
    const twice = [{ name: "a" }, { name: "a:latest" }];
    await expect(ollamaWireServer([], { models: twice })).rejects.toThrow("two models have the same name");
  });

  test("are served by a version", async () => {
    await serve([], { version: "0.9.1" });
    expect(await (await fetch(`${server.url}/api/version`)).json()).toEqual({ version: "0.9.1" });
  });
});

describe("a refusal of Ollama's wire server", () => {
  test.each([
    [400, /invalid request/],
    [404, /model 'llama3.2' not found/],
    [429, /too many requests/],
    [500, /llama runner process/],
    [503, /server busy/],
  ])("of status %d is a text alone", async (status, message) => {
    await serve([{ status }]);
    const response = await post();
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringMatching(message) });
  });

  test("of a wrong request stands among the violations", async () => {
    await serve(["a"]);
    expect(await (await post({ format: "xml" })).json()).toEqual({
      error: 'invalid format: "xml"; expected "json" or a valid JSON Schema object',
    });
    expect(server.violations).toMatchObject([{ param: "format" }]);
  });
});

describe("faults of Ollama's stream", () => {
  test("an error line amid the others (PA-18)", async () => {
    await serve([
      { text: "a", faults: [{ type: "error_frame", afterFrames: 1 }] },
      { text: "a", faults: [{ type: "error_frame", error: { message: "out of memory" } }] },
    ]);
    expect((await lines())[1]).toEqual({ error: expect.stringMatching(/unexpected EOF/) });
    expect(await lines()).toEqual([{ error: "out of memory" }]);
  });

  test("an end without its last line (PA-11)", async () => {
    await serve([{ text: "a", faults: [{ type: "no_finish" }] }]);
    expect((await lines()).map(({ done }) => done)).toEqual([false]);
  });

  test("a whole answer without an end is not done", async () => {
    await serve([{ text: "a", faults: [{ type: "no_finish" }] }]);
    const { done, done_reason: reason } = await chat();
    expect([done, reason]).toEqual([false, undefined]);
  });

  test("lines that say nothing, and fields that nobody knows (PA-20)", async () => {
    await serve([{ text: "a", faults: [{ type: "bare_frames" }] }]);
    const found = await lines();
    expect(found.map(({ message, future }) => message?.content ?? future)).toEqual([
      "",
      "a",
      undefined,
      { note: "of a later version" },
      "",
    ]);
  });

  test("a line that is no JSON", async () => {
    await serve([{ text: "a", faults: [{ type: "malformed_frame", afterFrames: 1 }] }]);
    const [, second = ""] = (await (await post()).text()).split("\n");
    expect(() => JSON.parse(second)).toThrow();
  });

  test("a connection that breaks within a line", async () => {
    await serve([{ text: "漢字", chunks: "bytes", faults: [{ type: "cut", afterBytes: 20 }] }]);
    await expect((await post()).text()).rejects.toThrow();
    expect(await (await server.received()).ended).toBe("cut");
  });

  test("what Ollama's stream has no place for is refused", async () => {
    await serve([{ text: "a", faults: [{ type: "no_done" }] }]);
    expect((await (await post()).json()).error).toMatch(
      /the entry has "no_done", and answers at \/api\/chat have none/,
    );
  });
});
