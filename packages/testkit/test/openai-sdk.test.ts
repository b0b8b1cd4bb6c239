import OpenAI, { type APIError, AuthenticationError, RateLimitError } from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenAIWireServer, openaiWireServer, type WireEntry } from "../src/wire/index.js";

let server: OpenAIWireServer;
afterEach(() => server.close());

async function client(script: readonly WireEntry[]): Promise<OpenAI> {
  server = await openaiWireServer(script);
  return new OpenAI({ apiKey: "key", baseURL: server.url, maxRetries: 0, logLevel: "off" });
}

const request = { model: "gpt-x", messages: [{ role: "user" as const, content: "hi" }] };

describe("the official SDK against the wire server", () => {
  test("reads a whole answer", async () => {
    const openai = await client([{ text: "hello", toolCalls: [{ name: "a", args: { x: 1 } }] }]);
    const completion = await openai.chat.completions.create(request);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: "hello", tool_calls: [{ id: "call_1", function: { name: "a", arguments: '{"x":1}' } }] },
    });
    expect(completion.usage?.total_tokens).toBe(15);
    expect(server.requests[0]?.authorization).toBe("Bearer key");
    server.assertDone();
  });

  test("reads a stream whose characters are split over network chunks", async () => {
    const openai = await client([{ text: "漢字 👩‍🚀", split: "characters", chunks: "bytes" }]);
    const stream = await openai.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let tokens: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      tokens = chunk.usage?.total_tokens ?? tokens;
    }
    expect([text, tokens]).toEqual(["漢字 👩‍🚀", 15]);
    expect(await server.requests[0]?.ended).toBe("answered");
  });

  test("sees refusals as its own errors, with code and headers", async () => {
    const openai = await client([{ status: 401 }, { status: 429, code: "insufficient_quota", retryAfter: 3 }]);
    await expect(openai.chat.completions.create(request)).rejects.toBeInstanceOf(AuthenticationError);
    const error = await openai.chat.completions.create(request).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: "insufficient_quota", requestID: "req_2" });
    expect((error as APIError).headers?.get("retry-after")).toBe("3");
  });

  test("sees an error frame within a stream", async () => {
    const openai = await client([
      {
        text: "abc",
        faults: [{ type: "error_frame", afterFrames: 2, error: { message: "down", code: "server_error" } }],
      },
    ]);
    const stream = await openai.chat.completions.create({ ...request, stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toMatchObject({ code: "server_error" });
  });

  test("closes the connection when it is aborted, and the server knows", async () => {
    const openai = await client([{ text: "abc", faults: [{ type: "stall", afterFrames: 2 }] }]);
    const stream = await openai.chat.completions.create({ ...request, stream: true });
    for await (const _ of stream) break;
    expect(await server.requests[0]?.ended).toBe("aborted");
  });

  test("reads a response of the Responses API, and goes on from it", async () => {
    const openai = await client([{ reasoning: "hm", toolCalls: [{ name: "a", args: { x: 1 } }] }, "done"]);
    const first = await openai.responses.create({ model: "gpt-x", input: "hi" });
    expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    const second = await openai.responses.create({
      model: "gpt-x",
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: "call_1", output: "1" }],
    });
    expect([second.output_text, second.usage?.total_tokens]).toEqual(["done", 15]);
    server.assertDone();
  });

  test("reads a stream of the Responses API whose characters are split over network chunks", async () => {
    const openai = await client([
      {
        text: "漢字 👩‍🚀",
        split: "characters",
        chunks: "bytes",
        faults: [{ type: "bare_frames" }, { type: "comments" }],
      },
    ]);
    const stream = await openai.responses.create({ model: "gpt-x", input: "hi", stream: true });
    let text = "";
    let status: string | undefined;
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") status = event.response.status;
    }
    expect([text, status]).toEqual(["漢字 👩‍🚀", "completed"]);
  });

  test("adds a stream of the Responses API up to the whole response", async () => {
    const answer = {
      reasoning: "hm",
      text: "so",
      toolCalls: [{ name: "a", args: { x: 1 } }],
      split: "characters",
    } as const;
    const openai = await client([answer]);
    const response = await openai.responses.stream({ model: "gpt-x", input: "hi" }).finalResponse();
    expect(response.output_text).toBe("so");
    expect(response.output[2]).toMatchObject({ type: "function_call", name: "a", arguments: '{"x":1}' });
  });

  test("reads embeddings, which it asks for in base64, and the list of models", async () => {
    server = await openaiWireServer([{ embeddings: [[0.5, -2]] }], { models: ["gpt-x"] });
    const openai = new OpenAI({ apiKey: "key", baseURL: server.url, maxRetries: 0, logLevel: "off" });
    const { data } = await openai.embeddings.create({ model: "e", input: "tea" });
    expect(server.requests[0]?.body.encoding_format).toBe("base64");
    expect(Array.from(data[0]?.embedding ?? [])).toEqual([0.5, -2]);
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(["gpt-x"]);
  });
});
