import { type ContextEstimate, checkHistory, TinyAgentsError, usageAccuracy } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, testSurroundings, toArray } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { quiet } from "../support/stubborn.js";

const work = fakeTool({ name: "work", input: z.object({}) });
const reset = new TinyAgentsError("network", "reset", { details: {} });

describe("totals of a run", () => {
  it("sum its model calls and count its calls of both kinds (USG-03)", async () => {
    const model = scriptedModel([
      {
        toolCalls: [{ name: "work" }, { name: "work" }],
        usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 },
      },
      { text: "Done.", usage: { inputTokens: 20, outputTokens: 7, reasoningTokens: 3 } },
    ]);
    const run = await createAgent({ name: "a", model, tools: [work] }).invoke("go");
    expect(run.usage).toEqual({
      inputTokens: 30,
      outputTokens: 12,
      totalTokens: 42,
      cachedInputTokens: 4,
      cacheWriteTokens: 0,
      reasoningTokens: 3,
      imageTokens: 0,
      audioTokens: 0,
      modelCalls: 2,
      toolCalls: 2,
      unknownCalls: 0,
      estimatedCalls: 0,
    });
    expect(usageAccuracy(run.usage)).toBe("exact");
  });

  it("can be grouped by model over nested runs, each call counted once (USG-03)", async () => {
    const small = scriptedModel(["ok", "ok"], { id: "test/small", usage: { inputTokens: 1, outputTokens: 1 } });
    const child = createAgent({ name: "child", model: small });
    const calls = [1, 2].map(() => ({ name: "child", args: { task: "x" } }));
    const large = scriptedModel([{ toolCalls: calls }, "Done."], {
      id: "test/large",
      usage: { inputTokens: 100, outputTokens: 10 },
    });
    const run = await createAgent({ name: "a", model: large, tools: [child.asTool({ description: "x" })] }).invoke(
      "go",
    );
    expect(run.usageByModel.map(({ model, usage }) => [model.id, usage.modelCalls, usage.totalTokens])).toEqual([
      ["test/large", 2, 220],
      ["test/small", 2, 4],
    ]);
    expect(run.usage).toMatchObject({ modelCalls: 2, totalTokens: 220, toolCalls: 2 });
    expect(run.treeUsage).toMatchObject({ modelCalls: 4, totalTokens: 224, toolCalls: 2 });
  });

  it("count the tool calls of a run that fails in the middle of them (USG-03)", async () => {
    const controller = new AbortController();
    const stopping = fakeTool({ name: "work", input: z.object({}), execute: () => controller.abort() });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }]);
    const { run } = await failureOf(
      createAgent({ name: "a", model, tools: [stopping] }).invoke("go", { signal: controller.signal }),
    );
    expect(run.usage.toolCalls).toBe(1);
    expect(run.counters.toolCalls).toBe(1);
  });

  it("say that a call told nothing, and never that it cost nothing (USG-03, OB-05)", async () => {
    const run = await createAgent({ name: "a", model: scriptedModel(["Fine."]) }).invoke("go");
    expect(run.usage).toMatchObject({ modelCalls: 1, unknownCalls: 1, totalTokens: 0 });
    expect(usageAccuracy(run.usage)).toBe("partial");
  });

  it("are shown after each call to whoever watches (USG-03)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "Done."], {
      usage: { inputTokens: 3, outputTokens: 2 },
    });
    const items = await toArray(createAgent({ name: "a", model, tools: [work] }).stream("go", { modes: ["usage"] }));
    expect(items.map((item) => (item.type === "usage" ? item.usage.totalTokens : item.type))).toEqual([5, 10]);
  });
});

describe("the estimate of a context", () => {
  async function estimate(options: Partial<Parameters<typeof createAgent>[0]>): Promise<ContextEstimate | undefined> {
    const seen: ContextEstimate[] = [];
    await createAgent({
      name: "a",
      model: scriptedModel(["Fine."], { profile: { contextWindow: 1_000, maxOutputTokens: 200 } }),
      middleware: [
        { name: "look", beforeModel: (request, context) => void seen.push(context.estimateContext(request)) },
      ],
      ...(options as object),
    }).invoke("x".repeat(1_584));
    return seen[0];
  }

  it("gives middleware the pressure on the model's window (USG-04)", async () => {
    expect(await estimate({})).toEqual({ inputTokens: 400, contextWindow: 1_000, pressure: 0.5 });
  });

  it("counts with the counter that the agent was given, and the tools too (USG-04)", async () => {
    const bare = await estimate({ countTokens: (text) => text.length });
    expect(bare).toMatchObject({ inputTokens: 1_588, pressure: 1.985 });
    const tooled = await estimate({ countTokens: (text) => text.length, tools: [work] });
    expect(tooled?.inputTokens).toBeGreaterThan(1_600);
  });

  it("says no pressure where the window is not known (USG-04)", async () => {
    expect(
      await estimate({ model: scriptedModel(["Fine."], { profile: { contextWindow: undefined } as never }) }),
    ).toEqual({ inputTokens: 400 });
  });
});

describe("the tokens of an answer that did not end", () => {
  it("are estimated, and said to be, when the run is cancelled in its middle; earlier steps are exact (OB-05)", async () => {
    const events = eventRecorder();
    const controller = new AbortController();
    const model = scriptedModel([
      { toolCalls: [{ name: "work" }], usage: { inputTokens: 100, outputTokens: 10 } },
      { text: "x".repeat(200), hang: true },
    ]);
    const failing = failureOf(
      createAgent({ name: "a", model, tools: [work], events }).start("go", { signal: controller.signal }).result,
    );
    await model.called(2);
    await quiet();
    controller.abort();
    const { run } = await failing;
    expect(run.usage).toMatchObject({ modelCalls: 2, estimatedCalls: 1, unknownCalls: 0, outputTokens: 60 });
    expect(run.usage.inputTokens).toBeGreaterThan(100);
    expect(usageAccuracy(run.usage)).toBe("estimated");
    expect(events.ofType("usage.recorded").map(({ data }) => data.usage?.source)).toEqual(["reported", "estimated"]);
  });

  it("are those that were reported, where they were (OB-05)", async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: "half", usage: { inputTokens: 7, outputTokens: 2 }, hang: true }]);
    const failing = failureOf(createAgent({ name: "a", model }).invoke("go", { signal: controller.signal }));
    await model.called();
    await quiet();
    controller.abort();
    expect((await failing).run.usage).toMatchObject({ inputTokens: 7, outputTokens: 2, estimatedCalls: 0 });
  });

  it("are counted for an attempt that a retry replaced: told ones exactly, untold ones by estimate (OB-05)", async () => {
    const retry = { initialDelayMs: 0, jitter: "none" } as const;
    const told = scriptedModel([
      { text: "half", usage: { inputTokens: 7, outputTokens: 2 }, error: reset },
      { text: "Fine.", usage: { inputTokens: 7, outputTokens: 3 } },
    ]);
    const exact = await createAgent({ name: "a", model: told, policies: { retry } }).invoke("go");
    expect(exact.usage).toMatchObject({ inputTokens: 14, outputTokens: 5, modelCalls: 1, estimatedCalls: 0 });
    expect(exact.messages.at(-1)).toMatchObject({ usage: { inputTokens: 7, outputTokens: 3 } });

    const untold = scriptedModel([
      { deltas: [{ type: "text", index: 0, text: "x".repeat(40) }], error: reset },
      { text: "Fine.", usage: { inputTokens: 7, outputTokens: 3 } },
    ]);
    const estimated = await createAgent({ name: "a", model: untold, policies: { retry } }).invoke("go");
    expect(estimated.usage).toMatchObject({ outputTokens: 13, modelCalls: 1, estimatedCalls: 1 });
    expect(estimated.usage.inputTokens).toBeGreaterThan(7);
  });

  it("are not made up for an attempt that got nowhere (OB-05)", async () => {
    const retry = { initialDelayMs: 0, jitter: "none" } as const;
    const model = scriptedModel([{ error: reset }, { text: "Fine.", usage: { inputTokens: 7, outputTokens: 3 } }]);
    const run = await createAgent({ name: "a", model, policies: { retry } }).invoke("go");
    expect(run.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, estimatedCalls: 0 });
  });

  it("leave the run with everything that a better estimate needs: what was sent, and what had come (OB-05)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const model = scriptedModel([{ text: "so far", hang: true }], { split: "characters" });
    let shown = "";
    const reading = (async () => {
      for await (const item of createAgent({ name: "a", model, ...around }).stream("go", {
        signal: controller.signal,
      })) {
        if (item.type === "text") shown += item.text;
        if (shown === "so far") controller.abort();
      }
    })();
    const { run } = await failureOf(reading);
    expect(shown).toBe("so far");
    expect(run.messages).toHaveLength(1);
    expect(checkHistory(run.messages)).toEqual([]);
  });
});
