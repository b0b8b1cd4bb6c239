import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenAIServerOptions, type OpenAIWireServer, openaiWireServer, type WireEntry } from "../index.js";

let server: OpenAIWireServer;
afterEach(() => server.close());

async function serve(script: readonly WireEntry[], options?: OpenAIServerOptions): Promise<void> {
  server = await openaiWireServer(script, options);
}

function post(body: JsonObject): Promise<Response> {
  return fetch(`${server.url}/embeddings`, { method: "POST", body: JSON.stringify({ model: "e", ...body }) });
}

describe("embeddings of the wire server", () => {
  test("are one vector per input, the same for the same text", async () => {
    await serve([{}]);
    const found = await (await post({ input: ["tea", "coffee", "tea"] })).json();
    expect(found).toMatchObject({ object: "list", model: "e", usage: { prompt_tokens: 10, total_tokens: 10 } });
    const [first, second, third] = found.data;
    expect([first.index, third.index, first.embedding.length]).toEqual([0, 2, 8]);
    expect(first.embedding).toEqual(third.embedding);
    expect(first.embedding).not.toEqual(second.embedding);
  });

  test("are those of the entry, as numbers or in base64", async () => {
    const entry = { embeddings: [[0.5, -2]], usage: { inputTokens: 3, outputTokens: 0 } };
    await serve([entry, entry]);
    const plain = await (await post({ input: "tea" })).json();
    expect([plain.data[0].embedding, plain.usage.prompt_tokens]).toEqual([[0.5, -2], 3]);
    const packed = await (await post({ input: "tea", encoding_format: "base64" })).json();
    const bytes = Buffer.from(packed.data[0].embedding, "base64");
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4), bytes.length]).toEqual([0.5, -2, 8]);
  });

  test("are as long as the request says", async () => {
    await serve([{}]);
    expect((await (await post({ input: "tea", dimensions: 3 })).json()).data[0].embedding).toHaveLength(3);
  });

  test.each([
    [{ input: "" }, /cannot be an empty string/],
    [{ input: ["a", ""] }, /cannot be an empty string/],
    [{ input: [] }, /expected a text or a list of texts/],
    [{ input: ["a", 1] }, /texts alone/],
    [{ input: Array.from({ length: 2_049 }, () => "a") }, /at most 2048 inputs/],
    [{ input: "a", encoding_format: "int8" }, /expected 'float' or 'base64'/],
    [{ input: "a", dimensions: 0 }, /whole number from 1/],
    [{ input: "a", truncate: true }, /Unrecognized request argument supplied: truncate/],
    [{ input: "a", model: "" }, /must provide a model/],
  ])("are refused for a wrong request", async (body, message) => {
    await serve([{}]);
    const response = await post(body);
    expect([response.status, (await response.json()).error.message]).toEqual([400, expect.stringMatching(message)]);
    expect(server.remaining).toBe(1);
  });

  test("are no answer in words", async () => {
    await serve(["hello"]);
    expect((await (await post({ input: "a" })).json()).error.message).toMatch(/the entry has "text"/);
  });

  test("can fail", async () => {
    await serve([{ status: 429, retryAfter: 1 }]);
    expect((await post({ input: "a" })).headers.get("retry-after")).toBe("1");
  });
});

describe("models of the wire server", () => {
  test("are listed, and shown one by one", async () => {
    await serve([], { models: ["a", "org/b"] });
    const { data } = await (await fetch(`${server.url}/models`)).json();
    expect(data.map(({ id }: { id: string }) => id)).toEqual(["a", "org/b"]);
    expect((await (await fetch(`${server.url}/models/org%2Fb`)).json()).id).toBe("org/b");
    const none = await fetch(`${server.url}/models/none`);
    expect([none.status, (await none.json()).error.code]).toEqual([404, "model_not_found"]);
    server.assertDone();
  });
});
