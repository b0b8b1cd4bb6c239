import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thrownBy } from "../test/support.js";
import { isTinyAgentsError } from "./errors.js";
import { checkJson, parseJson, readArray, readNumber, readObject, readString, readVersion } from "./guarded-read.js";
import type { JsonValue } from "./json.js";

const at = { place: "the arguments of call_1" };

/** The details of the `corrupt_data` that a piece of work throws. */
async function corruption(work: () => unknown) {
  const error = await thrownBy(work);
  if (!isTinyAgentsError(error, "corrupt_data")) throw error;
  return { ...error.details, message: error.message };
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

describe("parsing JSON of others", () => {
  test("gives what JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('"__proto__"') && !text.includes('"constructor"'));
        expect(parseJson(text, at)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("names the place and keeps the parser's error as cause", async () => {
    const error = await thrownBy(() => parseJson('{"a":', at));
    expect(error).toMatchObject({ code: "corrupt_data", details: { place: at.place }, cause: expect.any(SyntaxError) });
    expect(String(error)).toContain(at.place);
  });

  test.each([
    ["a key __proto__", '{"__proto__":{"polluted":true}}'],
    ["one in an array", '[{"a":[{"__proto__":1}]}]'],
    ["one with an escape", '{"\\u005f_proto__":{"polluted":true}}'],
    ["one with every character escaped", '{"\\u005F\\u005F\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":1}'],
  ])("refuses %s", async (_, text) => {
    expect((await corruption(() => parseJson(text, at))).reason).toBe('it has a key "__proto__"');
  });

  test.each([
    ["constructor.prototype", '{"constructor":{"prototype":{"polluted":true}}}'],
    ["one deep inside", '{"a":{"b":[0,{"constructor":{"prototype":null}}]}}'],
    ["one with an escape", '{"constr\\u0075ctor":{"prototype":{}}}'],
    ["one with an escaped prototype", '{"constructor":{"prototyp\\u0065":{}}}'],
  ])("refuses %s", async (_, text) => {
    expect((await corruption(() => parseJson(text, at))).reason).toMatch(/"constructor" that holds "prototype"/);
  });

  test("takes texts that only mention such names", () => {
    const harmless = {
      constructor: "Rossi",
      note: "__proto__",
      prototype: { constructor: ["prototype"] },
      é: "\u2028",
    };
    expect(parseJson(JSON.stringify(harmless), at)).toEqual(harmless);
    expect(parseJson('{"constructor":{"name":"x"}}', at)).toEqual({ constructor: { name: "x" } });
    expect(parseJson('"\\u005f_proto__"', at)).toBe("__proto__");
  });

  test("reads 256 levels and no more", async () => {
    expect(() => parseJson(nested(256), at)).not.toThrow();
    expect((await corruption(() => parseJson(nested(257), at))).reason).toMatch(/more than 256 levels/);
    expect((await corruption(() => parseJson(nested(5_000), at))).reason).toMatch(/more than 256 levels/);
  });

  test("counts levels of objects and arrays alike, up to the depth that is asked for", async () => {
    expect(() => parseJson('{"a":[{"b":1}]}', { ...at, maxDepth: 3 })).not.toThrow();
    expect((await corruption(() => parseJson('{"a":[{"b":1}]}', { ...at, maxDepth: 2 }))).reason).toMatch(/2 levels/);
    expect(() => parseJson("1", { ...at, maxDepth: 1 })).not.toThrow();
  });

  test("says how long a text is that is too long, and reads one that just fits", async () => {
    expect(parseJson('"abc"', { ...at, maxChars: 5 })).toBe("abc");
    expect((await corruption(() => parseJson('"abcd"', { ...at, maxChars: 5 }))).reason).toBe(
      "the text has 6 characters, more than the 5 that are read",
    );
  });

  test("does not look at the content of a text that is too long", async () => {
    expect((await corruption(() => parseJson("no JSON at all", { ...at, maxChars: 3 }))).reason).toMatch(
      /14 characters/,
    );
  });
});

describe("checking what somebody else parsed", () => {
  test("gives the value itself when it is harmless", () => {
    const value = { a: [1, { b: "__proto__" }] };
    expect(checkJson(value, "a row")).toBe(value);
    expect(checkJson("text", "a row")).toBe("text");
    expect(checkJson(null, "a row")).toBeNull();
  });

  test("refuses prototype keys and too many levels", async () => {
    const keyed = JSON.parse('{"a":{"__proto__":1}}') as JsonValue;
    expect((await corruption(() => checkJson(keyed, "a row"))).place).toBe("a row");
    const deep = JSON.parse(nested(257)) as JsonValue;
    expect((await corruption(() => checkJson(deep, "a row"))).reason).toMatch(/256 levels/);
  });

  test("does not take an inherited key for one of the value's own", () => {
    expect(() => checkJson({}, "a row")).not.toThrow();
  });
});

describe("readers of one value", () => {
  test("give the value when it is what is asked for", () => {
    const object = { a: 1 };
    const array = [1];
    expect(readObject(object, "x")).toBe(object);
    expect(readArray(array, "x")).toBe(array);
    expect(readString("", "x")).toBe("");
    expect(readNumber(-1.5, "x")).toBe(-1.5);
  });

  test.each([
    [() => readObject([], "x.y"), "an object is expected, an array found"],
    [() => readObject(null, "x.y"), "an object is expected, null found"],
    [() => readArray({}, "x.y"), "an array is expected, an object found"],
    [() => readArray(undefined, "x.y"), "an array is expected, nothing found"],
    [() => readString(7, "x.y"), "a string is expected, a number found"],
    [() => readNumber("7", "x.y"), "a number is expected, a string found"],
    [() => readNumber(Number.NaN, "x.y"), "a number is expected, NaN found"],
    [() => readNumber(true, "x.y"), "a number is expected, a boolean found"],
  ])("say what they expected and what they found", async (work, reason) => {
    expect(await corruption(work)).toMatchObject({ place: "x.y", reason, message: `Cannot read x.y: ${reason}.` });
  });
});

describe("format versions", () => {
  test("are read up to the one that this code knows", () => {
    expect(readVersion({ v: 1 }, 2, "the state")).toBe(1);
    expect(readVersion({ v: 2 }, 2, "the state")).toBe(2);
  });

  test("that are newer are refused with both numbers", async () => {
    expect(await thrownBy(() => readVersion({ v: 3 }, 2, "the state"))).toMatchObject({
      code: "version_mismatch",
      details: { place: "the state", expected: 2, found: 3 },
    });
  });

  test.each([[undefined], ["1"], [0], [-1], [1.5], [null]])("that are none (%s) are corrupt data", async (v) => {
    const value = (v === undefined ? {} : { v }) as { readonly [key: string]: JsonValue };
    expect((await corruption(() => readVersion(value, 2, "the state"))).place).toBe("the state.v");
  });
});

test("an error about a text does not quote it (SE-08)", () => {
  let failure: unknown;
  try {
    parseJson('{"a":1, key: "sk-secret-secret"}', { place: "the file" });
  } catch (error) {
    failure = error;
  }
  expect(JSON.stringify(failure)).toContain("from character 8 on");
  expect(JSON.stringify(failure)).not.toContain("sk-");
});
