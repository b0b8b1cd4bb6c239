import type { JsonObject } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type OpenAIEmbeddingOptions, openaiEmbeddings } from "./embeddings.js";

const KEY = "canary-key-123456";

/** A model whose server answers with what `answer` makes of each request. Real SDK, no socket. */
function serve(answer: (body: JsonObject) => unknown, options: Partial<OpenAIEmbeddingOptions> = {}, status = 200) {
  const bodies: JsonObject[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body = JSON.parse(String(init?.body)) as JsonObject;
    bodies.push(body);
    return new Response(JSON.stringify(answer(body)), { status, headers: { "content-type": "application/json" } });
  };
  return { model: openaiEmbeddings("text-embedding-3-small", { apiKey: KEY, fetch, ...options }), bodies };
}

function vectorsFor(texts: readonly string[], dimensions = 1_536): JsonObject {
  const data = texts.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Array(dimensions).fill(text.length),
  }));
  return {
    object: "list",
    data,
    model: "text-embedding-3-small",
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  };
}

const plain = ({ input, dimensions }: JsonObject) => vectorsFor(input as string[], dimensions as number | undefined);

describe("EMB-01 an embedding model of OpenAI", () => {
  it("is known before it is asked", () => {
    expect(serve(plain).model).toMatchObject({
      id: "openai/text-embedding-3-small",
      profile: { dimensions: 1_536, maxInputTokens: 8_192, maxBatch: 2_048, source: "cloud" },
    });
    expect(openaiEmbeddings("bge-m3", { apiKey: "k", provider: "local" }).profile).not.toHaveProperty("dimensions");
  });

  it("embeds documents and a query", async () => {
    const { model, bodies } = serve(plain);
    const { vectors, usage } = await model.embedDocuments(["a", "bbb"]);
    expect(vectors.map(([first]) => first)).toEqual([1, 3]);
    expect(usage).toEqual({ inputTokens: 2, outputTokens: 0, embeddingTokens: 2, source: "reported" });
    expect((await model.embedQuery("dddd", { dimensions: 8 })).vector).toEqual(Array(8).fill(4));
    expect(bodies[1]).toEqual({ model: model.profile.model, input: ["dddd"], encoding_format: "float", dimensions: 8 });
  });

  it("keeps which request it was and what is left of limits, without the key", async () => {
    const headers = { "x-request-id": "req_1", "x-ratelimit-remaining-tokens": KEY, "x-other": "no" };
    const fetch: typeof globalThis.fetch = async () => Response.json({ ...vectorsFor(["a"]), note: 1 }, { headers });
    const { providerData } = await serve(plain, { fetch }).model.embedQuery("a");
    const kept = { "x-request-id": "req_1", "x-ratelimit-remaining-tokens": "[redacted]" };
    expect(providerData).toEqual({ note: 1, headers: kept });
  });

  it("asks as often as it takes", async () => {
    const { model, bodies } = serve(plain, { profile: { maxBatch: 2, dimensions: 2 } });
    const asked = model.embedDocuments(["a", "b", "c"], {
      dimensions: 2,
      providerOptions: { openai: { user: "u", model: "x" } },
    });
    expect((await asked).vectors).toHaveLength(3);
    expect(bodies.map(({ input, user, model: name }) => [input, user, name])).toEqual([
      [["a", "b"], "u", "text-embedding-3-small"],
      [["c"], "u", "text-embedding-3-small"],
    ]);
  });

  it("puts vectors where they belong, whatever their order", async () => {
    const turned = (body: JsonObject) => ({ ...plain(body), data: (plain(body).data as JsonObject[]).toReversed() });
    const { vectors } = await serve(turned).model.embedDocuments(["a", "bb"]);
    expect(vectors.map(([first]) => first)).toEqual([1, 2]);
    const unnumbered = (body: JsonObject) => ({
      data: (plain(body).data as JsonObject[]).map(({ embedding }) => ({ embedding })),
    });
    const other = await serve(unnumbered as never).model.embedDocuments(["a", "bb"]);
    expect(other.vectors.map(([first]) => first)).toEqual([1, 2]);
    expect(other).not.toHaveProperty("usage");
  });

  it("keeps what else the server said, without what could reach an object's prototype (SE-04)", async () => {
    const more = async (fields: JsonObject) =>
      serve((body) => ({ ...plain(body), ...fields })).model.embedDocuments(["a"]);
    expect(await more({ x_region: "eu" })).toMatchObject({ providerData: { x_region: "eu" }, warnings: [] });
    const hostile = await more(JSON.parse('{"x":{"__proto__":{"a":1}}}'));
    expect(hostile).not.toHaveProperty("providerData");
    expect(hostile.warnings).toMatchObject([{ code: "malformed_data" }]);
  });

  it("refuses own settings that are no object before it asks", async () => {
    const { model, bodies } = serve(plain);
    const asked = model.embedQuery("a", { providerOptions: { openai: "x" as never } });
    await expect(asked).rejects.toMatchObject({ code: "invalid_request" });
    expect(bodies).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["no list", { data: null }, "provider_server"],
    ["too few", vectorsFor(["a"]), "corrupt_data"],
    ["a place twice", { data: [0, 0].map((index) => ({ index, embedding: null })) }, "corrupt_data"],
    [
      "a place twice, with vectors",
      { data: [0, 0, 1].map((index) => ({ index, embedding: Array(1_536).fill(index) })) },
      "corrupt_data",
    ],
    ["vectors of another length", vectorsFor(["a", "b"], 3), "corrupt_data"],
    ["an error inside 200", { error: { message: "No.", code: "rate_limit_exceeded" } }, "provider_rate_limit"],
  ])("refuses %s", async (_, wire, code) => {
    await expect(serve(() => wire).model.embedDocuments(["a", "b"])).rejects.toMatchObject({ code });
  });

  it("tells failures apart, without the key (ERR-04, SE-08)", async () => {
    const { model } = serve(() => ({ error: { message: `Bad key ${KEY}.`, code: "invalid_api_key" } }), {}, 401);
    const error = await model.embedQuery("a").catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "provider_auth" });
    expect(JSON.stringify(error) + String(error)).not.toContain(KEY);
  });

  it("stops when it is told to", async () => {
    const signal = AbortSignal.abort();
    const { model, bodies } = serve(plain);
    await expect(model.embedQuery("a", { signal })).rejects.toMatchObject({ code: "cancelled" });
    expect(bodies).toEqual([]);
  });
});
