import { isTinyAgentsError, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const wrongKey = new TinyAgentsError("provider_auth", "wrong key", { details: { provider: "test" } });

async function failureOf(work: Promise<unknown>): Promise<TinyAgentsError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!isTinyAgentsError(error)) throw new Error("it did not fail");
  return error;
}

describe("a failure says which run and which call it belongs to (ERR-01)", () => {
  test("where a model call failed, as its event does", async () => {
    const events = eventRecorder();
    const model = scriptedModel([{ toolCalls: [{ name: "nothing" }] }, { error: wrongKey }]);
    const agent = createAgent({ name: "a", model, events });
    const error = await failureOf(agent.invoke("Hi", { runId: "r" }));
    expect(error).toMatchObject({ code: "provider_auth", runId: "r", callId: "r/m2" });
    expect(events.ofType("model.failed")[0]?.data).toMatchObject({ callId: "r/m2", error: { callId: "r/m2" } });
    expect(events.ofType("run.failed")[0]?.data.error).toMatchObject({ runId: "r", callId: "r/m2" });
  });

  test.each([
    ["tool_not_found", "absent", { unknownTool: { type: "fail" } }],
    ["tool_arguments_invalid", "look", { invalidArguments: { type: "fail" } }],
  ] as const)("where a tool call failed the run: %s", async (code, name, policies) => {
    const look = fakeTool({ name: "look", input: z.object({ at: z.number() }) });
    const model = scriptedModel([{ toolCalls: [{ id: "call_1", name }] }]);
    const agent = createAgent({ name: "a", model, tools: [look], policies });
    expect(await failureOf(agent.invoke("Hi", { runId: "r" }))).toMatchObject({ code, runId: "r", callId: "call_1" });
  });

  test("and names no call where the run was cancelled", async () => {
    const controller = new AbortController();
    const model = scriptedModel([
      () => {
        controller.abort();
        return { text: "Hi." };
      },
    ]);
    const run = createAgent({ name: "a", model }).invoke("Hi", { runId: "r", signal: controller.signal });
    const error = await failureOf(run);
    expect(error).toMatchObject({ code: "cancelled", runId: "r" });
    expect(error).not.toHaveProperty("callId");
  });

  test("and says so still when it was recorded and read again", async () => {
    const model = scriptedModel([{ error: wrongKey }]);
    const agent = createAgent({ name: "a", model });
    let state = agent.initialState("Hi", { runId: "r" });
    while (state.phase !== "failed") state = await agent.step(JSON.parse(JSON.stringify(state)));
    expect(state.error).toMatchObject({ runId: "r", callId: "r/m1" });
  });
});
