import type { HookName, Middleware } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { historyProblems } from "../support/kept-runs.js";

const boom = (): never => {
  throw new Error("boom");
};
const later = (): Promise<never> => Promise.reject(new Error("boom"));

const BROKEN: { readonly [H in Exclude<HookName, "onError" | "onToolDelta">]: Partial<Middleware>[] } = {
  beforeAgent: [{ beforeAgent: boom }, { beforeAgent: later }],
  afterAgent: [{ afterAgent: boom }, { afterAgent: later }],
  beforeModel: [{ beforeModel: boom }, { beforeModel: later }],
  wrapModel: [
    { wrapModel: boom },
    {
      // biome-ignore lint/correctness/useYield: it fails before it could
      async *wrapModel() {
        boom();
      },
    },
  ],
  onModelDelta: [{ onModelDelta: boom }, { onModelDelta: later }],
  afterModel: [{ afterModel: boom }, { afterModel: later }],
  beforeTool: [{ beforeTool: boom }, { beforeTool: later }],
  wrapTool: [{ wrapTool: boom }, { wrapTool: later }],
  afterTool: [{ afterTool: boom }, { afterTool: later }],
};

const cases = Object.entries(BROKEN).flatMap(([hook, broken]) =>
  broken.map((entry, at) => [hook, at === 0 ? "at once" : "later", entry] as const),
);

describe("a hook that throws", () => {
  test.each(cases)("%s, %s, ends the run with an error that names it (MWH-06)", async (hook, _, broken) => {
    const model = scriptedModel([{ toolCalls: [{ name: "look" }] }, "done"]);
    const agent = createAgent({
      name: "broken",
      model,
      tools: [fakeTool({ name: "look" })],
      middleware: [{ name: "fine" }, { name: "cracked", ...broken }],
    });
    const { error, run } = await failureOf(agent.invoke("Go."));
    expect(error.code).toBe("middleware_failed");
    expect(error.details).toEqual({ middleware: "cracked", hook });
    expect(error.message).toContain("cracked");
    expect(error.message).toContain("boom");
    expect(historyProblems(run)).toBe("");
  });

  test("onToolDelta fails the call that made progress, and the model is told (MWH-06)", async () => {
    const agent = createAgent({
      name: "broken",
      model: scriptedModel([
        { toolCalls: [{ name: "look" }] },
        ({ messages }) => `told: ${JSON.stringify(messages.at(-1)?.content)}`,
      ]),
      tools: [
        fakeTool({
          name: "look",
          execute: (_input, runtime) => {
            runtime.progress(1);
            return "unreachable";
          },
        }),
      ],
      middleware: [{ name: "cracked", onToolDelta: boom }],
    });
    expect((await agent.invoke("Go.")).text).toContain("cracked failed in onToolDelta");
  });

  test("after a tool has run leaves the tool's own result in the history (MWH-06)", async () => {
    const agent = createAgent({
      name: "broken",
      model: scriptedModel([{ toolCalls: [{ name: "pay" }] }]),
      tools: [fakeTool({ name: "pay", result: "paid" })],
      middleware: [{ name: "cracked", afterTool: boom }],
    });
    const { run } = await failureOf(agent.invoke("Go."));
    expect(run.messages.at(-1)).toMatchObject({ role: "tool", status: "ok", content: [{ text: "paid" }] });
  });

  test("in onError does not hide what had failed (MWH-06)", async () => {
    const agent = createAgent({
      name: "broken",
      model: scriptedModel([boom]),
      middleware: [{ name: "cracked", onError: boom }],
    });
    const { error } = await failureOf(agent.invoke("Go."));
    expect(error.details).toEqual({ middleware: "cracked", hook: "onError" });
  });
});

test("a middleware without a name, or with one that is taken, is refused when the agent is made (MWH-06)", () => {
  const model = scriptedModel([]);
  const made = (middleware: Middleware[]) => () => createAgent({ name: "x", model, middleware });
  expect(made([{ name: "" }])).toThrow(TypeError);
  expect(made([{ name: "a" }, { name: "a" }])).toThrow('the name "a" is taken');
});
