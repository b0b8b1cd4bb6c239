import { describe, expect, it } from "vitest";
import { findTruncation, type PromptCount } from "./truncation.js";

function verdict(counts: PromptCount): "sure" | "perhaps" | "no" {
  const found = findTruncation(counts);
  return found === undefined ? "no" : found.sure ? "sure" : "perhaps";
}

describe("a prompt that was cut without a word (PA-19)", () => {
  it.each<[string, PromptCount, "sure" | "perhaps" | "no"]>([
    ["fits", { estimated: 900, window: 4_096, read: 950, written: 10 }, "no"],
    ["fits, and our estimate is too low", { estimated: 2_000, window: 4_096, read: 3_000 }, "no"],
    ["fits, and only what was not cached is counted", { estimated: 2_000, window: 4_096, read: 40 }, "no"],
    ["fits, and nothing is counted", { estimated: 3_900, window: 4_096 }, "no"],
    ["was cut to half of the context", { estimated: 5_000, window: 4_096, read: 2_050 }, "sure"],
    ["was cut to the context", { estimated: 9_000, window: 4_096, read: 4_096 }, "sure"],
    ["lost messages, and what is left is short", { estimated: 4_100, window: 4_096, read: 700 }, "sure"],
    ["was cut, and our estimate was too low to be sure", { estimated: 3_500, window: 4_096, read: 2_050 }, "perhaps"],
    ["cannot fit, and nothing is counted", { estimated: 6_200, window: 4_096 }, "sure"],
    ["just filled the context with its answer", { estimated: 3_000, window: 4_096, read: 3_096, written: 1_001 }, "no"],
    ["was pushed out by its answer", { estimated: 3_000, window: 4_096, read: 3_096, written: 1_002 }, "sure"],
    ["is short, in a context of unknown size", { estimated: 2_000, read: 20 }, "no"],
    ["is long, in a context of unknown size", { estimated: 9_000, read: 6_000 }, "no"],
    ["was read to less than a half, in a context of unknown size", { estimated: 9_000, read: 4_096 }, "perhaps"],
    ["is long, and nothing is known at all", { estimated: 9_000 }, "no"],
  ])("%s", (_, counts, expected) => {
    expect(verdict(counts)).toBe(expected);
  });

  it("is told with its numbers", () => {
    expect(findTruncation({ estimated: 5_000, window: 4_096, read: 2_050 })?.message).toBe(
      "The prompt does not fit into a context of 4096 tokens: it has about 5000 tokens, of which the model read 2050.",
    );
  });
});
