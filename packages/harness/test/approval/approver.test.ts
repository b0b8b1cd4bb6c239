import { type ApprovalRequest, type Approver, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const destroy = () =>
  fakeTool({
    name: "destroy",
    input: z.object({ path: z.string() }),
    policy: { effect: "destructive", approval: "always" },
  });

const answering = (answer: unknown): Approver => ({ decide: () => answer as never });

describe("a call that needs approval", () => {
  test("is denied when nobody can give it, and the model is told (TOOL-08)", async () => {
    const tool = destroy();
    const { run, events } = scriptedAgent({ tools: [tool], script: [calls(call("destroy", { path: "/a" })), "done"] });
    const finished = await run();
    expect(tool.calls).toHaveLength(0);
    expect(resultsOf(finished)[0]).toMatchObject({ status: "denied", isError: true });
    expect(toolText(resultsOf(finished)[0] as never)).toContain("nobody can approve");
    expect(events.types().filter((type) => type.startsWith("approval"))).toEqual([
      "approval.requested",
      "approval.denied",
    ]);
    expect(events.types()).not.toContain("tool.started");
    expect(finished.text).toBe("done");
  });

  test("runs when the approver agrees, who sees what would run (TOOL-08)", async () => {
    const tool = destroy();
    const asked: ApprovalRequest[] = [];
    const approver: Approver = {
      decide(request, signal) {
        asked.push(request);
        expect(signal.aborted).toBe(false);
        return { approve: true, by: "ada" };
      },
    };
    const { run, events } = scriptedAgent({
      tools: [tool],
      approver,
      script: [calls(call("destroy", { path: "/a" })), "done"],
    });
    await run();
    expect(tool.calls.map(({ input }) => input)).toEqual([{ path: "/a" }]);
    expect(asked).toEqual([
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
    expect(events.ofType("approval.granted").map(({ data }) => data)).toEqual([
      { requestId: "approval-1", callId: "a", tool: "destroy", by: "ada" },
    ]);
  });

  test("waits for an answer of any kind of promise", async () => {
    const tool = destroy();
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what is tested
    const later = { then: (done: (answer: unknown) => unknown) => done({ approve: true }) };
    const script = [calls(call("destroy", { path: "/a" })), "done"];
    await scriptedAgent({ tools: [tool], approver: answering(later), script }).run();
    expect(tool.calls).toHaveLength(1);
  });

  test("does not run when the approver refuses, and the model gets the reason (TOOL-08)", async () => {
    const tool = destroy();
    const approver: Approver = { decide: async () => ({ approve: false, reason: "it is in use", by: "ada" }) };
    const { run, events } = scriptedAgent({
      tools: [tool],
      approver,
      script: [calls(call("destroy", { path: "/a" })), "done"],
    });
    expect(toolText(resultsOf(await run())[0] as never)).toBe(
      "The call was not approved: it is in use. It was not run.",
    );
    expect(tool.calls).toHaveLength(0);
    expect(events.ofType("approval.denied").map(({ data }) => [data.by, data.reason])).toEqual([
      ["ada", "it is in use"],
    ]);
    expect(events.ofType("tool.failed").map(({ data }) => data.status)).toEqual(["denied"]);
  });

  test("runs with the arguments that the approver put in place of the model's; the history keeps the model's", async () => {
    const tool = destroy();
    const { run } = scriptedAgent({
      tools: [tool],
      approver: answering({ approve: true, args: { path: "/tmp/a" } }),
      script: [calls(call("destroy", { path: "/a" })), "done"],
    });
    const finished = await run();
    expect(tool.calls.map(({ input }) => input)).toEqual([{ path: "/tmp/a" }]);
    expect(finished.messages[1]?.content).toMatchObject([{ args: { path: "/a" } }]);
  });

  test("does not run when the approver's arguments do not fit", async () => {
    const tool = destroy();
    const { run } = scriptedAgent({
      tools: [tool],
      approver: answering({ approve: true, args: { path: 3 } }),
      script: [calls(call("destroy", { path: "/a" })), "done"],
    });
    expect(resultsOf(await run())[0]?.status).toBe("invalid");
    expect(tool.calls).toHaveLength(0);
  });

  test("is not asked about when its arguments do not fit", async () => {
    const { run, events } = scriptedAgent({
      tools: [destroy()],
      approver: answering({ approve: true }),
      script: [calls(call("destroy", { path: 3 })), "done"],
    });
    await run();
    expect(events.types()).not.toContain("approval.requested");
  });

  test("needs it by its arguments where the policy depends on them (TOOL-14)", async () => {
    const tool = fakeTool({
      name: "send",
      policy: ({ to }) => ({ effect: "external", approval: to === "me" ? "never" : "always" }),
    });
    const { run } = scriptedAgent({
      tools: [tool],
      script: [calls(call("send", { to: "me" }), call("send", { to: "all" })), "done"],
    });
    expect(resultsOf(await run()).map(({ status }) => status)).toEqual(["ok", "denied"]);
  });

  test.each([
    [undefined],
    [null],
    [true],
    ["yes"],
    [{}],
    [{ approve: "yes" }],
    [{ approve: 1 }],
    [{ approve: true, args: "all" }],
    [{ approve: true, args: [1] }],
  ])("does not run on what is no answer: %j ends the run (SE-07)", async (answer) => {
    const tool = destroy();
    const { run } = scriptedAgent({
      tools: [tool],
      approver: answering(answer),
      script: [calls(call("destroy", { path: "/a" }))],
    });
    const { error, run: partial } = await failureOf(run());
    expect(error.code).toBe("invalid_request");
    expect(error.message).toContain("destroy");
    expect(tool.calls).toHaveLength(0);
    expect(resultsOf(partial).map(({ status }) => status)).toEqual(["not_run"]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("the queue is away");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the queue is away"))],
  ])("does not run when the approver %s: the run ends", async (_, decide) => {
    const tool = destroy();
    const { run } = scriptedAgent({
      tools: [tool],
      approver: { decide },
      script: [calls(call("destroy", { path: "/a" }))],
    });
    const { error } = await failureOf(run());
    expect(error.message).toContain("the queue is away");
    expect(tool.calls).toHaveLength(0);
  });

  test("is given up when the run is cancelled while somebody decides", async () => {
    const tool = destroy();
    const controller = new AbortController();
    let asked: () => void = () => {};
    const asking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const approver: Approver = {
      decide: () => {
        asked();
        return new Promise(() => {});
      },
    };
    const { run, clock } = scriptedAgent({ tools: [tool], approver, script: [calls(call("destroy", { path: "/a" }))] });
    const failing = failureOf(run("Go.", { signal: controller.signal }));
    await asking;
    controller.abort();
    await clock.advance(5_000);
    expect((await failing).error.code).toBe("cancelled");
    expect(tool.calls).toHaveLength(0);
  });

  test("is approved for itself alone: the next one is asked about again", async () => {
    const tool = destroy();
    const answers = [{ approve: true }, { approve: false }] as const;
    let asked = 0;
    const { run } = scriptedAgent({
      tools: [tool],
      approver: { decide: () => answers[asked++] ?? { approve: false } },
      script: [calls(call("destroy", { path: "/a" }), call("destroy", { path: "/a" })), "done"],
    });
    expect(resultsOf(await run()).map(({ status }) => status)).toEqual(["ok", "denied"]);
    expect(asked).toBe(2);
  });
});

describe("a batch with one call refused, one approved and one that needs nothing", () => {
  test.each([[0], [1], [2]])(
    "runs the last two once, in whatever order they stand, and then asks the model (MW-04: %i)",
    async (turns) => {
      const gated = destroy();
      const open = fakeTool({ name: "open" });
      const wanted = [call("destroy", { path: "/no" }), call("destroy", { path: "/yes" }), call("open")];
      const rotated = [...wanted.slice(turns), ...wanted.slice(0, turns)];
      const approver: Approver = { decide: ({ args }) => ({ approve: args.path === "/yes" }) };
      const { run, model } = scriptedAgent({ tools: [gated, open], approver, script: [calls(...rotated), "done"] });
      const finished = await run();
      const expected = rotated.map(({ args }) => (args?.path === "/no" ? "denied" : "ok"));
      expect(resultsOf(finished).map(({ status }) => status)).toEqual(expected);
      expect(gated.calls.map(({ input }) => input)).toEqual([{ path: "/yes" }]);
      expect(open.calls).toHaveLength(1);
      expect(model.requests).toHaveLength(2);
    },
  );
});
