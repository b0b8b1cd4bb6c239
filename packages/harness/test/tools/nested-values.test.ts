import { runInNewContext } from "node:vm";
import { interrupt, type JsonValue, stop, type ToolMessage, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainJson } from "../../src/tools/plain-json.js";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

/** The result message of a tool that returns a value. */
async function resultFor(value: unknown): Promise<ToolMessage> {
  const tool = fakeTool({ name: "t", execute: () => value });
  return resultsOf(await scriptedAgent({ tools: [tool], script: [calls("t"), "done"] }).run())[0] as ToolMessage;
}

/** The value as the history holds it. */
async function valueFor(value: unknown): Promise<JsonValue | undefined> {
  const [block] = (await resultFor(value)).content;
  return block?.type === "json" ? block.value : undefined;
}

class Point {
  readonly x = 1;
  readonly y = 2;
}

class Secretive {
  readonly #hidden = 1;
  get shown(): number {
    return this.#hidden;
  }
}

describe("inside of what a tool returned", () => {
  test.each<[string, unknown, string]>([
    ["a map", new Map([["a", 1]]), "a value of the kind Map has no JSON form"],
    ["a set", new Set([1]), "a value of the kind Set has no JSON form"],
    ["a map with a field of its own", Object.assign(new Map([["a", 1]]), { tag: 1 }), "of the kind Map"],
    ["an error with fields of its own", Object.assign(new Error("lost"), { code: 7 }), "of the kind Error"],
    ["bytes", new Uint8Array([1]), "a value of the kind Uint8Array has no JSON form"],
    ["a promise", Promise.resolve(1), "a value of the kind Promise has no JSON form"],
    ["a pattern", /x/, "a value of the kind RegExp has no JSON form"],
    ["an instance without fields", new Secretive(), "a value of the kind Secretive has no JSON form"],
    ["a function", () => 1, "a function has no JSON form"],
    ["a symbol", Symbol("s"), "a symbol has no JSON form"],
    ["a bigint", 10n, "a bigint has no JSON form"],
    ["not a number", Number.NaN, "NaN has no JSON form"],
    ["infinity", Number.NEGATIVE_INFINITY, "-Infinity has no JSON form"],
    ["a date that is none", new Date(Number.NaN), "an invalid date has no JSON form"],
    ["what says that it is nothing", { toJSON: () => undefined }, "has no JSON form"],
    ["what says that it is a map", { toJSON: () => new Map() }, "of the kind Map"],
    [
      "a getter that throws",
      {
        get when(): never {
          throw new Error("closed");
        },
      },
      "closed",
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("closed");
          },
        },
      ),
      "closed",
    ],
  ])("%s fails the call, and the model is told where it stands", async (_, value, reason) => {
    const result = await resultFor({ rows: [1, 2, 3, { when: value }] });
    expect(result).toMatchObject({ isError: true, status: "failed" });
    expect(toolText(result)).toContain("The tool t returned something that is not JSON: result.rows[3].when");
    expect(toolText(result)).toContain(reason);
  });

  test.each<[string, unknown, JsonValue]>([
    ["dates", { at: [new Date(0)] }, { at: ["1970-01-01T00:00:00.000Z"] }],
    ["what has a toJSON", { at: new URL("https://example.org/a") }, { at: "https://example.org/a" }],
    [
      "what a toJSON gives, which is walked too",
      { a: { toJSON: () => [new Date(0)] } },
      { a: ["1970-01-01T00:00:00.000Z"] },
    ],
    ["instances of classes, by their fields", [new Point()], [{ x: 1, y: 2 }]],
    ["objects of another realm", runInNewContext("({ a: [1, { b: null }] })"), { a: [1, { b: null }] }],
    ["undefined, which is nothing", { a: undefined, b: [undefined, 1] }, { b: [null, 1] }],
    ["holes", { b: Object.assign([], { 1: 1 }) }, { b: [null, 1] }],
    ["a zero below zero", [-0], [0]],
    ["the same object twice", [[{ a: 1 }]].flatMap((one) => [one, one]), [[{ a: 1 }], [{ a: 1 }]]],
    ["data that is called toJSON", { toJSON: 1 }, { toJSON: 1 }],
  ])("is taken: %s", async (_, value, expected) => {
    expect(await valueFor(value)).toStrictEqual(expected);
  });

  test("a toJSON is asked once, with the key, as JSON does", async () => {
    const asked: string[] = [];
    const said = {
      toJSON(key: string) {
        asked.push(key);
        return { key, toJSON: this.toJSON };
      },
    };
    const result = await resultFor({ rows: [said] });
    expect(asked).toEqual(["0"]);
    expect(toolText(result)).toContain("result.rows[0].toJSON: a function has no JSON form");
  });

  test("a cycle fails the call at the place where it closes", async () => {
    const loop: { [key: string]: unknown } = { list: [] };
    (loop.list as unknown[]).push({ "up there": loop });
    expect(toolText(await resultFor(loop))).toContain('result.list[0]["up there"]: it contains itself');
  });

  test.each([
    ['{"__proto__":{"admin":true}}', 'result.a["__proto__"]'],
    ['{"constructor":{"prototype":{"admin":true}}}', "result.a.constructor"],
  ])("a key that reaches for a prototype fails the call: %s (SE-05)", async (text, place) => {
    const result = await resultFor({ a: JSON.parse(text) });
    expect(toolText(result)).toContain(place.replace('["__proto__"]', ".__proto__"));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test("200 levels are taken, and one more is not: a state that holds them can be read again", async () => {
    const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    expect((await resultFor(nested(200))).status).toBe("ok");
    const result = await resultFor(nested(201));
    expect(toolText(result)).toContain("it is nested more than 200 levels deep");
    expect(toolText(result).length).toBeLessThan(500);
  });

  test("what would grow without end fails the call soon", async () => {
    let doubling: unknown = "x";
    for (let i = 0; i < 40; i++) doubling = [doubling, doubling];
    const sparse: unknown[] = [];
    sparse.length = 2 ** 32 - 1;
    const long = "x".repeat(1024 * 1024);
    const forever = { toJSON: () => [forever] };
    expect(toolText(await resultFor(doubling))).toContain("1000000 values");
    expect(toolText(await resultFor({ sparse }))).toContain("result.sparse: it has more than 1000000 values");
    expect(toolText(await resultFor(Array.from({ length: 65 }, () => long)))).toContain("67108864 characters");
    expect(toolText(await resultFor(Array.from({ length: 65 }, () => ({ [long]: 1 }))))).toContain(
      "67108864 characters",
    );
    expect(toolText(await resultFor(forever))).toContain("levels deep");
  });

  test("a copy is taken: nothing that the tool keeps reaches the history", async () => {
    const kept = { rows: [{ n: 1 }], by: new Point() };
    const tool = fakeTool({ name: "t", execute: () => kept });
    const { run } = scriptedAgent({
      tools: [tool],
      script: [
        calls("t"),
        () => {
          kept.rows[0]!.n = 99;
          kept.rows.push({ n: 2 });
          return "done";
        },
      ],
    });
    expect(resultsOf(await run())[0]?.content).toEqual([
      { type: "json", value: { rows: [{ n: 1 }], by: { x: 1, y: 2 } } },
    ]);
  });

  test("a constructor that holds no prototype is data like any other", async () => {
    const text = '{"constructor":{"name":"x"}}';
    expect(JSON.stringify(await valueFor(JSON.parse(text)))).toBe(text);
  });

  test("whatever is JSON comes out as JSON writes it", () => {
    const values = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => typeof value !== "string" && !/"(__proto__|prototype)"/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.stringify(plainJson("t", "c", value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ["the payload that ends a run", () => stop({ a: { b: new Map() } } as never), "payload.a.b"],
  ["a question", () => interrupt([new Set()] as never), "payload[0]"],
  ["the state of a question", () => interrupt(null, { state: { n: Number.NaN } }), "state.n"],
])("%s is looked through the same way", async (_, made, place) => {
  const tool = fakeTool({ name: "t", execute: made });
  const finished = await scriptedAgent({ tools: [tool], script: [calls("t"), "done"] }).run();
  expect(finished).toMatchObject({ status: "completed", text: "done" });
  expect(toolText(resultsOf(finished)[0] as ToolMessage)).toContain(`not JSON: ${place}: `);
});
