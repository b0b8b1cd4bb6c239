import { askWhenResumed, interrupt, toolText } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, resultsOf, type ScriptedAgentOptions, scriptedAgent, stored } from "../support/tool-runs.js";

const destroy = () =>
  fakeTool({
    name: "destroy",
    input: z.object({ path: z.string() }),
    policy: { effect: "destructive", approval: "always" },
  });

/** An agent that has paused, with one call in question, and what it gated. */
async function paused(options: Partial<ScriptedAgentOptions<undefined>> = {}) {
  const tool = destroy();
  const scripted = scriptedAgent({
    tools: [tool],
    approver: askWhenResumed,
    script: [calls(call("destroy", { path: "/a" })), "done"],
    ...options,
  });
  return { ...scripted, tool, run: await scripted.run() };
}

describe("an approver that leaves it to whoever resumes", () => {
  test("pauses the run; nothing has run; the request says what would (TOOL-08, SE-07)", async () => {
    const { run, tool, events } = await paused();
    expect(run).toMatchObject({ status: "paused", text: "" });
    expect(run.requests).toEqual([
      {
        id: "approval-1",
        type: "approval",
        runId: "run-1",
        callId: "a",
        tool: "destroy",
        args: { path: "/a" },
        argsJson: '{"path":"/a"}',
      },
    ]);
    expect(tool.calls).toHaveLength(0);
    expect(events.ofType("run.paused").map(({ data }) => data.requests)).toEqual([
      [{ id: "approval-1", type: "approval", callId: "a" }],
    ]);
    expect(events.types()).not.toContain("run.completed");
  });

  test("runs the call when it is approved, in another process too, and nobody is asked again", async () => {
    const { run } = await paused();
    const tool = destroy();
    const elsewhere = createAgent({
      name: "tester",
      model: scriptedModel([{ text: "done", expect: { toolResults: ["ok"] } }]),
      tools: [tool],
    });
    const finished = await elsewhere.resume(stored(run.state), { answers: { "approval-1": { approve: true } } });
    expect(finished).toMatchObject({ status: "completed", text: "done", runId: "run-1" });
    expect(tool.calls.map(({ input }) => input)).toEqual([{ path: "/a" }]);
    expect(finished.requests).toEqual([]);
  });

  test("does not run it when it is refused; the model is told, and the end of the call is told once", async () => {
    const { agent, run, tool, events } = await paused();
    events.clear();
    const items: string[] = [];
    const answers = { "approval-1": { approve: false, reason: "not today" } };
    for await (const item of agent.resumeStream(stored(run.state), { answers, modes: ["tools", "final"] })) {
      items.push(item.type === "final" ? toolText(resultsOf(item.run)[0] as never) : item.type);
    }
    expect(items).toEqual(["tool_result", "The call was not approved: not today. It was not run."]);
    expect(tool.calls).toHaveLength(0);
    expect(events.ofType("tool.failed").map(({ data }) => [data.callId, data.status])).toEqual([["a", "denied"]]);
    expect(events.ofType("approval.denied")).toHaveLength(1);
  });

  test("runs it with the arguments of the answer, which are checked", async () => {
    const { agent, run, tool } = await paused();
    const finished = await agent.resume(stored(run.state), {
      answers: { "approval-1": { approve: true, args: { path: "/tmp/a" } } },
    });
    expect(finished.text).toBe("done");
    expect(tool.calls.map(({ input }) => input)).toEqual([{ path: "/tmp/a" }]);
    const wrong = await paused();
    const refused = await wrong.agent.resume(stored(wrong.run.state), {
      answers: { "approval-1": { approve: true, args: { path: 1 } } },
    });
    expect(resultsOf(refused).map(({ status }) => status)).toEqual(["invalid"]);
    expect(wrong.tool.calls).toHaveLength(0);
  });

  test("waits on when it is resumed without an answer", async () => {
    const { agent, run, tool } = await paused();
    const still = await agent.resume(stored(run.state));
    expect(still.status).toBe("paused");
    expect(still.requests).toEqual(run.requests);
    expect(tool.calls).toHaveLength(0);
  });

  test("may answer some calls first: what is undecided waits, and nothing of the batch runs twice (MW-04)", async () => {
    const open = fakeTool({ name: "open" });
    const gated = destroy();
    const { agent, run, model } = scriptedAgent({
      tools: [gated, open],
      approver: askWhenResumed,
      script: [calls(call("destroy", { path: "/no" }), "open", call("destroy", { path: "/yes" })), "done"],
    });
    const first = await run();
    expect(first.requests.map(({ callId }) => callId)).toEqual(["a", "c"]);
    expect(open.calls).toHaveLength(1);
    const half = await agent.resume(stored(first.state), { answers: { "approval-1": { approve: false } } });
    expect(half).toMatchObject({ status: "paused", requests: [{ id: "approval-2" }] });
    const finished = await agent.resume(stored(half.state), { answers: { "approval-2": { approve: true } } });
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["denied", "ok", "ok"]);
    expect(open.calls).toHaveLength(1);
    expect(gated.calls.map(({ input }) => input)).toEqual([{ path: "/yes" }]);
    expect(model.requests).toHaveLength(2);
    expect(finished.counters.toolCalls).toBeGreaterThanOrEqual(2);
  });

  test("is superseded by new input: the call is answered as not run, and the old answer is worth nothing", async () => {
    const { agent, run, tool } = await paused();
    const finished = await agent.resume(stored(run.state), { input: "Never mind." });
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["superseded"]);
    await expect(
      agent.resume(stored(finished.state), { answers: { "approval-1": { approve: true } } }),
    ).rejects.toMatchObject({ code: "resume_mismatch" });
    expect(tool.calls).toHaveLength(0);
  });

  test("is not asked twice about a call that was approved and then asks something itself", async () => {
    const tool = fakeTool({
      name: "wire",
      policy: { effect: "external", approval: "always" },
      execute: (_, { resumed }) => (resumed === undefined ? interrupt("which account?", { state: 1 }) : "sent"),
    });
    const events = eventRecorder();
    const { agent, run } = scriptedAgent({
      tools: [tool],
      events,
      approver: { decide: () => ({ approve: true, args: { amount: 5 } }) },
      script: [calls(call("wire", { amount: 500 })), "done"],
    });
    const first = await run();
    const finished = await agent.resume(stored(first.state), { answers: { "interrupt-1": "mine" } });
    expect(resultsOf(finished).map(toolText)).toEqual(["sent"]);
    expect(tool.calls.map(({ input }) => input)).toEqual([{ amount: 5 }, { amount: 5 }]);
    expect(events.ofType("approval.requested")).toHaveLength(1);
  });
});

describe("hooks and a call that was approved in a pause", () => {
  test.each([
    ["zod", z.object({ path: z.string() })],
    ["an async check", z.object({ path: z.string().refine(async () => true) })],
  ])("are not asked again, and what they had made of it is what runs: %s", async (_, input) => {
    let hooked = 0;
    const tool = fakeTool({ name: "destroy", input, policy: { effect: "destructive", approval: "always" } });
    const { agent, run } = await paused({
      tools: [tool],
      middleware: [
        {
          name: "sandbox",
          beforeTool: (invocation) => {
            hooked++;
            return { replace: { ...invocation, args: { path: `/sandbox${String(invocation.args.path)}` } } };
          },
        },
      ],
    });
    expect(run.requests[0]).toMatchObject({ argsJson: '{"path":"/sandbox/a"}' });
    await agent.resume(stored(run.state), { answers: { "approval-1": { approve: true } } });
    expect(tool.calls.map(({ input }) => input)).toEqual([{ path: "/sandbox/a" }]);
    expect(hooked).toBe(1);
  });
});
