import { checkHistory, TinyAgentsError } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { resultStatuses } from "../support/transcript.js";

const work = (): ReturnType<typeof fakeTool> => fakeTool({ name: "work", input: z.object({}) });
const FINALIZE = { policies: { onLimit: "finalize" } } satisfies Partial<AgentOptions>;

it("asks once more without tools when a limit is hit, and ends with that answer (LOOP-16, AL-01)", async () => {
  const events = eventRecorder();
  const model = scriptedModel([
    { toolCalls: [{ name: "work" }] },
    { toolCalls: [{ name: "work" }] },
    { text: "That is as far as I got.", expect: {} },
  ]);
  const tool = work();
  const run = await createAgent({
    name: "a",
    model,
    tools: [tool],
    limits: { maxModelCalls: 2 },
    events,
    ...FINALIZE,
  }).invoke("go");
  expect(run).toMatchObject({
    status: "completed",
    text: "That is as far as I got.",
    stop: { by: "limit", name: "maxModelCalls" },
  });
  expect(model.requests[2]).toMatchObject({ toolChoice: "none" });
  expect(tool.calls).toHaveLength(2);
  expect(run.counters.modelCalls).toBe(3);
  expect(events.ofType("limit.reached")).toHaveLength(1);
});

it("tells the last answer what of the batch did not run (LIM-02)", async () => {
  const model = scriptedModel([{ toolCalls: [{ name: "work" }, { name: "work" }] }, "Half is done."]);
  const run = await createAgent({ name: "a", model, tools: [work()], limits: { maxToolCalls: 1 }, ...FINALIZE }).invoke(
    "go",
  );
  expect(run.text).toBe("Half is done.");
  expect(run.stop).toEqual({ by: "limit", name: "maxToolCalls" });
  expect(resultStatuses(model.requests[1]?.messages ?? [])).toEqual(["work#call_1 ok", "work#call_2 not_run"]);
});

it("runs no tool that the last answer asks for all the same (LIM-06)", async () => {
  const tool = work();
  const model = scriptedModel([
    { toolCalls: [{ name: "work" }] },
    { text: "One more.", toolCalls: [{ name: "work" }] },
  ]);
  const run = await createAgent({ name: "a", model, tools: [tool], limits: { maxModelCalls: 1 }, ...FINALIZE }).invoke(
    "go",
  );
  expect(tool.calls).toHaveLength(1);
  expect(run.text).toBe("One more.");
  expect(checkHistory(run.messages)).toEqual([]);
  expect(resultStatuses(run.messages).at(-1)).toBe("work#call_2 not_run");
});

it("has its last answer in the promised form, and fails when it is not (LOOP-16)", async () => {
  const output = z.object({ n: z.number() });
  const given = { tools: [work()], output, limits: { maxModelCalls: 1 }, ...FINALIZE };
  const good = scriptedModel([{ toolCalls: [{ name: "work" }] }, '{"n":1}']);
  expect((await createAgent({ name: "a", model: good, ...given }).invoke("go")).output).toEqual({ n: 1 });
  const bad = scriptedModel([{ toolCalls: [{ name: "work" }] }, "no JSON", "never asked"]);
  const { error } = await failureOf(createAgent({ name: "a", model: bad, ...given }).invoke("go"));
  expect(error).toMatchObject({ code: "structured_output_invalid", details: { reason: "limit" } });
  expect(bad.calls).toHaveLength(2);
});

it("asks once more also when the tokens, or the model's corrections, are used up", async () => {
  const tokens = scriptedModel([{ toolCalls: [{ name: "work" }], usage: { inputTokens: 99 } }, "Out of tokens."]);
  const spent = await createAgent({
    name: "a",
    model: tokens,
    tools: [work()],
    limits: { maxTotalTokens: 10 },
    ...FINALIZE,
  }).invoke("go");
  expect(spent).toMatchObject({ text: "Out of tokens.", stop: { name: "maxTotalTokens" } });

  const tool = work();
  const wrong = scriptedModel([{ toolCalls: [{ name: "work" }, { name: "nobody" }] }, "Out of corrections."]);
  const mistaken = await createAgent({
    name: "a",
    model: wrong,
    tools: [tool],
    limits: { maxCorrections: 0 },
    ...FINALIZE,
  }).invoke("go");
  expect(mistaken).toMatchObject({ text: "Out of corrections.", stop: { name: "maxCorrections" } });
  expect(tool.calls).toHaveLength(0);
  expect(checkHistory(mistaken.messages)).toEqual([]);
});

it("goes on with tools when a run that gave its last answer late is given more room", async () => {
  const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, { toolCalls: [{ name: "work" }] }, "Done."]);
  const agent = createAgent({ name: "a", model, tools: [work()], limits: { maxModelCalls: 1 } });
  const { run } = await failureOf(agent.invoke("go"));
  const again = await agent.resume(run.state, { limits: { maxModelCalls: 9 } });
  expect(again).toMatchObject({ status: "completed", text: "Done.", counters: { toolCalls: 2 } });
  expect(again.stop).toBeUndefined();
  expect(model.requests[1]?.toolChoice).toBeUndefined();
});

it("goes on with tools when the last answer failed and the run is given more room (AL-01)", async () => {
  const tool = work();
  const noKey = new TinyAgentsError("provider_auth", "no key", { details: { provider: "test" } });
  const model = scriptedModel([
    { toolCalls: [{ name: "work" }] },
    { error: noKey },
    { toolCalls: [{ name: "work" }] },
    "Done.",
  ]);
  const agent = createAgent({ name: "a", model, tools: [tool], limits: { maxModelCalls: 1 }, ...FINALIZE });
  const { error, run } = await failureOf(agent.invoke("go"));
  expect(error).toMatchObject({ code: "provider_auth" });
  const again = await agent.resume(run.state, { limits: { maxModelCalls: 9 } });
  expect(again).toMatchObject({ status: "completed", text: "Done." });
  expect(again.stop).toBeUndefined();
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, "none", undefined, undefined]);
  expect(tool.calls).toHaveLength(2);
});
