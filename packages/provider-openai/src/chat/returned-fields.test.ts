import type { JsonObject } from "@tinyagents/core";
import { expect, it } from "vitest";
import { mergedFields } from "./returned-fields.js";
import { toUsage } from "./to-usage.js";

function merged(...fragments: JsonObject[]): unknown {
  return mergedFields({ details: fragments }, { returnedFields: ["details"] })?.details;
}

it("fragments of a field that goes back are put together by their number and their kind (PA-07)", () => {
  expect(
    merged(
      { type: "text", index: 0, text: "Hm, ", signature: null },
      { type: "text", index: 0, text: "so.", signature: "s" },
      { type: "text", index: 0, text: "", signature: null },
      { type: "encrypted", index: 0, data: "x" },
      { type: "encrypted", index: 1, data: "y" },
    ),
  ).toEqual([
    { type: "text", index: 0, text: "Hm, so.", signature: "s" },
    { type: "encrypted", index: 0, data: "x" },
    { type: "encrypted", index: 1, data: "y" },
  ]);
});

it("cached tokens are counted where a server has a field of its own for them (USG-05)", () => {
  const usage = { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4 };
  expect(toUsage(usage)).toEqual({ inputTokens: 9, outputTokens: 1, cachedInputTokens: 4, source: "reported" });
});
