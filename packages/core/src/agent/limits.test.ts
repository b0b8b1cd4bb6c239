import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitError, narrowLimits, type ResolvedLimits, resolveLimits } from "./limits.js";

describe("limits", () => {
  test("have the documented defaults; tokens and time are unbounded", () => {
    expect(resolveLimits()).toStrictEqual({
      maxModelCalls: 32,
      maxToolCalls: 256,
      maxConcurrency: 8,
      maxRetries: 16,
      maxCorrections: 6,
      maxDepth: 4,
      modelTimeoutMs: 600_000,
      toolTimeoutMs: 600_000,
      maxResultChars: 100_000,
    });
    expect(resolveLimits({ maxModelCalls: undefined, wallClockMs: undefined })).toStrictEqual(resolveLimits());
  });

  test("take what is given, and leave the others as they are", () => {
    const limits = resolveLimits({ maxDepth: 0, maxTotalTokens: 5, wallClockMs: 7, maxConcurrency: 1 });
    expect(limits).toStrictEqual({
      ...resolveLimits(),
      maxDepth: 0,
      maxTotalTokens: 5,
      wallClockMs: 7,
      maxConcurrency: 1,
    });
    expect(resolveLimits().maxDepth).toBe(4);
  });

  test.each([
    [{ maxModelCalls: -1 }, "limits.maxModelCalls: a whole number from 0 up is expected, -1 given"],
    [{ maxToolCalls: 1.5 }, "limits.maxToolCalls"],
    [{ wallClockMs: Number.NaN }, "limits.wallClockMs"],
    [{ maxTotalTokens: Number.POSITIVE_INFINITY }, "limits.maxTotalTokens"],
    [{ maxDepth: "3" }, "limits.maxDepth"],
    [{ maxConcurrency: 0 }, "limits.maxConcurrency: a whole number from 1 up is expected, 0 given"],
  ])("refuse what is no count: %j", (limits, message) => {
    expect(() => resolveLimits(limits as never)).toThrow(TypeError);
    expect(() => resolveLimits(limits as never)).toThrow(message);
  });
});

describe("limits of a child", () => {
  const counts = fc.record(
    { maxModelCalls: fc.nat(), maxDepth: fc.nat(), maxTotalTokens: fc.nat(), wallClockMs: fc.nat() },
    { requiredKeys: [] },
  );

  test("are never wider than its own nor than what its parent has left", () => {
    fc.assert(
      fc.property(counts, counts, (own, allowed: Partial<ResolvedLimits>) => {
        const resolved = resolveLimits(own);
        const narrow = narrowLimits(resolved, allowed);
        for (const name of Object.keys({ ...resolved, ...allowed }) as (keyof ResolvedLimits)[]) {
          const bounds = [resolved[name], allowed[name]].filter((bound) => bound !== undefined);
          expect(narrow[name], name).toBe(Math.min(...bounds));
        }
      }),
    );
  });

  test("do not change those that they are made of", () => {
    const own = resolveLimits();
    narrowLimits(own, { maxDepth: 1 });
    expect(own).toEqual(resolveLimits());
  });
});

test("the error of a limit names the limit, what it allows, and what was counted", () => {
  const error = limitError("maxModelCalls", 3, { modelCalls: 3 });
  expect(error).toMatchObject({
    code: "limit_exceeded",
    retryable: false,
    details: { limit: "maxModelCalls", allowed: 3, counters: { modelCalls: 3 } },
  });
  expect(error.message).toContain("Raise limits.maxModelCalls");
});

test("a limit that does not exist is refused by name", () => {
  expect(() => resolveLimits({ maxModelCall: 3 } as never)).toThrow(/maxModelCall.*maxModelCalls/);
});
