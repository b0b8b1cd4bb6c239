import { checkHistory, interrupt, type Middleware, stop } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { threads } from "../support/threads.js";
import { resultStatuses } from "../support/transcript.js";

const NOTHING = z.object({});

describe("a run that ends early", () => {
  it("has the payload of the tool that ended it, and no made-up answer (LOOP-15)", async () => {
    const memory = threads();
    const leave = fakeTool({ name: "leave", input: NOTHING, execute: () => stop({ ticket: 7 }) });
    const model = scriptedModel([{ text: "I hand you over.", toolCalls: [{ name: "leave" }] }, "never"]);
    const run = await createAgent({ name: "a", model, tools: [leave], memory }).invoke("go", { threadId: "t1" });
    expect(run).toMatchObject({ status: "stopped", stop: { by: "tool", name: "leave", payload: { ticket: 7 } } });
    expect(run.messages.at(-1)?.role).toBe("tool");
    expect(model.calls).toHaveLength(1);
    expect(checkHistory(run.messages)).toEqual([]);
    expect(memory.saves).toHaveLength(1);
  });

  it("lets the other calls of the batch run first (LOOP-15)", async () => {
    const leave = fakeTool({ name: "leave", input: NOTHING, execute: () => stop("first") });
    const work = fakeTool({ name: "work", input: NOTHING });
    const model = scriptedModel([{ toolCalls: [{ name: "leave" }, { name: "work" }, { name: "leave" }] }]);
    const run = await createAgent({ name: "a", model, tools: [leave, work] }).invoke("go");
    expect(resultStatuses(run.messages)).toEqual(["leave#call_1 ok", "work#call_2 ok", "leave#call_3 ok"]);
    expect(run.stop?.payload).toBe("first");
  });

  it.each<[string, Middleware]>([
    ["beforeModel", { name: "guard", beforeModel: () => ({ control: { type: "stop", payload: "enough" } }) }],
    ["afterModel", { name: "guard", afterModel: () => ({ control: { type: "stop", payload: "enough" } }) }],
    ["beforeTool", { name: "guard", beforeTool: () => ({ control: { type: "stop", payload: "enough" } }) }],
    ["afterTool", { name: "guard", afterTool: () => ({ control: { type: "stop", payload: "enough" } }) }],
  ])("can be ended by middleware in %s, with a whole history (LOOP-15)", async (hook, guard) => {
    const events = eventRecorder();
    const work = fakeTool({ name: "work", input: NOTHING });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "never"]);
    const run = await createAgent({ name: "a", model, tools: [work], middleware: [guard], events }).invoke("go");
    expect(run).toMatchObject({
      status: "stopped",
      stop: { by: "middleware", name: "guard", payload: "enough" },
      text: "",
    });
    expect(checkHistory(run.messages)).toEqual([]);
    expect(model.calls).toHaveLength(hook === "beforeModel" ? 0 : 1);
    expect(work.calls).toHaveLength(hook === "afterTool" ? 1 : 0);
    expect(events.ofType("control.applied").map(({ data }) => data)).toEqual([{ control: "stop", by: "guard" }]);
  });
});

describe("a run that pauses", () => {
  it("waits with the payload of the tool that asks, and gives no answer (LOOP-15)", async () => {
    const events = eventRecorder();
    const ask = fakeTool({ name: "ask", input: NOTHING, execute: () => interrupt({ question: "Which one?" }) });
    const model = scriptedModel([{ toolCalls: [{ name: "ask" }] }, "Blue it is."]);
    const agent = createAgent({ name: "a", model, tools: [ask], events });
    const run = await agent.invoke("go");
    expect(run).toMatchObject({
      status: "paused",
      text: "",
      requests: [{ type: "interrupt", callId: "call_1", payload: { question: "Which one?" } }],
    });
    expect(events.types().at(-1)).toBe("run.paused");
    const id = run.requests[0]?.id ?? "";
    const again = await agent.resume(JSON.parse(JSON.stringify(run.state)), { answers: { [id]: "blue" } });
    expect(again).toMatchObject({ status: "completed", text: "Blue it is." });
    expect(resultStatuses(again.messages)).toEqual(["ask#call_1 ok"]);
    expect(ask.calls).toHaveLength(1);
  });

  it("runs no finished call of its batch again when it goes on (LOOP-15)", async () => {
    const ask = fakeTool({ name: "ask", input: NOTHING, execute: () => interrupt("?") });
    const work = fakeTool({ name: "work", input: NOTHING });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }, { name: "ask" }, { name: "work" }] }, "Done."]);
    const agent = createAgent({ name: "a", model, tools: [ask, work] });
    const run = await agent.invoke("go");
    expect(work.calls).toHaveLength(2);
    const again = await agent.resume(run.state, { answers: { [run.requests[0]?.id ?? ""]: "yes" } });
    expect(resultStatuses(again.messages)).toEqual(["work#call_1 ok", "ask#call_2 ok", "work#call_3 ok"]);
    expect(work.calls).toHaveLength(2);
  });

  it("can be paused by middleware, which finds the answer when the run goes on (LOOP-15)", async () => {
    const guard: Middleware = {
      name: "guard",
      beforeModel: (_, { answer }) =>
        answer === undefined ? { control: { type: "interrupt", payload: "May I?" } } : undefined,
    };
    const model = scriptedModel(["Thank you."]);
    const agent = createAgent({ name: "a", model, middleware: [guard] });
    const run = await agent.invoke("go");
    expect(run).toMatchObject({
      status: "paused",
      requests: [{ type: "interrupt", middleware: "guard", payload: "May I?" }],
    });
    expect(model.calls).toHaveLength(0);
    const again = await agent.resume(run.state, { answers: { [run.requests[0]?.id ?? ""]: true } });
    expect(again.text).toBe("Thank you.");
  });

  it("stays paused until everything is answered, and refuses answers to what was not asked (LOOP-15)", async () => {
    const ask = fakeTool({ name: "ask", input: NOTHING, execute: () => interrupt("?") });
    const model = scriptedModel([{ toolCalls: [{ name: "ask" }, { name: "ask" }] }, "Done."]);
    const agent = createAgent({ name: "a", model, tools: [ask] });
    const run = await agent.invoke("go");
    const [first, second] = run.requests.map(({ id }) => id) as [string, string];
    await expect(agent.resume(run.state, { answers: { nobody: 1 } })).rejects.toMatchObject({
      code: "resume_mismatch",
    });
    const half = await agent.resume(run.state, { answers: { [first]: "one" } });
    expect(half).toMatchObject({ status: "paused", requests: [{ id: second }] });
    await expect(agent.resume(half.state, { answers: { [first]: "again" } })).rejects.toMatchObject({
      code: "resume_mismatch",
    });
    expect((await agent.resume(half.state, { answers: { [second]: "two" } })).text).toBe("Done.");
  });

  it("answers what was asked as superseded when something new is said instead (LOOP-15)", async () => {
    const ask = fakeTool({ name: "ask", input: NOTHING, execute: () => interrupt("?") });
    const model = scriptedModel([{ toolCalls: [{ name: "ask" }] }, "Fine, not that."]);
    const agent = createAgent({ name: "a", model, tools: [ask] });
    const run = await agent.invoke("go");
    const again = await agent.resume(run.state, { input: "Forget it." });
    expect(resultStatuses(again.messages)).toEqual(["ask#call_1 superseded"]);
    expect(again.text).toBe("Fine, not that.");
  });
});

it("answers the next turn of a thread whose stored history is damaged, and says what was mended (AL-10)", async () => {
  const events = eventRecorder();
  const memory = threads({
    t1: {
      v: 1,
      messages: [
        { role: "user", content: [{ type: "text", text: "before" }] },
        { role: "assistant", content: [{ type: "tool_call", id: "old", name: "work", args: {} }] },
        { role: "tool", toolCallId: "nobody", name: "work", content: [], isError: false, status: "ok" },
      ],
    },
  });
  const model = scriptedModel([{ text: "Here I am.", expect: {} }]);
  const run = await createAgent({ name: "a", model, memory, events }).invoke("hello?", { threadId: "t1" });
  expect(run.text).toBe("Here I am.");
  expect(checkHistory(model.requests[0]?.messages ?? [])).toEqual([]);
  expect(run.newMessages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(events.ofType("history.repaired")[0]?.data.problems.map(({ type, callId }) => [type, callId])).toEqual([
    ["orphan_result", "nobody"],
    ["unanswered_call", "old"],
  ]);
  expect(checkHistory(memory.saves[0]?.state.messages ?? [])).toEqual([]);
});

it("keeps a thread usable after a run on it that failed in the middle of a batch (AL-10)", async () => {
  const memory = threads();
  const controller = new AbortController();
  const work = fakeTool({ name: "work", input: NOTHING, execute: () => controller.abort() });
  const model = scriptedModel(["one", { toolCalls: [{ name: "work" }, { name: "work" }] }, "three"]);
  const agent = createAgent({ name: "a", model, tools: [work], memory });
  await agent.invoke("first", { threadId: "t1" });
  await failureOf(agent.invoke("second", { threadId: "t1", signal: controller.signal }));
  const run = await agent.invoke("third", { threadId: "t1" });
  expect(run.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});
