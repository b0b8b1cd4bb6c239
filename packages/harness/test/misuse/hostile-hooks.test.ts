import { type Control, type HookResult, type Middleware, readAgentState, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";

const script = [{ toolCalls: [{ name: "look" }] }, "Done."];

async function runWith(middleware: Middleware) {
  const events = eventRecorder();
  const agent = createAgent({
    name: "a",
    model: scriptedModel(script),
    tools: [fakeTool({ name: "look" })],
    middleware: [middleware],
    events,
  });
  return { ...(await failureOf(agent.invoke("Hi"))), events };
}

const odd = <T>(result: unknown) => result as HookResult<T>;

describe("a hook that gives what cannot be used", () => {
  test.each<[Middleware, string]>([
    [{ name: "m", beforeModel: () => odd({ replace: 5 }) }, "replace: an object is expected, a number found"],
    [{ name: "m", beforeModel: async () => odd({ replace: {} }) }, "replace.messages: an array is expected"],
    [{ name: "m", beforeModel: (request) => odd(request) }, "it returned an object without any of them"],
    [
      { name: "m", beforeModel: () => odd({ replace: { messages: [userMessage("x"), null] } }) },
      "replace.messages[1]: an object is expected, null found",
    ],
    [{ name: "m", afterModel: () => odd({ replace: "Hello." }) }, "replace: an object is expected, a string found"],
    [
      { name: "m", afterModel: async (response) => odd({ replace: { ...response, message: { role: "assistant" } } }) },
      "replace.message.content: an array is expected, nothing found",
    ],
    [
      {
        name: "m",
        afterModel: (response) => odd({ replace: { ...response, message: { ...response.message, content: [null] } } }),
      },
      "replace.message.content[0]: an object is expected, null found",
    ],
    [{ name: "m", beforeTool: () => odd({ replace: { id: "c" } }) }, "replace.name: a string is expected"],
    [{ name: "m", afterTool: () => odd({ replace: { role: "tool" } }) }, "replace.toolCallId: a string is expected"],
    [{ name: "m", wrapTool: async () => "Fog." as never }, "its tool message: an object is expected, a string found"],
    [{ name: "m", beforeModel: () => odd({ state: () => 1 }) }, "state is a function"],
    [
      { name: "m", beforeModel: () => odd({ history: { from: 0, to: 0, messages: [{}] } }) },
      "history.messages[0].role",
    ],
    [{ name: "m", afterModel: () => odd({ control: { type: "explode" } }) }, "control.type: it is none of fail"],
    [{ name: "m", beforeAgent: () => odd({ control: { type: "interrupt" } }) }, "control.payload: a value is expected"],
    [{ name: "m", afterAgent: () => odd({ control: null }) }, "control: an object is expected, null found"],
  ])("is named with the place that is wrong, and the run can be read (%#)", async (middleware, said) => {
    const { error, run, events } = await runWith(middleware);
    const hook = Object.keys(middleware).find((key) => key !== "name");
    expect(error).toMatchObject({ code: "middleware_failed", details: { middleware: "m", hook } });
    expect(error.message).toContain(said);
    expect(events.ofType("middleware.failed")).toHaveLength(1);
    expect(readAgentState(JSON.stringify(run.state)).phase).toBe("failed");
  });

  test("and fails the run with a plain error is named, and its error is the cause", async () => {
    const cause = new Error("mine");
    const control = { type: "fail", error: cause } as unknown as Control;
    const { error } = await runWith({ name: "m", beforeModel: () => ({ control }) });
    expect(error).toMatchObject({ code: "middleware_failed", details: { middleware: "m", hook: "beforeModel" } });
    expect((error.cause as Error).cause).toBe(cause);
  });
});

describe("instructions of a function", () => {
  test.each<[unknown]>([[5], [[null]], [{ role: "system" }], [Promise.resolve("Be kind.")]])(
    "that are neither a text nor content fail the run before a model is asked (%#)",
    async (said) => {
      const model = scriptedModel([]);
      const { error } = await failureOf(createAgent({ name: "a", model, system: () => said as never }).invoke("Hi"));
      expect(error).toMatchObject({ code: "invalid_request", message: expect.stringContaining("instructions") });
      expect(model.calls).toEqual([]);
    },
  );
});

describe("a price that is none", () => {
  test.each<[unknown]>([
    [{ currency: "USD", inputPerMillion: "1e3", outputPerMillion: "1" }],
    [{ inputPerMillion: "1", outputPerMillion: "1" }],
    [Promise.resolve({ currency: "USD", inputPerMillion: "1", outputPerMillion: "1" })],
  ])("fails the run as the application's mistake, not as ours (%#)", async (price) => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const model = scriptedModel(["Hi."], { usage });
    const agent = createAgent({ name: "a", model, prices: { priceOf: () => price as never } });
    expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("The price of test/scripted cannot be used"),
      details: { reason: "price" },
    });
  });
});
