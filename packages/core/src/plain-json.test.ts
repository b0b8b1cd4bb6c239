import { describe, expect, test } from "vitest";
import { checkFault, jsonFault } from "./plain-json.js";
import { text } from "./shape.js";

function nested(levels: number): unknown {
  let value: unknown = "in the middle";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** One part twice over, `levels` times: 2^levels values when it is written out. */
function doubled(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { left: value, right: value };
  return value;
}

describe("what can be stored and read back", () => {
  test.each<[unknown]>([
    ["text"],
    [-1.5],
    [true],
    [null],
    [[]],
    [{ rows: [{ a: 1, b: null, c: "x" }], gone: undefined }],
    [Object.assign(Object.create(null), { a: 1 })],
    [nested(200)],
    [{ constructor: "text", prototype: {} }],
  ])("has no fault: %j", (value) => {
    expect(jsonFault(value, "it")).toBeUndefined();
  });

  const cyclic: unknown[] = [];
  cyclic.push({ cyclic });
  const wide: { [key: string]: unknown } = {};
  Object.assign(wide, { left: wide, right: wide });
  const shut = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });

  test.each<[unknown, RegExp]>([
    [undefined, /^it is missing$/],
    [Number.NaN, /^it is NaN/],
    [{ rows: [1, { when: () => 1 }] }, /^it\.rows\[1\]\.when is a function$/],
    [[1, undefined], /^it\[1\] is missing$/],
    [{ n: 1n }, /^it\.n is a bigint$/],
    [{ n: Number.POSITIVE_INFINITY }, /^it\.n is Infinity/],
    [{ s: Symbol("x") }, /^it\.s is a symbol$/],
    [{ seen: new Map([["a", 1]]) }, /^it\.seen is no plain object but \[object Map\]$/],
    [{ at: new Date(0) }, /^it\.at is no plain object/],
    [new (class Row {})(), /^it is no plain object/],
    [JSON.parse('{"a":{"__proto__":{}}}'), /^it\.a has a key "__proto__"$/],
    [{ constructor: { prototype: {} } }, /^it has a key "constructor"/],
    [nested(201), /levels deep/],
    [cyclic, /levels deep, or holds itself$/],
    [wide, /levels deep, or holds itself$/],
    [doubled(60), /more than 1000000 lists and objects/],
    [shut, /^it cannot be read$/],
  ])("names the way to what is no JSON (%#)", (value, fault) => {
    expect(jsonFault(value, "it")).toMatch(fault);
  });

  test("has a shape, where one is asked for", () => {
    expect(checkFault(text, "x", "it")).toBeUndefined();
    expect(checkFault(text, 5, "it")).toBe("it: a string is expected, a number found");
    expect(checkFault(() => undefined, { f: () => 1 }, "it")).toBe("it.f is a function");
    const broken = () => {
      throw new Error("no");
    };
    expect(checkFault(broken, 1, "it")).toBe("it cannot be read");
  });
});
