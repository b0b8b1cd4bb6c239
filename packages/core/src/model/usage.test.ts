import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addModelCall, addTotals, addUsage, emptyUsage, type Usage, type UsageTotals, usageAccuracy } from "./usage.js";

const full: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 30,
  cacheWriteTokens: 10,
  reasoningTokens: 5,
  imageTokens: 4,
  audioTokens: 3,
  source: "reported",
};

describe("totals", () => {
  test("count classes inside the total that they belong to, never twice", () => {
    expect(addModelCall(emptyUsage(), full)).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      totalTokens: 120,
      cachedInputTokens: 30,
      cacheWriteTokens: 10,
      reasoningTokens: 5,
      imageTokens: 4,
      audioTokens: 3,
      modelCalls: 1,
      toolCalls: 0,
      unknownCalls: 0,
      estimatedCalls: 0,
    });
  });

  test("tell calls of unknown and of estimated usage apart", () => {
    let totals = addModelCall({ ...emptyUsage(), toolCalls: 7 }, undefined);
    totals = addModelCall(totals, { source: "estimated" });
    totals = addModelCall(totals, { inputTokens: 0, outputTokens: 4, source: "estimated" });
    totals = addModelCall(totals, { inputTokens: 1, outputTokens: 2, source: "reported" });
    expect(totals).toMatchObject({ modelCalls: 4, toolCalls: 7, unknownCalls: 2, estimatedCalls: 1, totalTokens: 7 });
  });

  test("of a run and its children add up in every class", () => {
    const one = addModelCall(emptyUsage(), full);
    const other: UsageTotals = { ...addModelCall(one, full), toolCalls: 2, unknownCalls: 1, estimatedCalls: 1 };
    const sum = addTotals(one, other);
    for (const key of Object.keys(sum) as (keyof UsageTotals)[]) expect(sum[key], key).toBe(one[key] + other[key]);
    expect(addTotals(one, emptyUsage())).toEqual(one);
  });

  test("say how far they can be trusted", () => {
    const exact = addModelCall(emptyUsage(), full);
    const estimated = addModelCall(exact, { ...full, source: "estimated" });
    expect(usageAccuracy(exact)).toBe("exact");
    expect(usageAccuracy(estimated)).toBe("estimated");
    expect(usageAccuracy(addModelCall(estimated, undefined))).toBe("partial");
  });
});

describe("the usage of two attempts", () => {
  const count = fc.option(fc.nat({ max: 10_000 }), { nil: undefined });

  test("adds every class; one that neither knows stays unknown", () => {
    expect(addUsage(full, { inputTokens: 1, source: "reported" })).toEqual({ ...full, inputTokens: 101 });
    const little = addUsage({ inputTokens: 1, source: "reported" }, { outputTokens: 0, source: "reported" });
    expect(little).toStrictEqual({ inputTokens: 1, outputTokens: 0, source: "reported" });
  });

  test("has what was charged for both, exactly, and for one where only that was told (CST-05)", () => {
    const charged = (amount: string, currency = "USD"): Usage => ({
      source: "reported",
      charged: { amount, currency },
    });
    expect(addUsage(charged("0.1"), charged("0.2")).charged).toEqual({ amount: "0.3", currency: "USD" });
    expect(addUsage(charged("0.1"), full).charged).toEqual({ amount: "0.1", currency: "USD" });
    expect(addUsage(full, charged("0.1")).charged).toEqual({ amount: "0.1", currency: "USD" });
    expect(addUsage(charged("0.1"), charged("0.2", "EUR"))).not.toHaveProperty("charged");
    expect(addUsage(full, full)).not.toHaveProperty("charged");
  });

  test("is reported only when both were", () => {
    const of = (one: Usage["source"], other: Usage["source"]) => addUsage({ source: one }, { source: other }).source;
    expect([of("reported", "reported"), of("reported", "estimated"), of("estimated", "reported")]).toEqual([
      "reported",
      "estimated",
      "estimated",
    ]);
  });

  test("does not depend on their order", () => {
    const usage = fc.record({ inputTokens: count, outputTokens: count }).map(
      (counts): Usage => ({
        ...(counts.inputTokens === undefined ? {} : { inputTokens: counts.inputTokens }),
        ...(counts.outputTokens === undefined ? {} : { outputTokens: counts.outputTokens }),
        source: "reported",
      }),
    );
    fc.assert(
      fc.property(usage, usage, (one, other) => {
        expect(addUsage(one, other)).toStrictEqual(addUsage(other, one));
      }),
    );
  });
});

test("a call of which only a part is known counts as unknown: the sums are too low", () => {
  const totals = addModelCall(emptyUsage(), { inputTokens: 5, source: "reported" });
  expect([totals.inputTokens, totals.unknownCalls, usageAccuracy(totals)]).toEqual([5, 1, "partial"]);
});
