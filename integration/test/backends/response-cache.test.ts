import { assistantMessage, type ModelResponse, type StoreValue } from "@tinyagents/core";
import { responseCache } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { onBackends } from "./on-backends.js";

const model = { id: "p/m", provider: "p", model: "m" };

function response(text: string): ModelResponse {
  return {
    message: { ...assistantMessage(text), usage: { inputTokens: 3, outputTokens: 1, source: "reported" } },
    finishReason: "stop",
    model,
    attempts: 1,
    warnings: [{ code: "provider", message: "slow today" }],
    timing: { elapsedMs: 5, readerMs: 0 },
  };
}

onBackends("answers that are kept (CCH-01)", (opened) => {
  it("are given again for their question alone, in a new process too, until others take their place", async () => {
    const { backend, reopen } = opened();
    const cache = responseCache(backend.store);
    const keys = ["{}", "*", "__proto__", "a/b", "\u0000", "x".repeat(100_000)];
    for (const key of keys) await cache.put(key, response(`of ${key}`));
    await cache.put("*", response("newer"));
    const later = responseCache((await reopen()).store);
    expect(await later.get("*")).toEqual(response("newer"));
    for (const key of keys) if (key !== "*") expect(await later.get(key)).toEqual(response(`of ${key}`));
    expect(await later.get("other")).toBeUndefined();
  });
});

describe("a cache of answers (CCH-01, CCH-02)", () => {
  /** A cache with one answer, its record spoilt, and what is told of it. */
  async function spoilt(spoil: (value: { readonly [name: string]: unknown }) => unknown) {
    const store = memoryStore();
    const told: unknown[] = [];
    const cache = responseCache(store, { onUnreadable: (error) => told.push(error) });
    await cache.put("q", response("a"));
    const [record] = (await store.list({ prefix: ["responses"] })).items;
    const { value } = record!.value as Extract<StoreValue, { readonly type: "json" }>;
    await store.put(record!.key, { type: "json", value: spoil(value as never) as never });
    return { cache, told, store };
  }

  it.each<readonly [string, (value: { readonly [name: string]: unknown }) => unknown, object]>([
    ["is no object", () => [], { code: "corrupt_data" }],
    ["has no version", ({ v: _, ...value }) => value, { code: "corrupt_data" }],
    ["is of a later format", (value) => ({ ...value, v: 2 }), { code: "version_mismatch" }],
    ["is of another question", (value) => ({ ...value, question: "0" }), { code: "corrupt_data" }],
    ["has no answer", ({ response: _, ...value }) => value, { code: "corrupt_data" }],
    [
      "has an answer without a message",
      (value) => ({ ...value, response: { ...response("a"), message: null } }),
      { details: { place: expect.stringMatching(/\.response\.message$/) } },
    ],
    [
      "has tokens that are none",
      (value) => ({ ...value, response: { ...response("a"), usage: { inputTokens: "3", source: "reported" } } }),
      { details: { place: expect.stringMatching(/\.response\.usage\.inputTokens$/) } },
    ],
  ])("takes a record that %s for none, and tells (ST-03)", async (_, spoil, expected) => {
    const { cache, told } = await spoilt(spoil);
    expect(await cache.get("q")).toBeUndefined();
    expect(told).toMatchObject([expected]);
    await cache.put("q", response("b"));
    expect(await cache.get("q")).toEqual(response("b"));
  });

  it("hands the time after which an answer is forgotten to the store, and refuses one that cannot be", async () => {
    const asked: unknown[] = [];
    const inner = memoryStore();
    const put: typeof inner.put = (key, value, options) => {
      asked.push(options?.ttlMs);
      return inner.put(key, value, options);
    };
    await responseCache({ ...inner, put }).put("q", response("a"), { ttlMs: 50 });
    expect(asked).toEqual([50]);
    await expect(responseCache(inner).put("q", response("a"), { ttlMs: 0 })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("lies under its prefix, and under a digest however long the question is", async () => {
    const store = memoryStore();
    await responseCache(store, { prefix: ["tenant", "answers"] }).put("q".repeat(9_999), response("a"));
    const { items } = await store.list({ prefix: [] });
    expect(items.map(({ key }) => key)).toEqual([["tenant", "answers", expect.stringMatching(/^[0-9a-f]{64}$/)]]);
  });

  it("passes on the failure of its store: that is no miss", async () => {
    const cache = responseCache(failAt(memoryStore(), 1, { methods: ["get", "put"], stayDown: true }).subject);
    await expect(cache.get("q")).rejects.toMatchObject({ code: "store_failed" });
    await expect(cache.put("q", response("a"))).rejects.toMatchObject({ code: "store_failed" });
    const signal = AbortSignal.abort();
    await expect(responseCache(memoryStore()).get("q", { signal })).rejects.toMatchObject({ code: "cancelled" });
  });

  it("refuses a key that is none, an answer that is none, and wrong options", async () => {
    const cache = responseCache(memoryStore());
    const code = "invalid_request";
    await expect(cache.get("")).rejects.toMatchObject({ code });
    // As bytes, both would be the same text.
    for (const half of ["\ud800", "\ud801"]) await expect(cache.get(half)).rejects.toMatchObject({ code });
    await expect(cache.put("\ud800", response("a"))).rejects.toMatchObject({ code });
    await expect(cache.put(1 as never, response("a"))).rejects.toMatchObject({ code });
    await expect(cache.put("q", { text: "a" } as never)).rejects.toMatchObject({ code });
    expect(await cache.get("q")).toBeUndefined();
    expect(() => responseCache(memoryStore(), { onUnreadable: 1 as never })).toThrow(TypeError);
  });
});
