import type { JsonObject } from "@tinyagents/core";
import { expect, it } from "vitest";
import { toUsage } from "./to-usage.js";

it.each<[JsonObject, object | undefined]>([
  [
    { prompt_eval_count: 12, eval_count: 4 },
    { inputTokens: 12, outputTokens: 4, source: "reported" },
  ],
  [
    { prompt_eval_count: 0, eval_count: 4 },
    { inputTokens: 0, outputTokens: 4, source: "reported" },
  ],
  [{ eval_count: 4 }, { outputTokens: 4, source: "reported" }],
  [{ prompt_eval_count: -1, eval_count: "4" }, undefined],
  [{ total_duration: 5 }, undefined],
])("%j counts %j (USG-01, USG-02)", (line, expected) => {
  expect(toUsage(line)).toEqual(expected);
});
