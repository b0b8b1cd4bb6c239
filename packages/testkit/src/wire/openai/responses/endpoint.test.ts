import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenAIWireServer, openaiWireServer, type WireAnswer, type WireEntry } from "../../index.js";

let server: OpenAIWireServer;
afterEach(() => server.close());

async function serve(script: readonly WireEntry[]): Promise<void> {
  server = await openaiWireServer(script);
}

function post(body: JsonObject = {}): Promise<Response> {
  return fetch(`${server.url}/responses`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-x", input: "hi", ...body }),
  });
}

async function whole(answer: WireAnswer, body?: JsonObject) {
  await serve([answer]);
  return (await post(body)).json();
}

/** The events of a stream, parsed; the names are those of the types. */
async function events(response: Response) {
  const texts = (await response.text()).split("\n\n").filter((text) => text !== "");
  return texts.map((text) => {
    const [name = "", data = ""] = text.split("\n");
    const parsed = JSON.parse(data.replace("data: ", ""));
    expect(name).toBe(`event: ${parsed.type}`);
    return parsed;
  });
}

async function streamed(answer: WireAnswer, body: JsonObject = {}) {
  await serve([answer]);
  return events(await post({ stream: true, ...body }));
}

const short = (type: string): string => type.replace("response.", "");

describe("an answer of the Responses API", () => {
  test("comes whole when the request does not stream", async () => {
    const found = await whole({ text: "hello", usage: { inputTokens: 7, outputTokens: 3, reasoningTokens: 1 } });
    expect(found).toMatchObject({
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "gpt-x",
      error: null,
      incomplete_details: null,
      output: [
        {
          id: "msg_1",
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", annotations: [], logprobs: [], text: "hello" }],
        },
      ],
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 10,
      },
    });
    server.assertDone();
  });

  test("comes as numbered events when the request streams", async () => {
    const found = await streamed({ text: "hey", split: [1] });
    expect(found.map(({ type }) => short(type))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(found.map(({ sequence_number: number }) => number)).toEqual(found.map((_, at) => at));
    expect(found[0].response).toMatchObject({ status: "in_progress", output: [], usage: null });
    expect(found[4]).toMatchObject({ item_id: "msg_1", output_index: 0, content_index: 0, delta: "h" });
    expect(found[6].text).toBe("hey");
    expect(found.at(-1).response).toMatchObject({ status: "completed", usage: { total_tokens: 15 } });
  });

  test("says the same both ways", async () => {
    const answer = { reasoning: "hm", text: "t", refusal: "no", toolCalls: [{ name: "a", args: { x: 1 } }] };
    const { output } = (await streamed(answer)).at(-1).response;
    await server.close();
    expect((await whole(answer)).output).toEqual(output);
    expect(output.map(({ type }: { type: string }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test("thinks in a summary, encrypted for who asks for it", async () => {
    const answer = { reasoning: "hm", signature: "secret", text: "so" };
    const found = await streamed(answer, { include: ["reasoning.encrypted_content"] });
    expect(found.slice(2, 8).map(({ type }) => short(type))).toEqual([
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
    ]);
    expect(found[4]).toMatchObject({ item_id: "rs_1", summary_index: 0, delta: "hm" });
    expect(found[7].item).toEqual({
      id: "rs_1",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "secret",
    });
    await server.close();
    expect((await whole(answer)).output[0]).not.toHaveProperty("encrypted_content");
  });

  test("thinks without a summary, in raw text, or in the text (PA-07)", async () => {
    const include = { include: ["reasoning.encrypted_content"] };
    expect((await whole({ signature: "s" }, include)).output).toEqual([
      { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "s" },
    ]);
    await server.close();
    const raw = await streamed({ reasoning: "hm", reasoningField: "reasoning_text" });
    expect(raw.find(({ type }) => type === "response.reasoning_text.delta").delta).toBe("hm");
    await server.close();
    const inText = await whole({ reasoning: "hm", text: "so", reasoningField: "think_tags" });
    expect(inText.output[0].content[0].text).toBe("<think>\nhm\n</think>\n\nso");
  });

  test("refuses in a part of its own (PA-10)", async () => {
    const found = await streamed({ refusal: "no" });
    expect(found.slice(3, 6).map(({ type, delta }) => [short(type), delta])).toEqual([
      ["content_part.added", undefined],
      ["refusal.delta", "no"],
      ["refusal.done", undefined],
    ]);
    expect(found.at(-1).response.status).toBe("completed");
  });

  test("calls tools: arguments in pieces, ids of calls counted on from the request (PA-03)", async () => {
    const input = [
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "call_4", name: "a", arguments: "{}" },
      { type: "function_call_output", call_id: "call_4", output: "1" },
    ];
    const toolCalls = [
      { name: "a", args: { x: 1 } },
      { name: "b", rawArgs: "" },
    ];
    const found = await streamed({ toolCalls, split: [4] }, { input });
    expect(found[2].item).toMatchObject({
      id: "fc_1_1",
      call_id: "call_5",
      name: "a",
      arguments: "",
      status: "in_progress",
    });
    const deltas = found.filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(deltas.map(({ delta, item_id: id }) => [delta, id])).toEqual([
      ['{"x"', "fc_1_1"],
      [":1}", "fc_1_1"],
    ]);
    const done = found.filter(({ type }) => type === "response.function_call_arguments.done");
    expect(done.map(({ arguments: args, name }) => [args, name])).toEqual([
      ['{"x":1}', "a"],
      ["", "b"],
    ]);
  });

  test.each([
    [{ toolIndexes: "missing" }, [undefined, undefined], "fc_1_1"],
    [{ toolIndexes: "constant", toolIds: "missing" }, [0, 0], undefined],
    [{ toolIndexes: [2, 7], toolIds: "empty" }, [2, 7], ""],
  ] as const)("gives calls other indexes and item ids: %j (PA-01)", async (style, indexes, id) => {
    const found = await streamed({ toolCalls: [{ name: "a" }, { name: "b" }], ...style });
    const added = found.filter(({ type }) => type === "response.output_item.added");
    expect(added.map(({ output_index: index }) => index)).toEqual(indexes);
    expect([added[0].item.id, added[0].item.call_id]).toEqual([id, "call_1"]);
  });

  test("gives a call whole, without fragments", async () => {
    const found = await streamed({ toolCalls: [{ name: "a", args: { x: 1 } }], wholeCalls: true });
    expect(found.slice(2, 4).map(({ type, item }) => [short(type), item.arguments])).toEqual([
      ["output_item.added", '{"x":1}'],
      ["output_item.done", '{"x":1}'],
    ]);
  });

  test("has items in the API's own words: its tools with their phases, citations", async () => {
    const annotation = { type: "url_citation", url: "https://x", title: "X", start_index: 0, end_index: 3 };
    const blocks = [
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "tea" } },
      {
        type: "message",
        id: "msg_own",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Tea", annotations: [annotation] }],
      },
      { type: "future_call", id: "f_1" },
    ];
    const found = await streamed({ blocks });
    expect(found.slice(2).map(({ type }) => short(type))).toEqual([
      "output_item.added",
      "web_search_call.in_progress",
      "web_search_call.searching",
      "web_search_call.completed",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.annotation.added",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "output_item.done",
      "completed",
    ]);
    expect(found[2].item.status).toBe("in_progress");
    expect(found.find(({ type }) => type === "response.output_text.annotation.added").annotation).toEqual(annotation);
    expect(found.at(-1).response.output).toEqual(blocks);
  });

  test.each([
    [{ finishReason: "length" }, "incomplete", { reason: "max_output_tokens" }, null],
    [{ finishReason: "content_filter" }, "incomplete", { reason: "content_filter" }, null],
    [{ finishReason: "error" }, "failed", null, "server_error"],
  ])("ends otherwise: %j", async (answer, status, details, code) => {
    const last = (await streamed({ text: "a", ...answer })).at(-1);
    expect(last.type).toBe(`response.${status}`);
    expect([last.response.incomplete_details, last.response.error?.code ?? null]).toEqual([details, code]);
  });

  test("leaves its last item open when it is cut short", async () => {
    const { output } = await whole({ text: "a", toolCalls: [{ name: "a" }], finishReason: "length" });
    expect(output.map(({ status }: { status: string }) => status)).toEqual(["completed", "incomplete"]);
  });

  test("has parts that do not grow, as they are", async () => {
    const part = { type: "future_part", value: 1 };
    const found = await streamed({ blocks: [{ type: "message", id: "msg_own", role: "assistant", content: [part] }] });
    expect(found.slice(3, 5).map(({ type, part: sent }) => [short(type), sent])).toEqual([
      ["content_part.added", part],
      ["content_part.done", part],
    ]);
  });

  test("never says its usage when it is told so", async () => {
    expect((await streamed({ text: "a", usage: null })).at(-1).response.usage).toBeNull();
  });
});

describe("what a server remembers of its responses", () => {
  test("lets a request go on from one, and answer its calls", async () => {
    await serve([{ toolCalls: [{ name: "a" }] }, { toolCalls: [{ name: "a" }] }]);
    await post();
    const next = {
      previous_response_id: "resp_1",
      input: [{ type: "function_call_output", call_id: "call_1", output: "1" }],
    };
    const { output } = await (await post(next)).json();
    expect(output[0].call_id).toBe("call_2");
    server.assertDone();
  });

  test("is nothing when it was not stored", async () => {
    await serve(["a"]);
    await post({ store: false });
    const { error } = await (await post({ previous_response_id: "resp_1" })).json();
    expect(error).toMatchObject({ code: "previous_response_not_found", param: "previous_response_id" });
    expect(server.violations).toHaveLength(1);
  });
});

describe("faults of a stream of the Responses API", () => {
  test("an error event, with its number (PA-18)", async () => {
    const found = await streamed({ text: "a", faults: [{ type: "error_frame", afterFrames: 2 }] });
    expect(found.at(-1)).toEqual({
      type: "error",
      code: "server_error",
      message: "The server had an error while processing your request.",
      param: null,
      sequence_number: 2,
    });
  });

  test("an end without a last event (PA-11)", async () => {
    const found = await streamed({ text: "a", faults: [{ type: "no_finish" }] });
    expect(found.at(-1).type).toBe("response.output_item.done");
  });

  test("events that nobody knows (PA-20)", async () => {
    const types = (await streamed({ text: "a", faults: [{ type: "bare_frames" }] })).map(({ type }) => type);
    expect([types[2], types.at(-2)]).toEqual(["keepalive", "response.future_thing.delta"]);
  });

  test("an event that is no JSON, and a connection that breaks", async () => {
    await serve([
      { text: "a", faults: [{ type: "malformed_frame", afterFrames: 1 }] },
      { text: "漢", chunks: "bytes", faults: [{ type: "cut", afterBytes: 40 }] },
    ]);
    const [, second = ""] = (await (await post({ stream: true })).text()).split("\n\n");
    expect(() => JSON.parse(second.split("data: ")[1] ?? "")).toThrow();
    await expect((await post({ stream: true })).text()).rejects.toThrow();
  });

  test("a whole answer without an end is still in progress", async () => {
    expect((await whole({ text: "a", faults: [{ type: "no_finish" }] })).status).toBe("in_progress");
  });
});
