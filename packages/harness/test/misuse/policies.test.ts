import type { ToolPolicy } from "@tinyagents/core";
import { toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

describe("a call whose policy cannot be read", () => {
  test.each<[string, () => unknown]>([
    ["approval is a boolean", () => ({ approval: true })],
    ["approval is misspelt", () => ({ approval: "Always" })],
    ["it comes later", async () => ({ approval: "never" })],
    ["it fails later", () => Promise.reject(new Error("no table"))],
    ["there is none", () => undefined],
    ["it is a word", () => "always"],
    [
      "it throws",
      () => {
        throw new Error("no table");
      },
    ],
  ])("is denied and never runs, and the model is told: %s", async (_, policy) => {
    const wipe = fakeTool({ name: "wipe", policy: policy as () => ToolPolicy });
    const { run } = scriptedAgent({ tools: [wipe], script: [calls("wipe"), "done"] });
    const finished = await run();
    const [result] = resultsOf(finished);
    expect(wipe.calls).toHaveLength(0);
    expect(result?.status).toBe("denied");
    expect(result && toolText(result)).toMatch(/^The tool wipe was not run: its policy for this call cannot be used: /);
    expect(finished.text).toBe("done");
  });

  test("runs when it can be, and asks when it says so", async () => {
    const asks = fakeTool({ name: "asks", policy: () => ({ approval: "always" }) });
    const free = fakeTool({ name: "free", policy: () => ({}) });
    const { run } = scriptedAgent({
      tools: [asks, free],
      approver: { decide: () => ({ approve: false, reason: "not today" }) },
      script: [calls("asks", "free"), "done"],
    });
    expect(resultsOf(await run()).map(({ status }) => status)).toEqual(["denied", "ok"]);
    expect(asks.calls).toHaveLength(0);
  });
});
