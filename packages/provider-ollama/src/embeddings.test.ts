import { describe, expect, it } from "vitest";
import { answering, type Reply } from "../test/answering.js";
import { type OllamaEmbeddingOptions, ollamaEmbeddings } from "./index.js";

function vectors(embeddings: unknown, more: object = {}): Reply {
  return { json: { model: "nomic-embed-text", embeddings, ...more } };
}

function embedding(replies: readonly Reply[], options: OllamaEmbeddingOptions = {}) {
  const { fetch, sent } = answering(...replies);
  return { model: ollamaEmbeddings("nomic-embed-text", { fetch, ...options }), sent };
}

describe("texts as vectors (EMB-01)", () => {
  it("come in the order of the texts, with what they cost (EMB-02)", async () => {
    const reply = vectors(
      [
        [1, 0],
        [0, 1],
      ],
      { prompt_eval_count: 7, total_duration: 5 },
    );
    const { model, sent } = embedding([reply]);
    expect(await model.embedDocuments(["a", "b"])).toEqual({
      vectors: [
        [1, 0],
        [0, 1],
      ],
      dimensions: 2,
      model: { id: "ollama/nomic-embed-text", provider: "ollama", model: "nomic-embed-text" },
      usage: { inputTokens: 7, outputTokens: 0, embeddingTokens: 7, source: "reported" },
      warnings: [],
      providerData: { total_duration: 5 },
    });
    expect(sent.map(({ url, body }) => [url, body])).toEqual([
      ["http://127.0.0.1:11434/api/embed", { model: "nomic-embed-text", input: ["a", "b"], truncate: false }],
    ]);
  });

  it("of a query are one", async () => {
    const { model } = embedding([vectors([[1, 0]])]);
    const found = await model.embedQuery("a");
    expect(found).toMatchObject({ vector: [1, 0], dimensions: 2 });
    expect(found).not.toHaveProperty("usage");
  });

  it("are asked for in batches, one after the other, and counted together", async () => {
    const { model, sent } = embedding(
      [vectors([[1], [2]], { prompt_eval_count: 3 }), vectors([[3]], { prompt_eval_count: 2 })],
      { profile: { maxBatch: 2 } },
    );
    const found = await model.embedDocuments(["a", "b", "c"]);
    expect(found.vectors).toEqual([[1], [2], [3]]);
    expect(found.usage?.inputTokens).toBe(5);
    expect(sent.map(({ body }) => body.input)).toEqual([["a", "b"], ["c"]]);
  });

  it("cost an unknown amount where one batch does", async () => {
    const { model } = embedding([vectors([[1]], { prompt_eval_count: 3 }), vectors([[2]])], {
      profile: { maxBatch: 1 },
    });
    expect(await model.embedDocuments(["a", "b"])).not.toHaveProperty("usage");
  });

  it("are none for no texts, and nothing is sent", async () => {
    const { model, sent } = embedding([]);
    expect(await model.embedDocuments([])).toMatchObject({ vectors: [], dimensions: 0 });
    expect(sent).toEqual([]);
  });

  it("have the prefixes that the model was trained with", async () => {
    const options = { documentPrefix: "search_document: ", queryPrefix: "search_query: " };
    const { model, sent } = embedding([vectors([[1]]), vectors([[1]])], options);
    await model.embedDocuments(["a"]);
    await model.embedQuery("a");
    expect(sent.map(({ body }) => body.input)).toEqual([["search_document: a"], ["search_query: a"]]);
  });

  it("have the length that is asked for, and settings of the provider under ours (PRV-06)", async () => {
    const { model, sent } = embedding([vectors([[1, 2]])]);
    const ollama = { keep_alive: "1h", truncate: true, model: "x", input: "x", dimensions: 9, options: { num_ctx: 8 } };
    const { warnings } = await model.embedQuery("a", { dimensions: 2, providerOptions: { ollama, other: { x: 1 } } });
    expect(sent[0]?.body).toEqual({
      keep_alive: "1h",
      options: { num_ctx: 8 },
      model: "nomic-embed-text",
      input: ["a"],
      truncate: false,
      dimensions: 2,
    });
    expect(warnings).toEqual([]);
  });

  it("leave options out that are no object, and say so", async () => {
    const { model, sent } = embedding([vectors([[1]])]);
    const { warnings } = await model.embedQuery("a", { providerOptions: { ollama: { options: "x" } } });
    expect(sent[0]?.body).not.toHaveProperty("options");
    expect(warnings).toMatchObject([{ code: "unsupported_setting", setting: "providerOptions" }]);
  });
});

describe("vectors that are not what was asked for", () => {
  it.each<[string, Reply, object]>([
    ["too few", vectors([[1]]), {}],
    ["of several lengths", vectors([[1], [1, 2]]), {}],
    ["of no numbers", vectors([["a"], ["b"]]), {}],
    ["empty", vectors([[], []]), {}],
    ["missing", vectors(undefined), {}],
    ["of another length than was asked for", vectors([[1], [2]]), { dimensions: 2 }],
  ])("are refused: %s", async (_, reply, asked) => {
    const { model } = embedding([reply]);
    await expect(model.embedDocuments(["a", "b"], asked)).rejects.toMatchObject({ code: "corrupt_data" });
  });

  it("are refused where a later batch differs, or the profile knows better", async () => {
    const later = embedding([vectors([[1]]), vectors([[1, 2]])], { profile: { maxBatch: 1 } });
    await expect(later.model.embedDocuments(["a", "b"])).rejects.toMatchObject({ code: "corrupt_data" });
    const known = embedding([vectors([[1]])], { profile: { dimensions: 768 } });
    await expect(known.model.embedQuery("a")).rejects.toMatchObject({ code: "corrupt_data" });
  });
});

describe("a call that cannot work", () => {
  it("fails as a chat does", async () => {
    const replies: [Reply, string][] = [
      [{ json: { error: "model 'nomic-embed-text' not found" }, status: 404 }, "model_not_found"],
      [{ json: { error: "the input length exceeds the context length" }, status: 400 }, "context_window_exceeded"],
      [{ json: { error: "this model does not support embeddings" }, status: 501 }, "capability_missing"],
      [{ json: { error: "server busy, please try again" } }, "provider_overloaded"],
      [{ text: "{" }, "provider_server"],
      [new TypeError("fetch failed"), "network"],
    ];
    for (const [reply, code] of replies) {
      await expect(embedding([reply]).model.embedDocuments(["a"])).rejects.toMatchObject({ code });
    }
  });

  it("stops between batches", async () => {
    const controller = new AbortController();
    const { fetch, sent } = answering(vectors([[1]]), vectors([[2]]));
    const stopping: typeof fetch = async (...call) => {
      const answer = await fetch(...call);
      controller.abort("enough");
      return answer;
    };
    const model = ollamaEmbeddings("m", { fetch: stopping, profile: { maxBatch: 1 } });
    const asked = model.embedDocuments(["a", "b"], { signal: controller.signal });
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    expect(sent).toHaveLength(1);
  });

  it("is a TypeError for arguments and options of the wrong kind", async () => {
    const { model, sent } = embedding([]);
    const wrong: (() => Promise<unknown>)[] = [
      () => model.embedDocuments("a" as never),
      () => model.embedDocuments(["a", 7 as never]),
      () => model.embedQuery(7 as never),
      () => model.embedQuery("a", { dimensions: 0 }),
    ];
    for (const call of wrong) await expect(call()).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
    expect(() => ollamaEmbeddings("")).toThrow(TypeError);
    expect(() => ollamaEmbeddings("m", { profile: { maxBatch: 0 } })).toThrow(TypeError);
    expect(() => ollamaEmbeddings("m", { baseUrl: "nowhere" })).toThrow(TypeError);
  });

  it("has its profile before anything is sent (PRV-05)", () => {
    const { profile, id } = ollamaEmbeddings("m:cloud", { profile: { dimensions: 768, provider: "other" } });
    expect(id).toBe("ollama/m:cloud");
    expect(profile).toEqual({
      provider: "ollama",
      model: "m:cloud",
      source: "cloud",
      lifecycle: "unknown",
      maxBatch: 64,
      dimensions: 768,
    });
  });
});
