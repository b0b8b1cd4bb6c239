import { checkHistory } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import {
  type FakeTool,
  fakeTool,
  hangingTool,
  type ScriptedModel,
  scriptedModel,
  testSurroundings,
} from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { historyProblems, type KeptRuns, keptRuns } from "../support/kept-runs.js";
import { quiet } from "../support/stubborn.js";
import { threads } from "../support/threads.js";
import { resultStatuses } from "../support/transcript.js";

interface Tree {
  readonly agent: Agent;
  readonly leafModel: ScriptedModel;
  readonly models: readonly ScriptedModel[];
  readonly around: ReturnType<typeof testSurroundings>;
  readonly recorder: KeptRuns;
}

/** Three agents, each a tool of the one above. The leaf plays `leaf`, with `tools`. */
function tree(
  leaf: Parameters<typeof scriptedModel>[0],
  tools: readonly FakeTool<object>[] = [],
  { recorder = keptRuns(), asked = false }: { readonly recorder?: KeptRuns; readonly asked?: boolean } = {},
): Tree {
  const around = testSurroundings();
  /** A model that hands on and then ends; `asked`: it has handed on already, before a crash. */
  const asks = (name: string): ScriptedModel =>
    scriptedModel([{ toolCalls: [{ name, args: { task: "go on" } }] }, `${name} is done`].slice(asked ? 1 : 0));
  const leafModel = scriptedModel(leaf);
  const models = [asks("middle"), asks("leaf"), leafModel];
  const bottom = createAgent({ name: "leaf", model: leafModel, tools, memory: threads() });
  const middle = createAgent({
    name: "middle",
    model: models[1] as ScriptedModel,
    tools: [bottom.asTool({ description: "Does it." })],
  });
  const agent = createAgent({
    name: "top",
    model: models[0] as ScriptedModel,
    tools: [middle.asTool({ description: "Hands it on." })],
    recorder,
    ...around,
  });
  return { agent, leafModel, models, around, recorder };
}

describe("cancelling a run three levels deep", () => {
  it("stops a model's stream at the bottom, and no level makes a further request (AL-06)", async () => {
    const { agent, leafModel, models, around, recorder } = tree([{ text: "thinking", hang: true }]);
    const controller = new AbortController();
    const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
    await leafModel.called();
    controller.abort("enough");
    const { error, run } = await failing;
    expect(error).toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect(models.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
    expect(leafModel.calls[0]?.state).toBe("failed");
    expect(checkHistory(run.messages)).toEqual([]);
    expect(around.events.ofType("run.failed").map(({ data, component }) => [component, data.error.code])).toEqual([
      ["leaf", "cancelled"],
      ["middle", "cancelled"],
      ["top", "cancelled"],
    ]);
    expect(around.events.ofType("run.completed")).toEqual([]);
    const ends = new Map(recorder.states.map((state) => [state.agent, state]));
    expect([...ends.values()].map((state) => [state.agent, state.phase, historyProblems(state)]).toSorted()).toEqual([
      ["leaf", "failed", ""],
      ["middle", "failed", ""],
      ["top", "failed", ""],
    ]);
    expect(around.clock.timers).toBe(0);
  });

  it("aborts the tools at the bottom (AL-06)", async () => {
    const slow = hangingTool({ name: "slow", input: z.object({}) });
    const { agent, models, around } = tree([{ toolCalls: [{ name: "slow" }, { name: "slow" }] }], [slow]);
    const controller = new AbortController();
    const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
    await slow.called(2);
    controller.abort();
    expect((await failing).error.code).toBe("cancelled");
    expect(slow.aborted).toBe(2);
    expect(models.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
    expect(around.clock.timers).toBe(0);
  });

  it("leaves behind what does not stop at the bottom, within the grace, and names it (AL-06, CTX-06)", async () => {
    const deaf = hangingTool({ name: "deaf", input: z.object({}), ignoreSignal: true });
    const { agent, models, around } = tree([{ toolCalls: [{ name: "deaf" }] }], [deaf]);
    const controller = new AbortController();
    const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
    await deaf.called();
    controller.abort();
    await around.clock.advance(2_000);
    const { error } = await failing;
    expect(error.code).toBe("cancelled");
    expect((error.details as { ignoredBy?: readonly string[] }).ignoredBy).toContain("tool deaf");
    expect(models.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
    expect(around.clock.timers).toBe(0);
  });

  it("counts the tokens of every level in what is left (OB-05)", async () => {
    const { agent, leafModel } = tree([{ text: "x".repeat(400), hang: true }]);
    const controller = new AbortController();
    const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
    await leafModel.called();
    await quiet();
    controller.abort();
    const { run } = await failing;
    expect(run.usage).toMatchObject({ modelCalls: 1 });
    expect(run.treeUsage).toMatchObject({ modelCalls: 3, estimatedCalls: 1 });
    expect(run.treeUsage.totalTokens).toBeGreaterThan(0);
  });

  it("leaves a tree that a crash cut off to be resumed: each level from where it was, no finished call again (AL-06)", async () => {
    const ran: number[] = [];
    const work = (hangsAt: number): FakeTool<object> =>
      fakeTool({
        name: "work",
        input: z.object({ n: z.number() }),
        execute: ({ n }) => {
          ran.push(n);
          return n === hangsAt ? new Promise(() => {}) : `did ${n}`;
        },
      });
    const calls = [1, 2].map((n) => ({ toolCalls: [{ name: "work", args: { n } }] }));
    const crashed = tree(calls, [work(2)]);
    crashed.agent.start("go", { runId: "root" });
    await crashed.leafModel.called(2);
    while (ran.length < 2) await quiet();

    const again = tree(["leaf says done"], [work(0)], { recorder: crashed.recorder, asked: true });
    const run = await again.agent.resume("root");
    expect(run.text).toBe("middle is done");
    expect(ran).toEqual([1, 2, 2]);
    expect(again.models.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
    expect(resultStatuses(again.leafModel.requests[0]?.messages ?? [])).toEqual(["work#call_1 ok", "work#call_2 ok"]);
    expect(run.treeUsage).toMatchObject({ modelCalls: 7, toolCalls: 4 });
  });
});
