import { type Middleware, type ModelDelta, type ModelRequest, readAgentState, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { rawModel, streamlessModel } from "../support/raw-model.js";

const said = { type: "text", index: 0, text: "Hi." };
const end = { type: "finish", finishReason: "stop" };

/** Passes everything on, as most wraps do. */
const passing: Middleware = { name: "passing", wrapModel: (request, _context, next) => next(request) };

const ODD: readonly (readonly [unknown, string])[] = [
  [null, "it is null, and no fragment"],
  [undefined, "it is nothing, and no fragment"],
  ["text", "it is a string, and no fragment"],
  [{ type: "smell" }, "its type is none that there is"],
  [{ type: "text", index: 0, text: 5 }, "text: a string is expected, a number found"],
  [{ type: "text", index: "0", text: "x" }, "index: a number is expected, a string found"],
  [{ type: "block", index: 0 }, "block: an object is expected, nothing found"],
  [
    { type: "block", index: 0, block: { type: "tool_call", id: "c", name: "n", args: { f: () => 1 } } },
    "args.f is a function",
  ],
  [{ type: "tool_call_start", index: 0, id: "c" }, "name: a string is expected, nothing found"],
  [{ type: "provider", providerMetadata: 5 }, "providerMetadata: an object is expected, a number found"],
  [{ type: "restart", attempt: 2 }, "reason: a string is expected, nothing found"],
  [{ type: "finish", finishReason: "tired" }, "finishReason: it is none of"],
  [{ type: "finish", finishReason: "stop", warnings: [null] }, "warnings[0]: an object is expected, null found"],
];

describe("a model that gives what is no fragment", () => {
  test.each(ODD)("ends its run with the place of it, however the call is made (%#)", async (delta, reason) => {
    for (const options of [
      {},
      { policies: { retry: { maxAttempts: 1 } } },
      { middleware: [passing] },
      { fallbacks: [scriptedModel(["never"])] },
    ]) {
      const agent = createAgent({ name: "a", model: rawModel([[said, delta, end]]), ...options });
      const { error, run } = await failureOf(agent.invoke("Hi"));
      expect(error).toMatchObject({
        code: "corrupt_data",
        details: { place: "the stream of test/raw, delta 2", reason: expect.stringContaining(reason) },
      });
      expect(run.status).toBe("failed");
      expect(readAgentState(JSON.stringify(run.state)).error?.code).toBe("corrupt_data");
    }
  });

  test("shows its reader nothing of it", async () => {
    const agent = createAgent({ name: "a", model: rawModel([[said, { type: "text", index: 0, text: 5 }, end]]) });
    const shown: unknown[] = [];
    const reading = (async () => {
      for await (const item of agent.stream("Hi")) shown.push(item);
    })();
    await expect(reading).rejects.toMatchObject({ code: "corrupt_data" });
    expect(shown).toMatchObject([{ type: "text", text: "Hi." }]);
  });

  test.each<[unknown]>([[undefined], [null], ["text"], [[said, end]], [Promise.resolve()]])(
    "or no stream at all, is named (%#)",
    async (stream) => {
      for (const middleware of [[], [passing]]) {
        const agent = createAgent({ name: "a", model: streamlessModel(stream), middleware });
        expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
          code: "corrupt_data",
          details: {
            place: "the stream of test/raw",
            reason: expect.stringContaining("an async iterable is expected"),
          },
        });
      }
    },
  );
});

describe("a wrap that gives what is no fragment", () => {
  const giving = (deltas: readonly unknown[]): Middleware => ({
    name: "careless",
    async *wrapModel(request: ModelRequest, _context, next) {
      yield* next(request);
      for (const delta of deltas) yield delta as ModelDelta;
    },
  });

  test.each(ODD)("is named, and not the model or another wrap (%#)", async (delta, reason) => {
    const middleware = [passing, giving([delta]), { ...passing, name: "inner" }];
    const agent = createAgent({ name: "a", model: rawModel([[said, end]]), middleware });
    expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
      code: "middleware_failed",
      message: expect.stringContaining(reason),
      details: { middleware: "careless", hook: "wrapModel" },
    });
  });

  test("is not blamed for what its model gave", async () => {
    const agent = createAgent({ name: "a", model: rawModel([[null]]), middleware: [giving([end])] });
    expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
      code: "corrupt_data",
      details: { place: "the stream of test/raw, delta 1" },
    });
  });

  test("or no stream at all, is named", async () => {
    for (const stream of [5, [said, end], Promise.resolve(said)]) {
      const wrap = { name: "streamless", wrapModel: () => stream as never };
      const agent = createAgent({ name: "a", model: rawModel([[said, end]]), middleware: [wrap] });
      expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
        code: "middleware_failed",
        message: expect.stringContaining("an async iterable is expected"),
        details: { middleware: "streamless", hook: "wrapModel" },
      });
    }
  });

  test("in a delta hook is named too", async () => {
    for (const edited of [null, 5, [said, null], { type: "text", index: 0 }]) {
      const hook = { name: "editor", onModelDelta: () => edited as never };
      const agent = createAgent({ name: "a", model: rawModel([[said, end]]), middleware: [hook] });
      expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
        code: "middleware_failed",
        details: { middleware: "editor", hook: "onModelDelta" },
      });
    }
  });
});

describe("usage that cannot be right", () => {
  const usage = (inputTokens: unknown, outputTokens: unknown) => ({
    type: "usage",
    usage: { inputTokens, outputTokens, source: "reported" },
  });
  const call = { type: "block", index: 0, block: { type: "tool_call", id: "c", name: "look", args: {} } };

  test.each<[unknown]>([[Number.NaN], [-5], [1.5], [Number.POSITIVE_INFINITY], ["12"], [null], [2 ** 60]])(
    "as %j spoils no sum, and the state can be read (USG-01, OB-05)",
    async (count) => {
      const agent = createAgent({ name: "a", model: rawModel([[said, usage(10, count), end]]) });
      const run = await agent.invoke("Hi");
      expect(run.usage).toMatchObject({ inputTokens: 10, outputTokens: 0, totalTokens: 10, unknownCalls: 1 });
      expect(readAgentState(JSON.stringify(run.state)).usage).toEqual(run.usage);
      expect(readAgentState(JSON.stringify(run.state)).messages).toEqual(run.messages);
    },
  );

  test("does not switch the limit of tokens off (LIM-01)", async () => {
    const model = rawModel([
      [call, usage(Number.NaN, Number.NaN), end],
      [{ ...call, block: { ...call.block, id: "d" } }, usage(60, 50), end],
      [said, end],
    ]);
    const tools = [fakeTool({ name: "look" })];
    const agent = createAgent({ name: "a", model, tools, limits: { maxTotalTokens: 100 } });
    expect((await failureOf(agent.invoke("Hi"))).error).toMatchObject({
      code: "limit_exceeded",
      details: { limit: "maxTotalTokens" },
    });
  });

  test("is told to hooks with the response", async () => {
    const warnings: unknown[] = [];
    const listening: Middleware = { name: "ears", afterModel: (response) => void warnings.push(...response.warnings) };
    const model = rawModel([[said, usage(-1, 2), end]]);
    await createAgent({ name: "a", model, middleware: [listening] }).invoke("Hi");
    expect(warnings).toEqual([{ code: "malformed_data", message: expect.stringContaining("inputTokens") }]);
  });

  test("is estimated like usage that was never told when the call fails", async () => {
    const broken = new TinyAgentsError("provider_auth", "no", { details: { provider: "test" } });
    const model = rawModel([[said, usage(Number.NaN, "x"), broken]]);
    const { run } = await failureOf(createAgent({ name: "a", model }).invoke("Hi"));
    expect(run.usage).toMatchObject({ outputTokens: 1, estimatedCalls: 1 });
    expect(run.usage.inputTokens).toBeGreaterThan(0);
  });

  test("of a counter of the application's own is not counted either", async () => {
    const broken = new TinyAgentsError("provider_auth", "no", { details: { provider: "test" } });
    const model = rawModel([[said, broken]]);
    const agent = createAgent({ name: "a", model, countTokens: () => Number.NaN });
    const { run } = await failureOf(agent.invoke("Hi"));
    expect(run.usage).toMatchObject({ inputTokens: 0, outputTokens: 1, unknownCalls: 1 });
    expect(() => readAgentState(JSON.stringify(run.state))).not.toThrow();
  });
});

test("a stream of a model that breaks the contract is closed", async () => {
  for (const middleware of [[], [passing]]) {
    let closed = 0;
    const model = rawModel([]);
    const leaky = {
      ...model,
      async *stream() {
        try {
          yield said as never;
          yield null as never;
          yield end as never;
        } finally {
          closed++;
        }
      },
    };
    await failureOf(toArray(createAgent({ name: "a", model: leaky, middleware }).stream("Hi")));
    expect(closed).toBe(1);
  }
});
