import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { usage as stored } from "../message/read-message.js";
import { readUsage } from "./read-usage.js";
import type { Usage } from "./usage.js";

const sound: Usage = {
  inputTokens: 10,
  outputTokens: 5,
  cachedInputTokens: 4,
  cacheWriteTokens: 6,
  source: "reported",
};

describe("usage that a model told", () => {
  test("is taken as it is when it is sound (USG-05)", () => {
    for (const usage of [
      sound,
      { ...sound, embeddingTokens: 10 },
      { source: "estimated" } as const,
      { ...sound, reasoningTokens: 5, audioTokens: 15 },
    ]) {
      const read = readUsage(usage);
      expect(read.usage).toBe(usage);
      expect(read.faults).toEqual([]);
    }
  });

  test.each<[string, unknown]>([
    ["NaN", Number.NaN],
    ["a negative count", -1],
    ["a fraction", 1.5],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["a count that is not exact", 2 ** 53],
    ["a text", "12"],
    ["null", null],
    ["a bigint", 12n],
  ])("is unknown where its count is %s, and the rest is kept (OB-05)", (_, count) => {
    const { usage, faults } = readUsage({ ...sound, outputTokens: count });
    const { outputTokens: _dropped, ...rest } = sound;
    expect(usage).toEqual(rest);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("outputTokens");
  });

  test("is not there at all when nothing in it can be believed", () => {
    for (const told of [undefined, null, 12, "many", [], { inputTokens: -1, source: "reported" }, {}]) {
      const { usage, faults } = readUsage(told);
      expect(usage).toBeUndefined();
      expect(faults.length).toBeGreaterThan(0);
    }
  });

  test.each<[unknown]>([[undefined], ["guessed"], [null], ["toString"]])(
    "whose source is %j counts as estimated: nobody may have reported it (USG-02)",
    (source) => {
      const { usage, faults } = readUsage({ inputTokens: 1, outputTokens: 2, source });
      expect(usage).toEqual({ inputTokens: 1, outputTokens: 2, source: "estimated" });
      expect(faults[0]).toContain("source");
    },
  );

  test("leaves out a class that is larger than what it is part of", () => {
    const read = (more: object) => readUsage({ inputTokens: 10, outputTokens: 5, source: "reported", ...more });
    expect(read({ cachedInputTokens: 11 }).usage).not.toHaveProperty("cachedInputTokens");
    expect(read({ cachedInputTokens: 6, cacheWriteTokens: 5 }).usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      source: "reported",
    });
    expect(read({ reasoningTokens: 6 })).toEqual({
      usage: { inputTokens: 10, outputTokens: 5, source: "reported" },
      faults: ["reasoningTokens are more than the 5 of outputTokens"],
    });
    expect(read({ imageTokens: 16 }).usage).not.toHaveProperty("imageTokens");
    expect(read({ audioTokens: 16 }).usage).not.toHaveProperty("audioTokens");
    expect(readUsage({ cachedInputTokens: 11, reasoningTokens: 6, source: "reported" }).faults).toEqual([]);
  });

  test("keeps what was charged, and only an exact amount of it (CST-05)", () => {
    const charged = (told: unknown) => readUsage({ ...sound, charged: told });
    expect(charged({ amount: "0.00120", currency: "USD" })).toEqual({
      usage: { ...sound, charged: { amount: "0.0012", currency: "USD" } },
      faults: [],
    });
    expect(charged({ amount: "0", currency: "EUR", note: () => 1 }).usage?.charged).toEqual({
      amount: "0",
      currency: "EUR",
    });
    for (const told of [
      null,
      0.0012,
      "0.0012",
      { amount: 0.0012, currency: "USD" },
      { amount: "-1", currency: "USD" },
      { amount: "1e3", currency: "USD" },
      { amount: "1".repeat(16), currency: "USD" },
      { amount: "1", currency: "dollars" },
      { amount: "1", currency: "usd" },
      { amount: "1" },
    ]) {
      expect(charged(told)).toEqual({
        usage: sound,
        faults: ["charged is no amount from 0 up with a currency"],
      });
    }
  });

  test("takes nothing along that is no count", () => {
    const { usage, faults } = readUsage({ ...sound, totalTokens: 15, raw: 1n });
    expect(usage).toEqual(sound);
    expect(faults).toEqual([]);
  });

  test("can always be stored and read back, whatever was told", () => {
    const odd = fc.constantFrom(Number.NaN, -1, 1.5, "7", null, undefined, {}, 1e300, 0, 3, 1_000);
    const told = fc.record({
      inputTokens: odd,
      outputTokens: odd,
      cachedInputTokens: odd,
      reasoningTokens: odd,
      audioTokens: odd,
      charged: odd,
      source: fc.constantFrom("reported", "estimated", "x", undefined),
    });
    fc.assert(
      fc.property(told, (value) => {
        const { usage } = readUsage(value);
        if (usage === undefined) return;
        const copy = JSON.parse(JSON.stringify(usage));
        expect(copy).toEqual(usage);
        expect(() => stored(copy, "usage")).not.toThrow();
      }),
    );
  });
});
