import { checkHistory } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const search = () => fakeTool({ name: "search", input: z.object({ q: z.string() }) });

describe("the budget of corrections", () => {
  test("is shared by unknown tools, wrong arguments and wrong answers (AL-03, AL-04, SO-05)", async () => {
    const { run, events } = scriptedAgent({
      tools: [search()],
      output: z.object({ city: z.string() }),
      script: [
        { toolCalls: [call("google")] },
        { toolCalls: [call("search", { q: 1 })] },
        "not JSON",
        { text: '{"city":"Oslo"}' },
      ],
    });
    const finished = await run();
    expect(finished.output).toEqual({ city: "Oslo" });
    expect(finished.counters.corrections).toBe(3);
    expect(events.ofType("correction.requested").map(({ data }) => data)).toEqual([
      { kind: "unknown_tool", used: 1, allowed: 6 },
      { kind: "arguments", used: 2, allowed: 6 },
      { kind: "output", used: 3, allowed: 6 },
    ]);
  });

  test("ends the run with its limit when a call needs more, and the history is sound (AL-04)", async () => {
    const tool = search();
    const { run, events } = scriptedAgent({
      tools: [tool],
      limits: { maxCorrections: 1 },
      script: [calls("google", "bing", call("search", { q: "x" }))],
    });
    const { error, run: partial } = await failureOf(run());
    expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "maxCorrections", allowed: 1 } });
    expect(events.ofType("limit.reached").map(({ data }) => data)).toEqual([{ limit: "maxCorrections", allowed: 1 }]);
    expect(resultsOf(partial).map(({ status }) => status)).toEqual(["unknown_tool", "not_run", "not_run"]);
    expect(checkHistory(partial.messages)).toEqual([]);
    expect(tool.calls).toHaveLength(0);
  });

  test("may be nothing: the first mistake ends the run", async () => {
    const { run } = scriptedAgent({ limits: { maxCorrections: 0 }, script: [calls("google")] });
    expect((await failureOf(run())).error.code).toBe("limit_exceeded");
  });

  test("is not touched by tools that fail or are refused", async () => {
    const { run } = scriptedAgent({
      tools: [
        fakeTool({ name: "throws", result: new Error("x") }),
        fakeTool({ name: "gated", policy: { effect: "destructive", approval: "always" } }),
      ],
      limits: { maxCorrections: 0 },
      script: [calls("throws", "gated"), "done"],
    });
    expect((await run()).text).toBe("done");
  });
});
