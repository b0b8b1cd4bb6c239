import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import {
  type AnthropicWireServer,
  anthropicWireServer,
  type WireAnswer,
  type WireEntry,
  type WireServerOptions,
} from "../index.js";

let server: AnthropicWireServer;
afterEach(() => server.close());

async function serve(script: readonly WireEntry[], options?: WireServerOptions): Promise<void> {
  server = await anthropicWireServer(script, options);
}

function post(body: JsonObject = {}, path = "/v1/messages", headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify({
      model: "claude-x",
      ...(path === "/v1/messages" ? { max_tokens: 100 } : {}),
      messages: [{ role: "user", content: "hi" }],
      ...body,
    }),
  });
}

const streamed = { stream: true };

/** Names and data of the events of a stream. */
async function events(response: Response) {
  const texts = (await response.text()).split("\n\n").filter((text) => text !== "");
  return texts.map((text) => {
    const [name = "", data = ""] = text.split("\n");
    return { name: name.replace("event: ", ""), data: JSON.parse(data.replace("data: ", "")) };
  });
}

async function deltas(answer: WireAnswer) {
  await serve([answer]);
  const found = await events(await post(streamed));
  return found.flatMap(({ data }) => (data.type === "content_block_delta" ? [data.delta] : []));
}

describe("an answer of Anthropic's wire server", () => {
  test("comes whole when the request does not stream", async () => {
    await serve([{ text: "hello" }]);
    const response = await post();
    expect(response.headers.get("request-id")).toBe("req_1");
    expect(await response.json()).toMatchObject({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-x",
      content: [{ type: "text", text: "hello", citations: null }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    server.assertDone();
  });

  test("comes as named events when the request streams, with a ping", async () => {
    await serve(["hello"]);
    const response = await post(streamed);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const found = await events(response);
    expect(found.map(({ name }) => name)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(found.every(({ name, data }) => name === data.type)).toBe(true);
    expect(found[0]?.data.message).toMatchObject({ id: "msg_1", content: [], stop_reason: null });
    expect(found[5]?.data.delta).toMatchObject({ stop_reason: "end_turn" });
  });

  test("counts cached tokens apart from the input, at the start and once more at the end (PA-09)", async () => {
    await serve([{ usage: { inputTokens: 100, outputTokens: 7, cachedInputTokens: 60, cacheWriteTokens: 30 } }]);
    const found = await events(await post(streamed));
    const counts = { input_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 };
    expect(found[0]?.data.message.usage).toMatchObject({ ...counts, output_tokens: 1 });
    expect(found.at(-2)?.data.usage).toMatchObject({ ...counts, output_tokens: 7 });
  });

  test("says no usage when it is told so", async () => {
    await serve([{ text: "a", usage: null }]);
    expect(await (await post(streamed)).text()).not.toContain("usage");
  });

  test("thinks before it speaks, and signs what it thought", async () => {
    const answer = { reasoning: "hmm", signature: "s", text: "so", split: [1] } as const;
    expect(await deltas(answer)).toEqual([
      { type: "thinking_delta", thinking: "h" },
      { type: "thinking_delta", thinking: "mm" },
      { type: "signature_delta", signature: "s" },
      { type: "text_delta", text: "s" },
      { type: "text_delta", text: "o" },
    ]);
  });

  test("signs thoughts that it does not show (PA-07)", async () => {
    expect(await deltas({ signature: "s" })).toEqual([{ type: "signature_delta", signature: "s" }]);
  });

  test("calls tools, with ids counted on from the request", async () => {
    await serve([{ toolCalls: [{ name: "a", args: { x: 1 } }, { name: "b" }] }]);
    const asked = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_4", name: "a", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_4" }] },
    ];
    const body = await (await post({ messages: asked })).json();
    expect(body.content).toMatchObject([
      { type: "tool_use", id: "call_5", name: "a", input: { x: 1 } },
      { type: "tool_use", id: "call_6", name: "b", input: {} },
    ]);
    expect(body.stop_reason).toBe("tool_use");
  });

  test("streams arguments in pieces, empty ones too (PA-03)", async () => {
    const toolCalls = [
      { name: "a", args: { x: 1 } },
      { name: "b", rawArgs: "" },
    ];
    expect((await deltas({ toolCalls, split: [3] })).map(({ partial_json }) => partial_json)).toEqual([
      "",
      '{"x',
      '":1}',
      "",
    ]);
  });

  test.each([
    [{ toolIndexes: "missing" }, [undefined, undefined]],
    [{ toolIndexes: "constant" }, [0, 0]],
    [{ toolIndexes: [4, 9] }, [4, 9]],
  ] as const)("gives the blocks of calls other indexes: %j (PA-01)", async (style, indexes) => {
    await serve([{ toolCalls: [{ name: "a" }, { name: "b" }], ...style }]);
    const found = await events(await post(streamed));
    const starts = found.filter(({ name }) => name === "content_block_start");
    expect(starts.map(({ data }) => data.index)).toEqual(indexes);
  });

  test("gives calls whole, and without ids", async () => {
    await serve([{ toolCalls: [{ name: "a", args: { x: 1 } }], wholeCalls: true, toolIds: "missing" }]);
    const found = await events(await post(streamed));
    const block = found.find(({ name }) => name === "content_block_start")?.data.content_block;
    expect([block.input, block.id]).toEqual([{ x: 1 }, undefined]);
    expect(found.some(({ name }) => name === "content_block_delta")).toBe(false);
  });

  test("has blocks in the API's own words: citations, its own tools, what it may not show", async () => {
    const citation = { type: "web_search_result_location", url: "https://x", title: "X", cited_text: "x" };
    const found = { type: "web_search_tool_result", tool_use_id: "srv", content: [] };
    const blocks = [
      { type: "redacted_thinking", data: "secret" },
      { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "tea" } },
      found,
      { type: "text", text: "Tea.", citations: [citation] },
    ];
    await serve([{ blocks }, { blocks }]);
    const sent = (await events(await post(streamed))).map(({ data }) => data.content_block ?? data.delta);
    expect(sent.filter((one) => one !== undefined)).toEqual([
      { type: "redacted_thinking", data: "secret" },
      { type: "server_tool_use", id: "srv", name: "web_search", input: {} },
      { type: "input_json_delta", partial_json: "" },
      { type: "input_json_delta", partial_json: '{"query":"tea"}' },
      found,
      { type: "text", text: "", citations: [] },
      { type: "citations_delta", citation },
      { type: "text_delta", text: "Tea." },
      expect.objectContaining({ stop_reason: "end_turn" }),
    ]);
    expect((await (await post()).json()).content).toEqual(blocks);
  });

  test.each([
    [{ finishReason: "length" }, "max_tokens"],
    [{ finishReason: "pause" }, "pause_turn"],
    [{ finishReason: "content_filter" }, "refusal"],
    [{ finishReason: "model_context_window_exceeded" }, "model_context_window_exceeded"],
    [{ finishReason: null }, null],
    [{ refusal: "I may not." }, "refusal"],
  ])("ends for a reason in Anthropic's words: %j", async (answer, reason) => {
    await serve([answer]);
    expect((await (await post()).json()).stop_reason).toBe(reason);
  });

  test("names the sequence that stopped it, and explains a refusal (PA-10)", async () => {
    await serve([{ finishReason: "stop_sequence" }, { refusal: "I may not." }]);
    expect((await (await post({ stop_sequences: ["END"] })).json()).stop_sequence).toBe("END");
    expect((await (await post()).json()).stop_details.explanation).toBe("I may not.");
  });

  test("says nothing of a sequence or a refusal where there was none, and nothing of its end before it", async () => {
    await serve(["a", { text: "a", faults: [{ type: "no_finish" }] }]);
    const ended = await (await post({ stop_sequences: ["END"] })).json();
    expect([ended.stop_reason, ended.stop_sequence, ended.stop_details]).toEqual(["end_turn", null, null]);
    expect((await (await post()).json()).stop_reason).toBeNull();
  });

  test("counts tokens of thinking where it is told to", async () => {
    await serve(["a", { text: "a", usage: { inputTokens: 1, outputTokens: 9, reasoningTokens: 4 } }]);
    expect((await (await post()).json()).usage.output_tokens_details).toBeNull();
    expect((await (await post()).json()).usage.output_tokens_details).toEqual({ thinking_tokens: 4 });
  });

  test("begins a text that cites nothing without citations, and a call without its id", async () => {
    await serve([{ text: "a", toolCalls: [{ name: "b" }], toolIds: "empty" }]);
    const found = await events(await post(streamed));
    const starts = found.flatMap(({ data }) => data.content_block ?? []);
    expect(starts).toMatchObject([
      { type: "text", text: "", citations: null },
      { type: "tool_use", id: "" },
    ]);
  });

  test("counts tokens without an answer", async () => {
    await serve([{ usage: { inputTokens: 42, outputTokens: 0 } }, "text"]);
    expect(await (await post({}, "/v1/messages/count_tokens")).json()).toEqual({ input_tokens: 42 });
    const { error } = await (await post({}, "/v1/messages/count_tokens")).json();
    expect(error.message).toMatch(/the entry has "text"/);
  });
});

describe("a refusal of Anthropic's wire server", () => {
  test.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [529, "overloaded_error"],
  ])("of status %d has Anthropic's shape", async (status, type) => {
    await serve([{ status }]);
    const response = await post();
    expect([response.status, await response.json()]).toEqual([
      status,
      { type: "error", error: { type, message: expect.any(String) }, request_id: "req_1" },
    ]);
  });

  test("hints at a wait, and says which limit was reached (PA-17)", async () => {
    await serve([{ status: 429, retryAfter: 3 }, { status: 429 }]);
    const { headers } = await post();
    expect([headers.get("retry-after"), headers.get("anthropic-ratelimit-requests-remaining")]).toEqual(["3", "0"]);
    expect((await post()).headers.get("retry-after")).toBeNull();
  });

  test("tells used up credit and prompts that are too long from other wrong requests (PA-16)", async () => {
    await serve([
      { status: 400, reason: "quota" },
      { status: 400, reason: "prompt_too_long" },
      { status: 429, code: "contract_spend_limit_reached" },
    ]);
    expect((await (await post()).json()).error.message).toMatch(/credit balance is too low/);
    expect((await (await post()).json()).error.message).toMatch(/^prompt is too long: \d+ tokens > \d+ maximum$/);
    expect((await (await post()).json()).error.details).toEqual({ error_code: "contract_spend_limit_reached" });
  });

  test("of a key goes by its own header", async () => {
    await serve(["a"], { apiKey: "right" });
    expect((await post()).status).toBe(401);
    expect((await post({}, "/v1/messages", { "x-api-key": "right" })).status).toBe(200);
  });

  test("of a wrong request stands among the violations and uses no entry", async () => {
    await serve(["a"]);
    const response = await post({ temperature: 2 });
    expect([response.status, (await response.json()).error.type]).toEqual([400, "invalid_request_error"]);
    expect(server.violations).toMatchObject([{ request: 1, param: "temperature" }]);
    expect(server.remaining).toBe(1);
  });

  test("of thoughts that were changed knows what this server signed", async () => {
    await serve([{ reasoning: "hm", text: "so" }, "b"]);
    const { content } = await (await post()).json();
    const again = (thinking: string) => ({
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ ...content[0], thinking }, content[1]] },
        { role: "user", content: "and?" },
      ],
    });
    expect((await (await post(again("no"))).json()).error.message).toMatch(/Invalid `signature`/);
    expect((await post(again("hm"))).status).toBe(200);
  });
});

describe("faults of Anthropic's stream", () => {
  test("an error event amid the others (PA-18)", async () => {
    await serve([{ text: "a", faults: [{ type: "error_frame", afterFrames: 1 }] }]);
    const found = await events(await post(streamed));
    expect(found.at(-1)).toEqual({
      name: "error",
      data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    });
    expect(found).toHaveLength(2);
  });

  test("an end without a reason, and without its mark (PA-11)", async () => {
    await serve([
      { text: "a", faults: [{ type: "no_finish" }] },
      { text: "a", faults: [{ type: "no_done" }] },
    ]);
    expect((await events(await post(streamed))).at(-1)?.name).toBe("content_block_stop");
    expect((await events(await post(streamed))).at(-1)?.name).toBe("message_delta");
  });

  test("events and deltas that nobody knows, and pings (PA-20)", async () => {
    await serve([{ text: "a", faults: [{ type: "bare_frames" }] }]);
    const found = await events(await post(streamed));
    expect(found.map(({ name, data }) => data.delta?.type ?? name)).toEqual([
      "message_start",
      "future_event",
      "ping",
      "content_block_start",
      "future_delta",
      "text_delta",
      "content_block_stop",
      "ping",
      "message_delta",
      "message_stop",
    ]);
  });

  test("a connection that breaks between two bytes of a character (PA-15)", async () => {
    const whole = { text: "漢", chunks: "bytes" } as const;
    await serve([whole]);
    const bytes = Buffer.from(await (await post(streamed)).arrayBuffer());
    const inside = bytes.indexOf(Buffer.from("漢")) + 1;
    await server.close();
    await serve([{ ...whole, faults: [{ type: "cut", afterBytes: inside }] }]);
    const response = await post(streamed);
    let count = 0;
    const reading = (async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) count += chunk.length;
    })();
    await expect(reading).rejects.toThrow();
    expect(count).toBe(inside);
    expect(await (await server.received()).ended).toBe("cut");
  });

  test("frames given one by one have their own names", async () => {
    await serve([{ frames: [{ type: "message_stop" }] }]);
    expect(await (await post(streamed)).text()).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });
});
