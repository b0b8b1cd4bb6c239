import { checkHistory, content, toolText } from "@tinyagents/core";
import { fakeTool, type ScriptEntry } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { call, resultsOf, scriptedAgent } from "../support/tool-runs.js";

/** A script that makes these calls over and over. */
function repeating(turns: number, ...names: readonly string[]): readonly ScriptEntry[] {
  return Array.from({ length: turns }, (_, turn) => ({ toolCalls: [call(names[turn % names.length] ?? "")] }));
}

describe("a run that repeats itself", () => {
  test("is told, then not run any more, then ended, in a budget that is not the limit of calls (AL-02)", async () => {
    const tool = fakeTool({ name: "look" });
    const { run, model, events } = scriptedAgent({ tools: [tool], script: repeating(20, "look") });
    const { error, run: partial } = await failureOf(run());
    expect(error).toMatchObject({ code: "no_progress", details: { repeats: 6, calls: ["look"] } });
    expect(error.message).toContain("look");
    expect(tool.calls).toHaveLength(5);
    expect(model.requests).toHaveLength(7);
    const said = resultsOf(partial).map(toolText);
    expect(said.map((text) => text.includes("[You have made the same calls"))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(resultsOf(partial).map(({ status }) => status)).toEqual([
      "ok",
      "ok",
      "ok",
      "ok",
      "ok",
      "not_run",
      "not_run",
    ]);
    expect(events.ofType("no_progress.detected").map(({ data }) => [data.repeats, data.action])).toEqual([
      [2, "hint"],
      [3, "hint"],
      [4, "hint"],
      [5, "refuse"],
      [6, "stop"],
    ]);
    expect(checkHistory(partial.messages)).toEqual([]);
  });

  test("is found when two or three calls alternate (AL-02)", async () => {
    for (const names of [
      ["a", "b"],
      ["a", "b", "c"],
    ]) {
      const tools = names.map((name) => fakeTool({ name }));
      const { error } = await failureOf(scriptedAgent({ tools, script: repeating(20, ...names) }).run());
      expect(error.code).toBe("no_progress");
      expect(tools.flatMap(({ calls }) => calls)).toHaveLength(names.length + 4);
    }
  });

  test("goes on when the model changes its mind after the hint (AL-02)", async () => {
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "look" }), fakeTool({ name: "think" })],
      script: [...repeating(4, "look"), { toolCalls: [call("think")] }, ...repeating(2, "look"), "done"],
    });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(resultsOf(finished).every(({ status }) => status === "ok")).toBe(true);
  });

  test("knows a call by its arguments, in whatever order they are written (AL-02)", async () => {
    const tool = fakeTool({ name: "look" });
    const args = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ];
    const script = Array.from({ length: 12 }, (_, turn) => ({ toolCalls: [call("look", args[turn % 2])] }));
    expect((await failureOf(scriptedAgent({ tools: [tool], script }).run())).error.code).toBe("no_progress");
  });

  test("repeats mistakes too: the same wrong call is not progress", async () => {
    const script = Array.from({ length: 12 }, () => ({ toolCalls: [{ name: "look", rawArgs: "{" }] }));
    const { run } = scriptedAgent({ tools: [fakeTool({ name: "look" })], limits: { maxCorrections: 50 }, script });
    expect((await failureOf(run())).error.code).toBe("no_progress");
  });
});

describe("what is progress", () => {
  const polls = 12;

  test.each<[string, (n: number) => unknown]>([
    ["a number", (n) => n],
    ["the end of a long text", (n) => `${"x".repeat(4_000)}${String(n).padStart(4, "0")}`],
    ["the middle of a long text", (n) => `${"x".repeat(4_000)}${String(n).padStart(4, "0")}${"x".repeat(4_000)}`],
    [
      "the middle of a large object",
      (n) => ({ pad: "x".repeat(4_000), n: String(n).padStart(4, "0"), end: "y".repeat(4_000) }),
    ],
    [
      "an image",
      (n) => content([{ type: "image", source: { type: "base64", mediaType: "image/png", data: `AAAA${n}` } }]),
    ],
  ])("is a result that changes, for the same calls: %s (AL-02)", async (_, result) => {
    let n = 0;
    const tool = fakeTool({ name: "status", execute: () => result(n++) });
    const { run } = scriptedAgent({ tools: [tool], script: [...repeating(polls, "status"), "done"] });
    expect((await run()).text).toBe("done");
    expect(tool.calls).toHaveLength(polls);
  });

  test("are arguments that change, for the same result (AL-02)", async () => {
    const tool = fakeTool({ name: "look" });
    const script = Array.from({ length: polls }, (_, page) => ({ toolCalls: [call("look", { page })] }));
    expect((await scriptedAgent({ tools: [tool], script: [...script, "done"] }).run()).text).toBe("done");
  });

  test("is a batch that differs in one of its calls; the same call twice in one batch is run twice (AL-02)", async () => {
    const tool = fakeTool({ name: "look" });
    const script = Array.from({ length: 8 }, (_, page) => ({
      toolCalls: [call("look", {}), call("look", {}), call("look", { page })],
    }));
    expect((await scriptedAgent({ tools: [tool], script: [...script, "done"] }).run()).text).toBe("done");
    expect(tool.calls).toHaveLength(24);
  });
});

describe("the policy", () => {
  test("can be turned off", async () => {
    const tool = fakeTool({ name: "look" });
    const { run } = scriptedAgent({
      tools: [tool],
      policies: { noProgress: false },
      script: [...repeating(15, "look"), "done"],
    });
    expect((await run()).text).toBe("done");
    expect(tool.calls).toHaveLength(15);
  });

  test("can be tightened", async () => {
    const tool = fakeTool({ name: "look" });
    const { run } = scriptedAgent({
      tools: [tool],
      policies: { noProgress: { hintAfter: 1, refuseAfter: 1, stopAfter: 2 } },
      script: repeating(9, "look"),
    });
    expect((await failureOf(run())).error).toMatchObject({ code: "no_progress", details: { repeats: 2 } });
    expect(tool.calls).toHaveLength(2);
  });
});
