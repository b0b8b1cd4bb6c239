import type { JsonSchema } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, scriptedAgent } from "../support/tool-runs.js";

const shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), radius: z.number() }),
  z.object({ kind: z.literal("square"), side: z.number() }),
]);
const either = z.union([z.object({ error: z.string() }), z.object({ result: z.number() }), z.string()]);

/** The answer of a model that gives `value` in the way of the strategy. */
function says(strategy: "native" | "tool" | "prompt", value: unknown) {
  return strategy === "tool"
    ? { toolCalls: [call("final_answer", { value: value as never })] }
    : JSON.stringify({ value });
}

describe.each(["native", "tool", "prompt"] as const)("a union, asked for by %s", (strategy) => {
  test.each<[z.ZodType, unknown, number]>([
    [shape, { kind: "circle", radius: 2 }, 0],
    [shape, { kind: "square", side: 2 }, 1],
    [either, { error: "no" }, 0],
    [either, { result: 1 }, 1],
    [either, "later", 2],
  ])("gives the variant that matched (SO-06): %#", async (schema, value, variant) => {
    const { run, events } = scriptedAgent({ output: { schema, strategy }, script: [says(strategy, value)] });
    const finished = await run();
    expect(finished.output).toEqual(value);
    expect(finished.outputVariant).toBe(variant);
    expect(events.ofType("output.validated").map(({ data }) => data)).toEqual([
      { strategy, variant, payload: { value } },
    ]);
  });

  test("is mended when no variant matches (SO-06)", async () => {
    const { run } = scriptedAgent({
      output: { schema: shape, strategy },
      script: [says(strategy, { kind: "circle", side: 2 }), says(strategy, { kind: "circle", radius: 1 })],
    });
    const finished = await run();
    expect(finished.counters.corrections).toBe(1);
    expect(finished.outputVariant).toBe(0);
  });
});

describe("the variants of a JSON Schema", () => {
  test.each<[string, JsonSchema]>([
    ["anyOf", { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }], $defs: definitions() }],
    ["oneOf", { oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }], $defs: definitions() }],
    [
      "one that refers to the whole",
      {
        anyOf: [{ type: "object", properties: { a: { $ref: "#" } }, required: ["a"] }, { $ref: "#/$defs/b" }],
        $defs: definitions(),
      },
    ],
    [
      "a definition that is called union",
      {
        anyOf: [{ $ref: "#/$defs/union" }, { $ref: "#/$defs/b" }],
        $defs: { ...definitions(), union: { type: "null" } },
      },
    ],
    [
      "one with an id",
      { $id: "https://example.com/u", anyOf: [{ type: "null" }, { $ref: "#/$defs/b" }], $defs: definitions() },
    ],
  ])("are found through references: %s (SO-06)", async (_, schema) => {
    const { run } = scriptedAgent({ output: schema, script: [JSON.stringify({ value: { b: 1 } })] });
    const finished = await run();
    expect(finished.output).toEqual({ b: 1 });
    expect(finished.outputVariant).toBe(1);
  });

  test("are not looked for in what is no union", async () => {
    const { run } = scriptedAgent({ output: z.object({ a: z.string() }), script: ['{"a":"x"}'] });
    expect(await run()).not.toHaveProperty("outputVariant");
  });
});

function definitions() {
  return {
    a: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    b: { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
  } as const;
}
