import { describe, expect, test } from "vitest";
import { batchedEmbeddings, type EmbedBatch } from "./batched-embeddings.js";
import { callCost } from "./cost.js";
import type { EmbeddingProfile } from "./embedding-model.js";

const PROFILE: EmbeddingProfile = { provider: "acme", model: "e1", lifecycle: "active", source: "cloud" };

/** Places a text by its length. */
function model(profile: Partial<EmbeddingProfile> = {}, answer: Partial<Awaited<ReturnType<EmbedBatch>>> = {}) {
  const requests: unknown[] = [];
  const embeddings = batchedEmbeddings({ ...PROFILE, ...profile }, async (texts, purpose, options) => {
    requests.push({ texts, purpose, options });
    const usage = { inputTokens: texts.length, outputTokens: 0, source: "reported" } as const;
    return { vectors: texts.map((text) => [text.length, 1]), usage, ...answer };
  });
  return { embeddings, requests };
}

describe("EMB-01 an embedding model from its one request", () => {
  test("gives a vector for each text, in order, over as many requests as it takes", async () => {
    const { embeddings, requests } = model({ maxBatch: 2 });
    const { vectors } = await embeddings.embedDocuments(["a", "bb", "ccc", "dddd", "eeeee"]);
    expect(vectors).toEqual([1, 2, 3, 4, 5].map((length) => [length, 1]));
    expect(requests).toMatchObject([
      { texts: ["a", "bb"], purpose: "document" },
      { texts: ["ccc", "dddd"] },
      { texts: ["eeeee"] },
    ]);
  });

  test("embeds a query as a query", async () => {
    const { embeddings, requests } = model();
    expect(await embeddings.embedQuery("four", { dimensions: 2 })).toMatchObject({ vector: [4, 1], dimensions: 2 });
    expect(requests).toEqual([{ texts: ["four"], purpose: "query", options: { dimensions: 2 } }]);
  });

  test("asks nothing for no texts", async () => {
    const { embeddings, requests } = model({ dimensions: 2 });
    expect(await embeddings.embedDocuments([])).toEqual({
      vectors: [],
      dimensions: 2,
      model: { id: "acme/e1", provider: "acme", model: "e1" },
      warnings: [],
    });
    expect(requests).toEqual([]);
  });

  test("stops between requests when nobody wants the answer any more", async () => {
    const controller = new AbortController();
    const asked: string[] = [];
    const embeddings = batchedEmbeddings({ ...PROFILE, maxBatch: 1 }, async ([text = ""]) => {
      asked.push(text);
      controller.abort();
      return { vectors: [[1]] };
    });
    await expect(embeddings.embedDocuments(["a", "b"], { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(asked).toEqual(["a"]);
  });

  test("refuses what are no texts, and no dimensions", async () => {
    const { embeddings } = model();
    await expect(embeddings.embedDocuments("text" as never)).rejects.toThrow(TypeError);
    await expect(embeddings.embedDocuments(["a", 1 as never])).rejects.toThrow("text 2 of 2");
    await expect(embeddings.embedQuery("a", { dimensions: 0.5 })).rejects.toThrow(TypeError);
  });

  test.each([0, -1, 0.5, Number.NaN])("refuses a profile with a batch, or vectors, of size %d", (size) => {
    expect(() => model({ maxBatch: size })).toThrow("profile.maxBatch");
    expect(() => model({ dimensions: size })).toThrow("profile.dimensions");
  });

  test("embeds the texts that it was given, whatever becomes of the list meanwhile", async () => {
    const texts = ["a", "bb", "ccc"];
    const embeddings = batchedEmbeddings({ ...PROFILE, maxBatch: 1 }, async ([text = ""]) => {
      texts.length = 0;
      return { vectors: [[text.length]] };
    });
    expect((await embeddings.embedDocuments(texts)).vectors).toEqual([[1], [2], [3]]);
  });

  test("refuses vectors that are not what was asked for, of any request", async () => {
    await expect(model({ dimensions: 3 }).embeddings.embedQuery("a")).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: "the embeddings of acme[0]" },
    });
    let length = 1;
    const growing = batchedEmbeddings({ ...PROFILE, maxBatch: 1 }, async () => ({
      vectors: [Array(length++).fill(0)],
    }));
    await expect(growing.embedDocuments(["a", "b"])).rejects.toMatchObject({ code: "corrupt_data" });
  });
});

describe("EMB-02 what comes with vectors", () => {
  test("is added up: tokens and warnings of all requests, the exact model and data of the last", async () => {
    const warning = { code: "provider", message: "Slow." } as const;
    const { embeddings } = model({ maxBatch: 1 }, { model: "e1-2025", warnings: [warning], providerData: { x: 1 } });
    expect(await embeddings.embedDocuments(["a", "b"])).toMatchObject({
      usage: { inputTokens: 2, outputTokens: 0, embeddingTokens: 2, source: "reported" },
      model: { id: "acme/e1", model: "e1-2025" },
      warnings: [warning, warning],
      providerData: { x: 1 },
    });
  });

  test("costs what its tokens cost", async () => {
    const price = { currency: "USD", inputPerMillion: "0.02", outputPerMillion: "0" };
    const { usage } = await model({ maxBatch: 1 }).embeddings.embedDocuments(["a", "b", "c"]);
    expect(callCost(usage, price)).toEqual({ amount: "0.00000006", currency: "USD", source: "estimated" });
  });

  test("is believed as far as it can be, with a warning", async () => {
    const usage = { inputTokens: -1, outputTokens: 0, source: "reported" } as const;
    const { usage: told, warnings } = await model({}, { usage }).embeddings.embedDocuments(["a"]);
    expect(told).toEqual({ outputTokens: 0, source: "reported" });
    expect(warnings).toMatchObject([{ code: "malformed_data", message: expect.stringContaining("inputTokens") }]);
  });

  test("is unknown where one request did not tell its tokens", async () => {
    const { embeddings } = model({}, { usage: undefined });
    expect(await embeddings.embedDocuments(["a"])).not.toHaveProperty("usage");
    const usage = { inputTokens: 1, outputTokens: 0, source: "reported" } as const;
    const half = batchedEmbeddings({ ...PROFILE, maxBatch: 1 }, async ([text]) =>
      text === "a" ? { vectors: [[1]], usage } : { vectors: [[1]] },
    );
    expect(await half.embedDocuments(["a", "b"])).not.toHaveProperty("usage");
    expect(await half.embedDocuments(["a"])).toHaveProperty("usage", { ...usage, embeddingTokens: 1 });
  });
});
