import { request as httpRequest } from "node:http";
import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenAIWireServer, openaiWireServer, type WireEntry, type WireServerOptions } from "../index.js";

let server: OpenAIWireServer;
afterEach(() => server.close());

async function serve(script: readonly WireEntry[], options?: WireServerOptions): Promise<void> {
  server = await openaiWireServer(script, options);
}

function post(body: JsonObject = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer key", "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-x", messages: [{ role: "user", content: "hi" }], ...body }),
    ...init,
  });
}

/** The data of each frame, in order. */
async function frames(response: Response): Promise<readonly string[]> {
  const lines = (await response.text()).split("\n");
  return lines.flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
}

async function deltas(response: Response): Promise<readonly JsonObject[]> {
  const objects = (await frames(response)).filter((data) => data !== "[DONE]").map((data) => JSON.parse(data));
  return objects.flatMap(({ choices }) => (choices[0] === undefined ? [] : [choices[0].delta]));
}

const streamed = { stream: true, stream_options: { include_usage: true } };

describe("an answer of the wire server", () => {
  test("comes whole when the request does not stream", async () => {
    await serve([
      { text: "hello", usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2, reasoningTokens: 1 } },
    ]);
    const response = await post();
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-request-id")).toBe("req_1");
    expect(await response.json()).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "gpt-x",
      service_tier: "default",
      system_fingerprint: null,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "hello", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 1,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    });
    server.assertDone();
  });

  test("comes in frames when the request streams, with usage in a last frame without choices", async () => {
    await serve(["hello"]);
    const response = await post(streamed);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const data = await frames(response);
    expect(data.at(-1)).toBe("[DONE]");
    const objects = data.slice(0, -1).map((text) => JSON.parse(text));
    expect(objects.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { role: "assistant", content: "", refusal: null }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: { content: "hello" }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }],
      [],
    ]);
    expect(objects.map(({ usage }) => usage?.total_tokens ?? usage)).toEqual([null, null, null, 15]);
    expect(objects.every(({ id, object }) => id === "chatcmpl-1" && object === "chat.completion.chunk")).toBe(true);
  });

  test("has no usage in its frames unless the request asks for it, and none at all when it never says", async () => {
    await serve(["a", { text: "b", usage: null }, { text: "c", usage: null }]);
    expect(await (await post({ stream: true })).text()).not.toContain("usage");
    expect(await (await post(streamed)).text()).not.toContain("total_tokens");
    expect(await (await post()).json()).not.toHaveProperty("usage");
  });

  test("says the same both ways: reasoning, refusal, tool calls, finish reason, model", async () => {
    const answer = {
      reasoning: "hm",
      text: "t",
      refusal: "no",
      toolCalls: [
        { name: "a", args: { x: 1 } },
        { id: "mine", name: "b", rawArgs: "" },
      ],
      finishReason: "length",
      model: "gpt-x-2026",
    };
    await serve([answer, { ...answer, split: "characters" }]);
    const whole = await (await post()).json();
    const message = whole.choices[0].message;
    expect(message).toEqual({
      role: "assistant",
      content: "t",
      refusal: "no",
      reasoning_content: "hm",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "a", arguments: '{"x":1}' } },
        { id: "mine", type: "function", function: { name: "b", arguments: "" } },
      ],
    });
    const response = await post(streamed);
    const pieces = await deltas(response);
    const joined = (field: string): string => pieces.map((delta) => delta[field] ?? "").join("");
    expect([joined("reasoning_content"), joined("content"), joined("refusal")]).toEqual(["hm", "t", "no"]);
    expect(pieces.flatMap((delta) => (delta.tool_calls as JsonObject[] | undefined) ?? [])).toEqual([
      { index: 0, id: "call_1", type: "function", function: { name: "a", arguments: "" } },
      ...[...'{"x":1}'].map((piece) => ({ index: 0, function: { arguments: piece } })),
      { index: 1, id: "mine", type: "function", function: { name: "b", arguments: "" } },
    ]);
    expect([whole.choices[0].finish_reason, whole.model]).toEqual(["length", "gpt-x-2026"]);
  });

  test.each([
    ["sparse indexes", { toolIndexes: [1, 5] }, [1, 1, 5, 5]],
    ["one index for all", { toolIndexes: "constant" }, [0, 0, 0, 0]],
    ["no index", { toolIndexes: "missing" }, [undefined, undefined, undefined, undefined]],
    ["whole calls in one frame", { wholeCalls: true, toolIndexes: "constant" }, [0, 0]],
  ] as const)("can give tool-call fragments %s (PA-01)", async (_, style, indexes) => {
    await serve([
      {
        toolCalls: [
          { name: "a", args: { x: 1 } },
          { name: "b", args: { y: 2 } },
        ],
        ...style,
      },
    ]);
    const fragments = (await deltas(await post(streamed))).flatMap((delta) => (delta.tool_calls ?? []) as JsonObject[]);
    expect(fragments.map(({ index }) => index)).toEqual(indexes);
    expect(new Set(fragments.flatMap(({ id }) => id ?? []))).toEqual(new Set(["call_1", "call_2"]));
  });

  test("can name reasoning otherwise, and count call ids on from the request", async () => {
    await serve([{ reasoning: "hm", reasoningField: "reasoning", toolCalls: [{ name: "a" }] }]);
    const response = await post({
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_4", type: "function", function: { name: "a", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "call_4", content: "done" },
      ],
    });
    const { message } = (await response.json()).choices[0];
    expect([message.reasoning, message.tool_calls[0].id]).toEqual(["hm", "call_5"]);
  });

  test("can be given frame by frame, or as a body", async () => {
    await serve([{ frames: [{ choices: [] }, "[DONE]"] }, { whole: { choices: [] } }, { whole: "<html>" }]);
    expect(await frames(await post(streamed))).toEqual(['{"choices":[]}', "[DONE]"]);
    expect(await (await post()).json()).toEqual({ choices: [] });
    expect(await (await post()).text()).toBe("<html>");
  });

  test("waits for its gate", async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await serve([{ text: "late", gate }]);
    const answer = post();
    await server.received();
    open();
    expect((await answer).status).toBe(200);
  });
});

describe("a refusal of the wire server", () => {
  test.each([
    [401, "invalid_api_key"],
    [402, "insufficient_quota"],
    [403, "unsupported_country_region_territory"],
    [404, "model_not_found"],
    [429, "rate_limit_exceeded"],
    [500, null],
    [503, null],
    [529, "overloaded"],
    [418, null],
  ])("of status %d has OpenAI's shape", async (status, code) => {
    await serve([{ status }]);
    const response = await post();
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param: null, code },
    });
  });

  test("tells exhausted quota from a rate limit (PA-16)", async () => {
    await serve([{ status: 429, code: "insufficient_quota" }]);
    const { error } = await (await post()).json();
    expect(error).toMatchObject({ type: "insufficient_quota", code: "insufficient_quota" });
    expect(error.message).toMatch(/exceeded your current quota/);
  });

  test("hints at a wait in seconds, milliseconds or as a date (PA-17)", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    await serve([
      { status: 429, retryAfter: 2 },
      { status: 429, retryAfterMs: 150 },
      { status: 503, retryAfter: date },
    ]);
    const hints: unknown[] = [];
    for (let call = 0; call < 3; call++) {
      const { headers } = await post();
      hints.push([headers.get("retry-after"), headers.get("retry-after-ms")]);
    }
    expect(hints).toEqual([
      ["2", null],
      [null, "150"],
      [date, null],
    ]);
  });

  test("carries what else a host says (PA-22)", async () => {
    await serve([{ status: 400, code: "tool_use_failed", more: { failed_generation: "<call>" } }]);
    expect((await (await post()).json()).error).toMatchObject({
      code: "tool_use_failed",
      failed_generation: "<call>",
    });
  });

  test("may be a page of a proxy, with headers of its own", async () => {
    await serve([{ status: 502, body: "<h1>Bad gateway</h1>", headers: { "x-proxy": "p" } }]);
    const response = await post();
    expect(await response.text()).toBe("<h1>Bad gateway</h1>");
    expect([response.headers.get("x-proxy"), response.headers.get("content-type")]).toEqual(["p", "text/html"]);
  });
});

describe("the requests of a wire server", () => {
  test("are recorded with headers, authorization and body", async () => {
    await serve(["a"]);
    await post({ temperature: 0 }, { headers: { authorization: "Bearer secret", "x-custom": "1" } });
    const [request] = server.requests;
    expect(request).toMatchObject({
      number: 1,
      method: "POST",
      path: "/v1/chat/completions",
      authorization: "Bearer secret",
      body: { model: "gpt-x", temperature: 0 },
    });
    expect(request?.headers["x-custom"]).toBe("1");
    expect(JSON.parse(request?.text ?? "")).toEqual(request?.body);
    expect(await request?.ended).toBe("answered");
    expect(request?.aborted).toBe(false);
  });

  test("tell when the client closes early", async () => {
    await serve([{ text: "abc", split: "characters", faults: [{ type: "stall", afterFrames: 2 }] }]);
    const controller = new AbortController();
    const response = await post(streamed, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    const request = await server.received();
    expect(await request.ended).toBe("aborted");
    expect(request.aborted).toBe(true);
  });

  test("tell when the client closes before any answer, at a gate too", async () => {
    await serve([
      { text: "x", gate: new Promise(() => {}) },
      { text: "x", faults: [{ type: "silence" }] },
    ]);
    for (const number of [1, 2]) {
      const controller = new AbortController();
      const answer = post({}, { signal: controller.signal });
      const request = await server.received(number);
      controller.abort();
      await expect(answer).rejects.toThrow();
      expect(await request.ended).toBe("aborted");
    }
  });

  test("do not count when the client leaves in the middle of one", async () => {
    await serve(["a"]);
    const leaving = httpRequest(`${server.url}/chat/completions`, { method: "POST" });
    const left = new Promise((resolve) => leaving.once("error", resolve));
    await new Promise<void>((resolve) => {
      leaving.write('{"model"', () => resolve());
    });
    leaving.destroy(new Error("left"));
    await left;
    expect((await post()).status).toBe(200);
    expect(server.requests).toHaveLength(1);
    server.assertDone();
  });

  test("are let in with the right key alone", async () => {
    await serve(["a"], { apiKey: "right" });
    expect((await post()).status).toBe(401);
    expect((await post({}, { headers: { authorization: "Bearer right" } })).status).toBe(200);
  });

  test("go to one place only", async () => {
    await serve([]);
    const wrong = await fetch(`${server.url}/completions`, { method: "POST", body: "{}" });
    const method = await fetch(`${server.url}/chat/completions`);
    expect([wrong.status, method.status]).toEqual([404, 405]);
    expect((await wrong.json()).error.message).toBe("Invalid URL (POST /v1/completions)");
    expect(server.violations).toHaveLength(2);
  });

  test("that break a rule are refused with 400, recorded, and use no entry", async () => {
    await serve(["a"]);
    const response = await post({ messages: [{ role: "tool", content: "x", tool_call_id: "call_1" }] });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toEqual({
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      type: "invalid_request_error",
      param: "messages[0].role",
      code: null,
    });
    expect(server.violations).toMatchObject([{ request: 1, param: "messages[0].role" }]);
    expect(server.remaining).toBe(1);
    expect(() => server.assertDone()).toThrow(
      /request 1: Invalid parameter: messages with role 'tool'.*\n {2}1 of 1 entries were not used/,
    );
  });

  test("whose body is no JSON object are refused", async () => {
    await serve([]);
    expect((await post({}, { body: "{" })).status).toBe(400);
    expect((await post({}, { body: "[]" })).status).toBe(400);
    expect(server.violations[0]?.message).toMatch(/could not parse the JSON body/);
  });

  test("are not looked at when told so", async () => {
    await serve(["a"], { validate: false });
    expect((await post({ messages: [], odd: true })).status).toBe(200);
    expect(server.violations).toEqual([]);
  });

  test("may have the parameters that a compatible server knows", async () => {
    await serve(["a"], { extraParams: ["num_ctx"] });
    expect((await post({ num_ctx: 1 })).status).toBe(200);
    expect((await post({ numctx: 1 })).status).toBe(400);
  });
});

describe("the script of a wire server", () => {
  test("refuses requests after its end, and says so at the end", async () => {
    await serve(["a"]);
    await post();
    const late = await post();
    expect([late.status, (await late.json()).error.code]).toEqual([400, "script_ended"]);
    expect(() => server.assertDone()).toThrow("request 2: The script has 1 entries, and all were used before.");
  });

  test("checks what it expects of a request", async () => {
    await serve([
      {
        text: "a",
        expect: ({ body }) => {
          if (body.temperature !== 0) throw new Error("no temperature");
        },
      },
    ]);
    const response = await post();
    expect((await response.json()).error).toMatchObject({ code: "unexpected_request" });
    expect(() => server.assertDone()).toThrow("request 1: The request is not as expected: no temperature");
  });

  test("refuses entries that contradict themselves", async () => {
    await serve([() => ({ toolCalls: [{ name: "a", args: {}, rawArgs: "" }] })]);
    expect((await (await post()).json()).error.message).toMatch(/toolCalls\[0\]: a call has "args" or "rawArgs"/);
    const twice = [{ type: "no_done" }, { type: "no_done" }] as const;
    await expect(openaiWireServer(["a", { faults: twice }])).rejects.toThrow(
      'script entry 2 of 2: an answer has each fault once, and "no_done" stands twice',
    );
  });

  test("decides by a function, of one entry or of all", async () => {
    await serve([({ body }) => `asked ${String(body.model)}`]);
    expect((await (await post()).json()).choices[0].message.content).toBe("asked gpt-x");
    await server.close();
    server = await openaiWireServer(({ number }) => (number === 1 ? { status: 500 } : "second"));
    expect([(await post()).status, (await post()).status]).toEqual([500, 200]);
    server.assertDone();
  });

  test("refuses frames for a request that does not stream, and a body for one that does", async () => {
    await serve([{ frames: [] }, { whole: {} }]);
    expect((await (await post()).json()).error.message).toMatch(/has frames, and the request does not stream/);
    expect((await (await post(streamed)).json()).error.message).toMatch(/has a whole body, and the request streams/);
  });
});

test("a port that is taken is an error", async () => {
  await serve([]);
  const port = Number(new URL(server.url).port);
  await expect(openaiWireServer([], { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
