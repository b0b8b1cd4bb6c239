import { checkHistory, type ModelDelta, toolCalls, toolText } from "@tinyagents/core";
import { fakeTool, type ScriptedAnswer } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const save = () => fakeTool({ name: "save", input: z.object({ path: z.string(), text: z.string().default("") }) });

/** An answer that streams one call in these fragments. */
function streamed(...fragments: readonly string[]): ScriptedAnswer {
  const deltas: ModelDelta[] = [
    { type: "tool_call_start", index: 0, id: "a", name: "save" },
    ...fragments.map((args): ModelDelta => ({ type: "tool_call_args", index: 0, args })),
    { type: "tool_call_end", index: 0 },
    { type: "finish", finishReason: "tool_calls" },
  ];
  return { deltas };
}

describe("the text of a call's arguments", () => {
  test("is run when it is complete, not when it first parses (PA-02)", async () => {
    const tool = save();
    const { agent } = scriptedAgent({
      tools: [tool],
      script: [streamed('{"path":"a"}', " ", "", "\n"), streamed('{"path":', '"b","text":"{}"', "}"), "done"],
    });
    for await (const _ of agent.stream("Go.")) {
      // Watched, so that the model streams.
    }
    expect(tool.calls.map(({ input }) => input)).toEqual([
      { path: "a", text: "" },
      { path: "b", text: "{}" },
    ]);
  });

  test("that goes on after a complete value is no arguments: nothing runs on a prefix (PA-02)", async () => {
    const tool = save();
    const { run } = scriptedAgent({ tools: [tool], script: [streamed('{"path":"a"}', '{"path":"b"}'), "done"] });
    expect(resultsOf(await run())[0]?.status).toBe("invalid");
    expect(tool.calls).toHaveLength(0);
  });

  test.each(["", " ", "\n\t"])(
    "may be empty for a tool that needs none: %j means no arguments (PA-03)",
    async (rawArgs) => {
      const now = fakeTool({ name: "now", input: z.object({}) });
      const { run, model } = scriptedAgent({ tools: [now], script: [calls({ name: "now", rawArgs }), "done"] });
      await run();
      expect(now.calls.map(({ input }) => input)).toEqual([{}]);
      expect(model.requests[1]?.messages.flatMap(toolCalls)).toEqual([
        { type: "tool_call", id: "a", name: "now", args: {} },
      ]);
    },
  );

  test("that is empty for a tool that needs some is a mistake like any other (PA-03)", async () => {
    const tool = save();
    const { run } = scriptedAgent({ tools: [tool], script: [calls({ name: "save", rawArgs: "" }), "done"] });
    const [result] = resultsOf(await run());
    expect(result?.status).toBe("invalid");
    expect(toolText(result as never)).toContain("- path: ");
  });

  test.each(['{"path": "a"', "[1]", '"a"', "null", "{'path': 'a'}", '{"path":"a"} trailing'])(
    "that is no object never runs, and the next request is sound: %s (PA-04, AL-04)",
    async (rawArgs) => {
      const tool = save();
      const { run, model } = scriptedAgent({ tools: [tool], script: [calls({ name: "save", rawArgs }), "done"] });
      const finished = await run();
      const next = model.requests[1]?.messages ?? [];
      expect(tool.calls).toHaveLength(0);
      expect(resultsOf(finished)[0]?.status).toBe("invalid");
      expect(checkHistory(next)).toEqual([]);
      const [block] = next.flatMap(toolCalls);
      expect(block?.args).toEqual({});
      expect(block?.invalid?.raw).toBe(rawArgs);
      expect(toolText(resultsOf(finished)[0] as never)).toContain("they are no JSON object");
    },
  );
});

describe("an answer that is not whole", () => {
  test.each(["length", "content_filter", "error", "refusal", "other"] as const)(
    "runs none of its calls, says why, and leaves a sound history: %s (AL-09)",
    async (finishReason) => {
      const tool = save();
      const { run, model } = scriptedAgent({
        tools: [tool],
        script: [{ toolCalls: [{ name: "save", args: { path: "half" } }], finishReason }],
      });
      const finished = await run();
      expect(tool.calls).toHaveLength(0);
      expect(finished.finishReason).toBe(finishReason);
      expect(finished.status).toBe(finishReason === "refusal" ? "refused" : "incomplete");
      expect(resultsOf(finished).map(({ status }) => status)).toEqual(["not_run"]);
      expect(toolText(resultsOf(finished)[0] as never)).toContain(finishReason);
      expect(checkHistory(finished.messages)).toEqual([]);
      expect(model.requests).toHaveLength(1);
    },
  );

  test("is not run by a hook that jumps to the tools either (AL-09)", async () => {
    const tool = save();
    const { run } = scriptedAgent({
      tools: [tool],
      middleware: [{ name: "eager", afterModel: () => ({ control: { type: "jump", to: "tools" } }) }],
      script: [{ toolCalls: [{ name: "save", args: { path: "half" } }], finishReason: "length" }],
    });
    expect((await run()).status).toBe("incomplete");
    expect(tool.calls).toHaveLength(0);
  });

  test("because its stream ended without a finish is a failure that keeps the text (PA-11)", async () => {
    const tool = save();
    const { run } = scriptedAgent({
      tools: [tool],
      policies: { retry: { maxAttempts: 1 } },
      script: [
        {
          deltas: [
            { type: "text", index: 0, text: "I will sa" },
            { type: "tool_call_start", index: 1, id: "a", name: "save" },
            { type: "tool_call_args", index: 1, args: '{"path":"a"}' },
          ],
        },
      ],
    });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({ code: "network", retryable: true, details: { partialText: "I will sa" } });
    expect(tool.calls).toHaveLength(0);
  });
});
