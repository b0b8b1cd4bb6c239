import { type Block, content, type ToolMessage, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

/** The result message of a tool that returns a value. */
async function resultFor(value: unknown, options: Partial<Parameters<typeof fakeTool>[0]> = {}): Promise<ToolMessage> {
  const tool = fakeTool({ name: "t", execute: () => value, ...options });
  return resultsOf(await scriptedAgent({ tools: [tool], script: [calls("t"), "done"] }).run())[0] as ToolMessage;
}

describe("what a tool returned", () => {
  test.each<[string, unknown, Block]>([
    ["a text", "hello", { type: "text", text: "hello" }],
    ["an empty text", "", { type: "text", text: "" }],
    ["a number", 4.5, { type: "json", value: 4.5 }],
    ["nothing", undefined, { type: "json", value: null }],
    ["null", null, { type: "json", value: null }],
    ["false", false, { type: "json", value: false }],
    ["an object", { a: [1, { b: null }] }, { type: "json", value: { a: [1, { b: null }] } }],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { type: "json", value: { a: 1 } }],
    ["an empty object", {}, { type: "json", value: {} }],
    ["optional fields that are not there", { a: undefined, b: 1 }, { type: "json", value: { b: 1 } }],
    ["a date", new Date(0), { type: "json", value: "1970-01-01T00:00:00.000Z" }],
  ])("is a block of its own kind: %s (TOOL-11)", async (_, value, block) => {
    expect(await resultFor(value)).toEqual({
      role: "tool",
      toolCallId: "a",
      name: "t",
      content: [block],
      isError: false,
      status: "ok",
      elapsedMs: 0,
    });
  });

  test.each<[string, unknown, string]>([
    ["a function", () => 1, "a function has no JSON form"],
    ["a symbol", Symbol("s"), "a symbol has no JSON form"],
    ["a bigint", 10n, "a bigint has no JSON form"],
    ["not a number", Number.NaN, "NaN has no JSON form"],
    ["infinity", Number.POSITIVE_INFINITY, "Infinity has no JSON form"],
    ["a map", new Map([["a", 1]]), "of the kind Map has no JSON form"],
    ["a set", new Set([1]), "of the kind Set has no JSON form"],
    ["an error", new RangeError("lost"), "of the kind RangeError has no JSON form"],
    ["a stream", new ReadableStream(), "of the kind ReadableStream has no JSON form"],
    ["what says that it is nothing", { toJSON: () => undefined }, "has no JSON form"],
    [
      "what cannot be written",
      {
        toJSON() {
          throw new Error("closed");
        },
      },
      "closed",
    ],
  ])("fails the call when it is not JSON, and the run goes on: %s", async (_, value, reason) => {
    const result = await resultFor(value);
    expect(result).toMatchObject({ isError: true, status: "failed" });
    expect(toolText(result)).toContain(reason);
    expect(toolText(result)).toContain("The tool t returned something that is not JSON");
  });

  test("fails the call when it contains itself", async () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect((await resultFor(loop)).status).toBe("failed");
  });

  test("stays as it was when the tool changes its object later", async () => {
    const live = { count: 1 };
    const tool = fakeTool({ name: "t", execute: () => live });
    const { run } = scriptedAgent({
      tools: [tool],
      script: [
        calls("t"),
        () => {
          live.count = 99;
          return "done";
        },
      ],
    });
    expect(resultsOf(await run())[0]?.content).toEqual([{ type: "json", value: { count: 1 } }]);
  });

  test("is not stored twice in the history and in the events, unless somebody asks for payloads (TOOL-11)", async () => {
    const { run, events } = scriptedAgent({
      tools: [fakeTool({ name: "t", result: "secret" })],
      script: [calls("t"), "done"],
    });
    await run();
    expect(events.ofType("tool.completed").map(({ data }) => data)).toEqual([
      { callId: "a", tool: "t", elapsedMs: 0, chars: 6, payload: { content: [{ type: "text", text: "secret" }] } },
    ]);
  });
});

describe("an output schema", () => {
  const output = z.object({ celsius: z.number() });

  test("lets through what fits, as it says it (TOOL-03)", async () => {
    const result = await resultFor({ celsius: 3, secret: "x" }, { output });
    expect(result.content).toEqual([{ type: "json", value: { celsius: 3 } }]);
  });

  test.each([
    ["zod", output],
    ["a JSON Schema", { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] }],
  ])("fails the call for what does not fit, with the place: %s (TOOL-03)", async (_, schema) => {
    const result = await resultFor({ celsius: "cold" }, { output: schema });
    expect(result.status).toBe("failed");
    expect(toolText(result)).toContain("- celsius: ");
  });

  test("as a JSON Schema speaks of the JSON form of what was returned (TOOL-03)", async () => {
    const schema = { type: "object", properties: { at: { type: "string", format: "date-time" } }, required: ["at"] };
    expect((await resultFor({ at: new Date(0) }, { output: schema })).status).toBe("ok");
    expect((await resultFor(undefined, { output: { type: "null" } })).status).toBe("ok");
    expect((await resultFor(10n, { output: schema })).status).toBe("failed");
  });

  test("that throws fails the call", async () => {
    const throwing = z.unknown().refine(() => {
      throw new Error("no table");
    });
    const result = await resultFor(1, { output: throwing });
    expect(result.status).toBe("failed");
    expect(toolText(result)).toContain("no table");
  });

  test("has no say about blocks that the tool made itself", async () => {
    expect((await resultFor(content("plain"), { output })).status).toBe("ok");
  });
});

describe("blocks that a tool made", () => {
  const image: Block = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } };

  test("stand as they are, with a line for people that the model does not see (TOOL-11)", async () => {
    const result = await resultFor(content([{ type: "text", text: "a map" }, image], { summary: "Found it." }));
    expect(result).toMatchObject({
      content: [{ type: "text", text: "a map" }, image],
      summary: "Found it.",
      status: "ok",
    });
  });

  test("may say that the call failed although nothing was thrown", async () => {
    expect(await resultFor(content("no such page", { isError: true }))).toMatchObject({
      isError: true,
      status: "failed",
    });
  });
});

describe("the cap on results", () => {
  const cap = (maxResultChars: number) => ({ policy: { effect: "none", maxResultChars } as const });

  test("cuts a longer text and says so (TOOL-13)", async () => {
    const result = await resultFor("0123456789abc", cap(10));
    expect(result.truncatedFrom).toBe(13);
    expect(toolText(result)).toBe("0123456789\n[The result was cut: these are the first 10 of 13 characters.]");
  });

  test("leaves a text of exactly that length", async () => {
    const result = await resultFor("0123456789", cap(10));
    expect(result.truncatedFrom).toBeUndefined();
    expect(toolText(result)).toBe("0123456789");
  });

  test("never splits a character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 30 }), fc.nat({ max: 30 }), async (text, most) => {
        const [shown = ""] = toolText(await resultFor(text, cap(most))).split("\n[The result was cut");
        expect(() => encodeURIComponent(shown)).not.toThrow();
        expect(text.startsWith(shown)).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(Math.max(most, 0));
      }),
      { numRuns: 60 },
    );
  });

  test("counts JSON by its text", async () => {
    const result = await resultFor({ list: Array.from({ length: 20 }, (_, n) => n) }, cap(12));
    expect(toolText(result)).toMatch(/^\{"list":\[0,1/);
    expect(result.truncatedFrom).toBe(JSON.stringify({ list: Array.from({ length: 20 }, (_, n) => n) }).length);
  });

  test("holds for any JSON at exactly its length, escapes and long numbers included", async () => {
    const values = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => !/"(__proto__|prototype)"/.test(JSON.stringify(value)));
    const odd = fc.constantFrom("\u0000\u0001", [-1.2345678901234567e-308], { "\u0000": false }, "\ud800", [
      null,
      true,
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(odd, values).map((value) => [value]),
        async (value) => {
          const { length } = JSON.stringify(value);
          expect((await resultFor(value, cap(length))).truncatedFrom).toBeUndefined();
          expect((await resultFor(value, cap(length - 1))).truncatedFrom).toBe(length);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("keeps images beside a text that is cut", async () => {
    const image: Block = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    const result = await resultFor(content([{ type: "text", text: "x".repeat(30) }, image]), cap(10));
    expect(result.content.map(({ type }) => type)).toEqual(["text", "image"]);
  });

  test("is the run's where the tool says nothing", async () => {
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "t", result: "long enough" })],
      limits: { maxResultChars: 4 },
      script: [calls("t"), "done"],
    });
    expect(toolText(resultsOf(await run())[0] as ToolMessage)).toMatch(/^long\n/);
  });

  test("may depend on the arguments (TOOL-14)", async () => {
    const tool = fakeTool({
      name: "t",
      result: "0123456789",
      policy: (args) => ({ effect: "none", maxResultChars: typeof args.most === "number" ? args.most : 0 }),
    });
    const { run } = scriptedAgent({
      tools: [tool],
      script: [calls(call("t", { most: 3 }), call("t", { most: 20 })), "done"],
    });
    expect(resultsOf(await run()).map(({ truncatedFrom }) => truncatedFrom)).toEqual([10, undefined]);
  });
});
