import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, fingerprint, hashNumber, hashText, isJsonObject } from "./json.js";

const json = fc.jsonValue({ maxDepth: 5 });

/** The same value with the keys of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, reordered(entry)])
      .reverse(),
  );
}

describe("canonical JSON", () => {
  test("sorts keys by code unit at every depth and has no white space", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x y" }], a: true, B: -0.5, é: 1, "": 0 })).toBe(
      '{"":0,"B":-0.5,"a":true,"b":[1,{"c":"x y","d":null}],"é":1}',
    );
  });

  test("leaves out keys that are undefined and writes holes of arrays as null, as JSON.stringify does", () => {
    const value = { z: undefined, b: [undefined, 1], a: undefined };
    expect(canonicalJson(value)).toBe('{"b":[null,1]}');
    expect(canonicalJson(value)).toBe(JSON.stringify(value));
    expect(canonicalJson([])).toBe("[]");
    expect(canonicalJson({})).toBe("{}");
  });

  test("is the same text whatever order the keys were written in", () => {
    fc.assert(fc.property(json, (value) => canonicalJson(reordered(value)) === canonicalJson(value)));
  });

  test("reads back as the same value", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("keeps lone surrogates apart", () => {
    expect(canonicalJson("\ud800")).toBe('"\\ud800"');
  });

  test.each([
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a bigint", 1n],
    ["nothing", undefined],
    ["a number that is not finite", Number.NaN],
    ["infinity inside an array", [Number.POSITIVE_INFINITY]],
    ["a function inside an object", { run: () => 1 }],
  ])("refuses %s", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  test("refuses a value that contains itself, and takes one that stands twice", () => {
    const loop: Record<string, unknown> = {};
    loop.self = [loop];
    expect(() => canonicalJson(loop)).toThrow(/contains itself/);
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared, { shared }])).toBe('[{"a":1},{"a":1},{"shared":{"a":1}}]');
  });
});

describe("fingerprints", () => {
  test("are 14 hex digits and the same for equal values", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(fingerprint(value)).toMatch(/^[0-9a-f]{14}$/);
        expect(fingerprint(reordered(value))).toBe(fingerprint(value));
      }),
    );
  });

  test("stay what they are from version to version", () => {
    expect(hashText("")).toBe("0e8d83488bdcb8");
    expect(hashText("a")).toBe("097901501c2ba7");
    expect(fingerprint({ b: 1, a: [true, null, "é"] })).toBe("15a22f58aab4a1");
  });

  test("are as a number what they are as digits", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Number.isSafeInteger(hashNumber(text))).toBe(true);
        expect(hashText(text)).toBe(hashNumber(text).toString(16).padStart(14, "0"));
      }),
    );
    expect(hashNumber("")).toBe(0x0e8d83488bdcb8);
  });

  test("differ for values that differ by one character or by type", () => {
    const values = ["a", "b", "ab", "ba", 1, "1", true, "true", null, "null", [], {}, [[]], { a: 1 }, { a: "1" }];
    expect(new Set(values.map(fingerprint)).size).toBe(values.length);
    const many = Array.from({ length: 20_000 }, (_, index) => hashText(`call-${index}`));
    expect(new Set(many).size).toBe(many.length);
  });
});

test("a JSON object is neither an array nor null", () => {
  expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
  expect([[], null, undefined, "text", 1, () => 1].some(isJsonObject)).toBe(false);
});

test.each([new Date(0), new Map(), new Set()])("canonical JSON refuses what JSON would silently empty: %s", (value) => {
  expect(() => canonicalJson({ value })).toThrow(TypeError);
});
