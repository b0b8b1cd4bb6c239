import type { ChatModel, Middleware, ModelDelta } from "@tinyagents/core";
import { manualClock } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Breath } from "../../src/run/breath.js";
import { failureOf } from "../support/failures.js";
import { quiet } from "../support/stubborn.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A model that says something for ever, and never waits for anything. */
function endlessModel(): ChatModel & { readonly closed: number } {
  let closed = 0;
  return {
    id: "test/endless",
    profile: scriptedModel([]).profile,
    get closed() {
      return closed;
    },
    async *stream(): AsyncGenerator<ModelDelta> {
      try {
        for (;;) yield { type: "text", index: 0, text: "x" };
      } finally {
        closed++;
      }
    },
  };
}

/** Keeps every fragment back until the answer is whole. */
const hoarding: Middleware = {
  name: "hoarding",
  async *wrapModel(request, _context, next) {
    const deltas: ModelDelta[] = [];
    for await (const delta of next(request)) deltas.push(delta);
    yield* deltas;
  },
};

describe("a model that says something for ever without a pause", () => {
  it.each([
    ["by itself", []],
    ["inside a wrap that keeps everything back", [hoarding]],
  ] satisfies [string, Middleware[]][])(
    "is cut off by the time that an attempt may take, %s (LIM-04)",
    async (_, middleware) => {
      const clock = manualClock();
      const model = endlessModel();
      const agent = createAgent({ name: "a", model, clock, middleware, limits: { modelTimeoutMs: 1_000 } });
      const failing = failureOf(agent.invoke("Hi"));
      await clock.advance(10_000);
      const { error, run } = await failing;
      expect(error).toMatchObject({ code: "timeout", details: { scope: "model_call", limitMs: 1_000 } });
      expect(run.status).toBe("failed");
    },
  );

  it("is cut off by the wall clock of its run, and closed (LIM-01)", async () => {
    const clock = manualClock();
    const model = endlessModel();
    const failing = failureOf(createAgent({ name: "a", model, clock, limits: { wallClockMs: 500 } }).invoke("Hi"));
    await clock.advance(500);
    expect((await failing).error).toMatchObject({ code: "limit_exceeded", details: { limit: "wallClockMs" } });
    await quiet();
    expect(model.closed).toBe(1);
  });

  it("is cut off by whoever cancels, and the tokens of what it said are estimated (CTX-06)", async () => {
    const controller = new AbortController();
    const running = createAgent({ name: "a", model: endlessModel() }).invoke("Hi", { signal: controller.signal });
    const failing = failureOf(running);
    await quiet();
    controller.abort();
    const { error, run } = await failing;
    expect(error.code).toBe("cancelled");
    expect(run.usage).toMatchObject({ estimatedCalls: 1 });
    expect(run.usage.outputTokens).toBeGreaterThan(0);
  });
});

describe("a turn of the event loop", () => {
  const given = (breath: Breath, count: number): number => {
    let turns = 0;
    for (let i = 0; i < count; i++) if (breath.due() !== undefined) turns++;
    return turns;
  };

  it("comes at the first look after ten milliseconds, and a look after each 64 fragments", async () => {
    const clock = manualClock();
    const breath = new Breath(clock, 0);
    await clock.advance(9);
    expect(given(breath, 64)).toBe(0);
    await clock.advance(1);
    expect(given(breath, 63)).toBe(0);
    expect(breath.due()).toBeInstanceOf(Promise);
    expect(given(breath, 64 * 255)).toBe(0);
  });

  it("comes after 16,384 fragments where the clock stands still", () => {
    const breath = new Breath(manualClock(), 0);
    expect(given(breath, 16_383)).toBe(0);
    expect(given(breath, 1)).toBe(1);
    expect(given(breath, 16_384)).toBe(1);
  });

  it("is waited for with a timer where there is nothing quicker", async () => {
    vi.stubGlobal("setImmediate", undefined);
    const breath = new Breath(manualClock(), 0);
    given(breath, 16_383);
    await expect(breath.due()).resolves.toBeUndefined();
  });
});
