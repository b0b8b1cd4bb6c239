import { describe, expect, test } from "vitest";
import { byHand } from "./by-hand.js";
import { tinyagents } from "./tinyagents.js";
import { type Size, workloads } from "./workloads.js";

const SMALL: Size = { turns: 3, fragments: 20, runs: 5, budgetMs: 1 };

describe.each([byHand, tinyagents])("$name", (contestant) => {
  test.each(workloads)("does all the work of: $name", async ({ measure }) => {
    expect(await measure(contestant, SMALL)).toBeTypeOf("number");
  });
});

test("a contestant that loses work fails and is not called fast", async () => {
  const lazy = { ...tinyagents, loop: async () => "done:1", stream: async () => 1 };
  for (const { measure } of workloads) await expect(measure(lazy, SMALL)).rejects.toThrow();
});
