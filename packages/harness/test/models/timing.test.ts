import {
  type ChatModel,
  type Clock,
  type Middleware,
  type ModelDelta,
  type ModelTiming,
  retryStream,
  TinyAgentsError,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { type TestSurroundings, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";

const busy = new TinyAgentsError("provider_overloaded", "too busy", { details: { provider: "test" } });
const start: ModelDelta = { type: "start", responseId: "r" };
const end: ModelDelta = { type: "finish", finishReason: "stop" };
const said = (text: string): ModelDelta => ({ type: "text", index: 0, text });

/** What an attempt does: it waits so many ms, gives a fragment, or fails. */
type Step = number | ModelDelta | Error;

function slowModel(clock: Clock, attempts: readonly (readonly Step[])[], name = "slow"): ChatModel {
  let asked = 0;
  return {
    id: `test/${name}`,
    profile: { provider: "test", model: name, capabilities: {}, lifecycle: "active", source: "local" },
    async *stream(_request, { signal }) {
      for (const step of attempts[asked++] ?? []) {
        if (typeof step === "number") await clock.sleep(step, signal);
        else if (step instanceof Error) throw step;
        else yield step;
      }
    },
  };
}

/** Middleware that notes the timing of every answer. */
function timings(): Middleware & { readonly seen: (ModelTiming | undefined)[] } {
  const seen: (ModelTiming | undefined)[] = [];
  return { name: "timings", seen, afterModel: ({ timing }) => void seen.push(timing) };
}

/** Moves the clock on until the work is done. */
async function done<T>(work: Promise<T>, { clock }: TestSurroundings): Promise<T> {
  let over = false;
  const note = (): void => {
    over = true;
  };
  work.then(note, note);
  for (let i = 0; i < 100 && !over; i++) await clock.advance(1_000_000);
  return work;
}

const wait = (delayMs: number) => ({ retry: { initialDelayMs: delayMs, factor: 1, jitter: "none" } }) as const;

describe("the timing of a response (MDL-07)", () => {
  test("has the whole time, and that of the first fragment that says something", async () => {
    const around = testSurroundings();
    const noted = timings();
    const model = slowModel(around.clock, [[20, start, 100, said("Hel"), 400, said("lo"), 5, end]]);
    const run = await done(createAgent({ name: "a", model, middleware: [noted], ...around }).invoke("go"), around);
    expect(run.text).toBe("Hello");
    expect(noted.seen).toEqual([{ elapsedMs: 525, answerMs: 525, firstDeltaMs: 120, waitedMs: 0, readerMs: 0 }]);
    expect(around.events.ofType("model.completed")[0]?.data).toMatchObject({ elapsedMs: 525, firstDeltaMs: 120 });
    expect(around.events.ofType("model.completed")[0]?.data).not.toHaveProperty("waitedMs");
  });

  test("says nothing of a first fragment where there is no content", async () => {
    const around = testSurroundings();
    const noted = timings();
    const model = slowModel(around.clock, [[start, 30, end]]);
    await done(createAgent({ name: "a", model, middleware: [noted], ...around }).invoke("go"), around);
    expect(noted.seen).toEqual([{ elapsedMs: 30, answerMs: 30, waitedMs: 0, readerMs: 0 }]);
  });

  test("tells attempts that failed, the waits between them and the answer apart", async () => {
    const around = testSurroundings();
    const noted = timings();
    const model = slowModel(around.clock, [
      [300, said("half"), 50, busy],
      [25, busy],
      [40, said("all"), 60, end],
    ]);
    const agent = createAgent({ name: "a", model, middleware: [noted], policies: wait(1_000), ...around });
    expect((await done(agent.invoke("go"), around)).text).toBe("all");
    expect(noted.seen).toEqual([
      { elapsedMs: 350 + 1_000 + 25 + 1_000 + 100, answerMs: 100, firstDeltaMs: 40, waitedMs: 2_000, readerMs: 0 },
    ]);
    expect(around.events.ofType("model.completed")[0]?.data).toMatchObject({ waitedMs: 2_000 });
  });

  test("is that of the whole call where another model answers", async () => {
    const around = testSurroundings();
    const noted = timings();
    const agent = createAgent({
      name: "a",
      model: slowModel(around.clock, [
        [10, busy],
        [20, busy],
        [30, busy],
      ]),
      fallbacks: [slowModel(around.clock, [[7, said("spare"), 8, end]], "spare")],
      middleware: [noted],
      policies: wait(100),
      ...around,
    });
    expect((await done(agent.invoke("go"), around)).text).toBe("spare");
    expect(noted.seen).toEqual([{ elapsedMs: 275, answerMs: 15, firstDeltaMs: 7, waitedMs: 200, readerMs: 0 }]);
  });

  test("tells the time of a stream's reader from the model's", async () => {
    const around = testSurroundings();
    const noted = timings();
    const model = slowModel(around.clock, [[said("a"), said("b"), said("c"), end]]);
    const agent = createAgent({ name: "a", model, middleware: [noted], ...around });
    const stream = agent.stream("go", { modes: ["messages"] });
    expect((await stream.next()).value).toMatchObject({ type: "text", text: "a" });
    await around.clock.advance(60_000);
    while ((await stream.next()).done !== true);
    expect(noted.seen).toEqual([{ elapsedMs: 60_000, answerMs: 0, firstDeltaMs: 0, waitedMs: 0, readerMs: 60_000 }]);
  });

  test("knows the waits of middleware that repeats, whose limit of time is that of each attempt", async () => {
    const around = testSurroundings();
    const noted = timings();
    const owner: Middleware = {
      name: "own",
      owns: ["retry"],
      wrapModel: (request, { clock, random, signal }, next) =>
        retryStream({ initialDelayMs: 10_000, jitter: "none" }, { clock, random, signal }, () => next(request)),
    };
    const model = slowModel(around.clock, [
      [5, busy],
      [6, said("ok"), end],
    ]);
    const limits = { modelTimeoutMs: 50 };
    const agent = createAgent({ name: "a", model, middleware: [owner, noted], limits, ...around });
    expect((await done(agent.invoke("go"), around)).text).toBe("ok");
    expect(noted.seen).toEqual([{ elapsedMs: 10_011, answerMs: 6, firstDeltaMs: 6, waitedMs: 10_000, readerMs: 0 }]);
  });

  test("leaves out the waits of a model that repeats by itself, and is then that of its last attempt", async () => {
    const around = testSurroundings();
    const noted = timings();
    const restart: ModelDelta = { type: "restart", attempt: 2, reason: "network" };
    const steps = [50, said("half"), 900, restart, 30, said("all"), 10, end];
    const model = { ...slowModel(around.clock, [steps]), ownsRetry: true as const };
    await done(createAgent({ name: "a", model, middleware: [noted], ...around }).invoke("go"), around);
    expect(noted.seen).toEqual([{ elapsedMs: 990, answerMs: 40, firstDeltaMs: 30, readerMs: 0 }]);
  });

  test("has no answer of a model where middleware answered in its place", async () => {
    const around = testSurroundings();
    const noted = timings();
    const kept: Middleware = {
      name: "kept",
      async *wrapModel(_request, { clock, signal }) {
        await clock.sleep(12, signal);
        yield said("kept");
        yield end;
      },
    };
    const model = slowModel(around.clock, []);
    await done(createAgent({ name: "a", model, middleware: [kept, noted], ...around }).invoke("go"), around);
    expect(noted.seen).toEqual([{ elapsedMs: 12, waitedMs: 0, readerMs: 0 }]);
  });

  test("is below zero nowhere, whatever the clock does", async () => {
    const around = testSurroundings({ startMs: 1_000_000 });
    const noted = timings();
    let backMs = 0;
    const clock = { ...around.clock, now: () => around.clock.now() - backMs };
    const back: Middleware = {
      name: "back",
      async *wrapModel(request, _context, next) {
        backMs = 500_000;
        yield* next(request);
      },
      // Handed on as another object, so that its fields are looked at.
      afterModel: (response) => ({ replace: { ...response } }),
    };
    const model = slowModel(around.clock, [[said("a"), end]]);
    await createAgent({ name: "a", model, middleware: [noted, back], ...around, clock }).invoke("go");
    expect(noted.seen).toEqual([{ elapsedMs: 0, answerMs: 0, firstDeltaMs: 0, waitedMs: 0, readerMs: 0 }]);
  });

  test("is nobody's where a call is cancelled: its failure says how long it took", async () => {
    const around = testSurroundings();
    const noted = timings();
    const cancelled = new AbortController();
    const model = slowModel(around.clock, [[said("half"), 1_000_000, end]]);
    const agent = createAgent({ name: "a", model, middleware: [noted], ...around });
    const failing = failureOf(agent.invoke("go", { signal: cancelled.signal }));
    await around.clock.advance(70);
    cancelled.abort();
    expect((await failing).error.code).toBe("cancelled");
    expect(noted.seen).toEqual([]);
    expect(around.events.ofType("model.failed")[0]?.data.elapsedMs).toBe(70);
  });
});
