import { describe, expect, it } from "vitest";
import { cachedEmbeddings } from "./cached-embeddings.js";
import type { PriceSource } from "./cost.js";
import type { EmbeddingModel, EmbeddingRecord } from "./embedding-model.js";
import { pricedEmbeddings } from "./priced-embeddings.js";
import type { ResolvedModel } from "./profile.js";
import type { Usage } from "./usage.js";

const MODEL: ResolvedModel = { id: "test/small", provider: "test", model: "small", chosenBy: "agent" };
const PRICES: PriceSource = {
  priceOf: ({ id }) =>
    id === MODEL.id ? { currency: "USD", inputPerMillion: "0.02", outputPerMillion: "0" } : undefined,
};

/** A model that takes 1,000 tokens for each text, or tells no usage. */
function embeddings(
  usageOf = (texts: number): Usage | undefined => ({ source: "reported", inputTokens: texts * 1_000, outputTokens: 0 }),
) {
  const record = (texts: number): EmbeddingRecord => {
    const usage = usageOf(texts);
    return { dimensions: 1, model: MODEL, warnings: [], ...(usage === undefined ? {} : { usage }) };
  };
  return {
    id: MODEL.id,
    profile: { provider: "test", model: "small", maxBatch: 10, lifecycle: "active", source: "cloud" },
    embedDocuments: async (texts) => ({ ...record(texts.length), vectors: texts.map(() => [1]) }),
    embedQuery: async () => ({ ...record(1), vector: [1] }),
  } satisfies EmbeddingModel;
}

describe("embeddings that say what they cost (EMB-02)", () => {
  it("say it of documents and of questions, by the model that answered", async () => {
    const priced = pricedEmbeddings(embeddings(), PRICES);
    const documents = await priced.embedDocuments(["a", "b"]);
    expect(documents.cost).toEqual({ amount: "0.00004", currency: "USD", source: "estimated" });
    expect(documents.vectors).toHaveLength(2);
    expect((await priced.embedQuery("a")).cost?.amount).toBe("0.00002");
    expect([priced.id, priced.profile.maxBatch]).toEqual(["test/small", 10]);
  });

  it("say what the provider charged, where it told that", async () => {
    const charged = { amount: "0.5", currency: "EUR" };
    const priced = pricedEmbeddings(
      embeddings(() => ({ source: "reported", inputTokens: 1, outputTokens: 0, charged })),
      PRICES,
    );
    expect((await priced.embedQuery("a")).cost).toMatchObject({ amount: "0.5", currency: "EUR", source: "charged" });
  });

  it("say nothing, and never zero, where neither a price nor a usage is known", async () => {
    const unpriced = pricedEmbeddings(embeddings(), { priceOf: () => undefined });
    const unused = pricedEmbeddings(
      embeddings(() => undefined),
      PRICES,
    );
    expect(await unpriced.embedQuery("a")).not.toHaveProperty("cost");
    expect(await unused.embedQuery("a")).not.toHaveProperty("cost");
  });

  it("cost nothing where all came from a cache below", async () => {
    const priced = pricedEmbeddings(cachedEmbeddings(embeddings()), PRICES);
    await priced.embedQuery("a");
    expect((await priced.embedQuery("a")).cost).toMatchObject({ amount: "0", currency: "USD" });
  });

  it("refuse a price that is none, and name the model", async () => {
    const free = { priceOf: () => ({ currency: "USD", inputPerMillion: "free", outputPerMillion: "0" }) };
    const broken = {
      priceOf: () => {
        throw new Error("no table");
      },
    };
    for (const prices of [free, broken])
      await expect(pricedEmbeddings(embeddings(), prices).embedQuery("a")).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("The price of test/small cannot be used"),
      });
  });
});
