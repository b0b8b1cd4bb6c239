import { TinyAgentsError } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { assertEqual, assertFails, assertIncludes } from "./assert.js";

describe("comparing", () => {
  it("takes equal data for equal, and an absent key for one that is undefined", () => {
    expect(() => assertEqual({ a: [1, { b: null }], c: undefined }, { a: [1, { b: null }] }, "it")).not.toThrow();
  });

  it("names the first place that differs", () => {
    const cases: [unknown, unknown, string][] = [
      [1, 2, "it: 2 is expected, 1 found"],
      [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, "it at a[1].b: 3 is expected, 2 found"],
      [{ a: 1 }, {}, "it at a: nothing is expected, 1 found"],
      [[1], [1, 2], "it at [1]: 2 is expected, nothing found"],
      [[], {}, "it: {} is expected, [] found"],
    ];
    for (const [found, wanted, message] of cases) expect(() => assertEqual(found, wanted, "it")).toThrow(message);
  });

  it("finds a piece of a text, or says what is missing", () => {
    expect(() => assertIncludes("abc", "b", "it")).not.toThrow();
    expect(() => assertIncludes("abc", "x", "it")).toThrow('it: "x" is missing from "abc"');
  });
});

describe("waiting for a failure", () => {
  const cancelled = new TinyAgentsError("cancelled", "Stopped.", { details: {} });

  it("gives the error back", async () => {
    expect(await assertFails(Promise.reject(cancelled), "cancelled", "it")).toBe(cancelled);
  });

  it("fails for success, for another code, and for an error without one", async () => {
    await expect(assertFails(Promise.resolve(1), "cancelled", "it")).rejects.toThrow("1 found");
    await expect(assertFails(Promise.reject(cancelled), "network", "it")).rejects.toThrow("error cancelled found");
    await expect(assertFails(Promise.reject(new Error("x")), "network", "it")).rejects.toThrow("without a code");
  });
});
