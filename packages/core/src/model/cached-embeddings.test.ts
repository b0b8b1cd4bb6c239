import { describe, expect, test } from "vitest";
import { TinyAgentsError } from "../errors.js";
import { batchedEmbeddings } from "./batched-embeddings.js";
import { cachedEmbeddings } from "./cached-embeddings.js";

const profile = { provider: "toy", model: "letters", lifecycle: "active", source: "local" } as const;

/** A model that notes what it was asked; each text costs its length. */
function letters() {
  const asked: (readonly string[])[] = [];
  let failures = 0;
  const model = batchedEmbeddings(profile, async (texts, purpose) => {
    asked.push([purpose, ...texts]);
    if (failures-- > 0) throw new TinyAgentsError("network", "gone", { details: { reason: "reset" } });
    const inputTokens = texts.reduce((sum, text) => sum + text.length, 0);
    const usage = { inputTokens, outputTokens: 0, source: "reported" } as const;
    return { vectors: texts.map((text) => [text.length, 1]), usage, model: "letters-1" };
  });
  return { asked, model, failNext: () => failures++ };
}

describe("embeddings that are kept (EMB-02)", () => {
  test("are not asked for again, and the result says how many they were", async () => {
    const { asked, model } = letters();
    const cached = cachedEmbeddings(model);
    expect(await cached.embedDocuments(["sea", "river", "sea"])).toMatchObject({
      cached: 0,
      usage: { inputTokens: 8 },
    });
    const second = await cached.embedDocuments(["river", "lake", "sea"]);
    expect(second).toMatchObject({ cached: 2, usage: { inputTokens: 4 }, dimensions: 2 });
    expect(second.vectors).toEqual([
      [5, 1],
      [4, 1],
      [3, 1],
    ]);
    expect(asked).toEqual([
      ["document", "sea", "river"],
      ["document", "lake"],
    ]);
  });

  test("cost nothing where all are known: no request, and zero tokens", async () => {
    const { asked, model } = letters();
    const cached = cachedEmbeddings(model);
    const first = await cached.embedQuery("sea");
    expect(await cached.embedQuery("sea")).toEqual({
      vector: first.vector,
      dimensions: 2,
      model: { id: "toy/letters", provider: "toy", model: "letters-1" },
      usage: { inputTokens: 0, outputTokens: 0, embeddingTokens: 0, source: "reported" },
      warnings: [],
      cached: 1,
    });
    expect(asked).toHaveLength(1);
  });

  test("are those of the same purpose and options alone", async () => {
    const { asked, model } = letters();
    const cached = cachedEmbeddings(model);
    await cached.embedDocuments(["sea"]);
    await cached.embedQuery("sea");
    await cached.embedQuery("sea", { dimensions: 2 });
    await cached.embedQuery("sea", { providerOptions: { toy: { user: "u", a: 1 } } });
    await cached.embedQuery("sea", { providerOptions: { toy: { a: 1, user: "u" } } });
    expect(asked).toHaveLength(4);
  });

  test("are forgotten when there are too many, those first that were not wanted for longest", async () => {
    const { asked, model } = letters();
    const cached = cachedEmbeddings(model, { maxVectors: 2 });
    for (const text of ["a", "b", "a", "c"]) await cached.embedQuery(text);
    expect(asked).toHaveLength(3);
    await cached.embedQuery("a");
    expect(asked).toHaveLength(3);
    await cached.embedQuery("b");
    expect(asked).toHaveLength(4);
  });

  test("come from calls that succeeded, and no caller can change them", async () => {
    const { asked, model, failNext } = letters();
    const cached = cachedEmbeddings(model);
    failNext();
    await expect(cached.embedQuery("sea")).rejects.toMatchObject({ code: "network" });
    for (let time = 0; time < 3; time++) {
      const { vector } = await cached.embedQuery("sea");
      expect(vector).toEqual([3, 1]);
      (vector as number[])[0] = 99;
    }
    expect(asked).toHaveLength(2);
  });

  test("do not hide what is wrong with a call", async () => {
    const { model } = letters();
    const cached = cachedEmbeddings(model);
    await cached.embedQuery("sea");
    await expect(cached.embedQuery("sea", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect(cached.embedDocuments([7 as never])).rejects.toThrow(TypeError);
    expect((await cached.embedDocuments([])).vectors).toEqual([]);
    expect(() => cachedEmbeddings(model, { maxVectors: 0 })).toThrow(TypeError);
  });
});
