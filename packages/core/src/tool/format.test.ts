import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolFormatOption } from "./format.js";
import { tool } from "./tool.js";

const input = z.object({ query: z.string(), limit: z.number().optional() });

/** The format of a tool that asks for this one. */
function formatOf(format: unknown, schema = input): unknown {
  return tool({
    name: "sql",
    description: "Asks the database.",
    input: schema,
    format: format as ToolFormatOption,
    execute: () => 1,
  }).spec.format;
}

describe("the format of a tool", () => {
  test("is not said while it is the native one (TOOL-18)", () => {
    expect(formatOf(undefined)).toBeUndefined();
    expect(formatOf({ type: "native" })).toBeUndefined();
  });

  test("as text has marks with the tool's name, unless others are given (TOOL-18)", () => {
    expect(formatOf({ type: "text" })).toEqual({ type: "text", open: "<sql>", close: "</sql>" });
    expect(formatOf({ type: "text", open: "```sql", close: "```", argument: "query" })).toEqual({
      type: "text",
      open: "```sql",
      close: "```",
      argument: "query",
    });
  });

  test.each<[unknown, string]>([
    [{}, "format.type"],
    [null, "format.type"],
    ["text", "format.type"],
    [{ type: "xml" }, "format.type"],
    [{ type: "text", open: "" }, "format.open"],
    [{ type: "text", open: 7 }, "format.open"],
    [{ type: "text", close: "\n" }, "format.close"],
    [{ type: "text", open: "%%", close: "%%" }, "format.close"],
    [{ type: "text", argument: "table" }, 'format.argument: the input schema has no "table"'],
    [{ type: "text", argument: "limit" }, 'format.argument: the input schema requires "query" as well'],
  ])("that cannot be is a mistake of its tool, at once: %j", (format, place) => {
    expect(() => formatOf(format)).toThrow(TypeError);
    expect(() => formatOf(format)).toThrow(`tool "sql": ${place}`);
  });

  test("cannot put what the runtime fills in between the marks", () => {
    const made = (): unknown =>
      tool({
        name: "sql",
        description: "",
        input: z.object({ query: z.string() }),
        inject: { query: () => "x" },
        format: { type: "text", argument: "query" },
        execute: () => 1,
      });
    expect(made).toThrow(/has no "query" that the model may give/);
  });
});
