import { type RunContext, type RunPolicy, TinyAgentsError } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { resultStatuses } from "../support/transcript.js";

const ask = (name: string) => ({ toolCalls: [{ name, args: { task: "Look." } }] });

/** A parent above a middle agent that says nothing of its own, above the child. */
function above(child: ReturnType<typeof createAgent>, policies: RunPolicy, options: Partial<AgentOptions> = {}) {
  const middle = createAgent({
    name: "middle",
    model: scriptedModel([ask(child.name), "done"]),
    tools: [child.asTool({ description: "Looks." })],
  });
  return createAgent({
    name: "parent",
    model: scriptedModel([ask("middle"), "done"]),
    tools: [middle.asTool({ description: "Asks." })],
    policies,
    ...options,
  });
}

describe("the policies of a run below another", () => {
  test("repeat no call more often than those above do, however far above (CTX-07)", async () => {
    const { clock } = testSurroundings();
    const attempts = async (parent: RunPolicy, own: RunPolicy): Promise<number> => {
      const error = new TinyAgentsError("network", "reset", { details: {} });
      const model = scriptedModel(Array.from({ length: 9 }, () => ({ error })));
      const child = createAgent({ name: "child", model, policies: own });
      const running = above(child, parent).invoke("Go.", { clock });
      let ended = false;
      void running.then(() => {
        ended = true;
      });
      while (!ended) {
        await clock.advance(60_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return model.calls.length;
    };
    expect(await attempts({ retry: { maxAttempts: 2 } }, { retry: { maxAttempts: 8 } })).toBe(2);
    expect(await attempts({ retry: { maxAttempts: 4 } }, {})).toBe(4);
    expect(await attempts({ retry: { maxAttempts: 4 } }, { retry: { maxAttempts: 1 } })).toBe(1);
    expect(await attempts({}, { retry: { maxAttempts: 8 } })).toBe(3);
  });

  test("refuse tools that say nothing of themselves where those above do (CTX-07)", async () => {
    const seen: RunContext[] = [];
    const model = scriptedModel([{ toolCalls: [{ name: "odd" }, { name: "look" }] }, "fog"]);
    const odd = fakeTool({ name: "odd", policy: {} });
    const look = fakeTool({
      name: "look",
      policy: { effect: "read" },
      execute: async (_input, { run }) => void seen.push(run),
    });
    const child = createAgent({ name: "child", model, tools: [odd, look], policies: { strictTools: false } });
    const strict = { strictTools: true } as const;
    const middle = createAgent({
      name: "middle",
      model: scriptedModel([ask("child"), "done"]),
      tools: [child.asTool({ description: "Looks.", policy: { effect: "read" } })],
      policies: strict,
    });
    await middle.invoke("Go.");
    expect(resultStatuses(model.requests[1]?.messages ?? [])).toEqual(["odd#call_1 denied", "look#call_2 ok"]);
    expect(seen[0]?.policies).toMatchObject(strict);
  });

  test("pause for a person where those above do, and go on through them (CTX-07, MWH-08)", async () => {
    const send = fakeTool({ name: "send", policy: { effect: "external" } });
    const family = (from: "start" | "pause") => {
      const first = { toolCalls: [{ name: "send" }] };
      const child = createAgent({
        name: "child",
        model: scriptedModel(from === "start" ? [first, "sent"] : ["sent"]),
        tools: [send],
      });
      return createAgent({
        name: "parent",
        model: scriptedModel(from === "start" ? [ask("child"), "done"] : ["done"]),
        tools: [child.asTool({ description: "Sends." })],
        policies: { approval: { effects: ["external"], withoutApprover: "ask" } },
      });
    };
    const paused = await family("start").invoke("Go.");
    expect(paused.requests).toMatchObject([{ type: "approval", tool: "send", viaCallId: "call_1" }]);
    expect(send.calls).toHaveLength(0);
    const answers = { [paused.requests[0]?.id ?? ""]: { approve: true } };
    const run = await family("pause").resume(JSON.parse(JSON.stringify(paused.state)), { answers });
    expect(run.status).toBe("completed");
    expect(send.calls).toHaveLength(1);
  });

  test("end the child, not its parent, over a mistake that those above do not forgive (CTX-07)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "nothing" }] }, "never"]);
    const child = createAgent({ name: "child", model, policies: { unknownTool: { type: "return_error" } } });
    const run = await above(child, { unknownTool: { type: "fail" } }).invoke("Go.");
    expect(run.status).toBe("completed");
    expect(model.calls).toHaveLength(1);
  });

  test("leave those of the same agent as they were where it runs by itself (CTX-04, CTX-07)", async () => {
    const seen: RunPolicy[] = [];
    const look = fakeTool({
      name: "look",
      policy: { effect: "read" },
      execute: async (_input, { run }) => void seen.push(run.policies),
    });
    const script = [{ toolCalls: [{ name: "look" }] }, "fog"];
    const own: RunPolicy = { retry: { maxAttempts: 5 } };
    const child = createAgent({
      name: "child",
      model: scriptedModel([...script, ...script]),
      tools: [look],
      policies: own,
    });
    await above(child, { retry: { maxAttempts: 2 }, strictTools: false }).invoke("Go.");
    await child.invoke("Go.");
    expect(seen.map(({ retry }) => retry?.maxAttempts)).toEqual([2, 5]);
    expect(own).toEqual({ retry: { maxAttempts: 5 } });
  });
});
