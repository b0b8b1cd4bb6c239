import {
  type ErrorCode,
  type ErrorDetails,
  type Middleware,
  type ModelRequest,
  retryStream,
  TinyAgentsError,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, type TestSurroundings, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";

const PROVIDER = { provider: "test" };

function failing<C extends ErrorCode>(code: C, details: ErrorDetails[C]): TinyAgentsError<C> {
  return new TinyAgentsError(code, `the test's ${code}`, { details });
}

/** Moves the clock on until a run has ended, however long its waits are. */
async function ended<T>(running: Promise<T>, { clock }: TestSurroundings): Promise<T> {
  let over = false;
  const done = (): void => {
    over = true;
  };
  running.then(done, done);
  for (let i = 0; i < 100 && !over; i++) await clock.advance(1_000_000);
  return running;
}

const PASSING: readonly TinyAgentsError[] = [
  failing("network", { reason: "reset" }),
  failing("timeout", { scope: "model_call", limitMs: 5 }),
  failing("provider_rate_limit", PROVIDER),
  failing("provider_overloaded", PROVIDER),
  failing("provider_server", { ...PROVIDER, status: 503 }),
];

const LASTING: readonly TinyAgentsError[] = [
  failing("provider_auth", PROVIDER),
  failing("provider_billing", PROVIDER),
  failing("provider_bad_request", PROVIDER),
  failing("provider_content_filter", PROVIDER),
  failing("context_window_exceeded", PROVIDER),
  failing("invalid_request", {}),
  failing("capability_missing", { model: "test/x", capabilities: [] }),
  failing("tool_schema_invalid", { tool: "x", reason: "bad" }),
  failing("tool_not_found", { tool: "x", available: [] }),
  failing("cancelled", {}),
  failing("limit_exceeded", { limit: "maxToolCalls", allowed: 1, counters: {} }),
  failing("recursion_limit", { depth: 9, allowed: 1 }),
];

describe("without a policy", () => {
  it.each(PASSING.map((error) => [error.code, error] as const))(
    "tries again after %s (ERR-08, ERR-12)",
    async (code, error) => {
      const around = testSurroundings();
      const model = scriptedModel([{ error }, "Fine."]);
      const run = await ended(createAgent({ name: "a", model, ...around }).invoke("go"), around);
      expect(run).toMatchObject({ text: "Fine.", counters: { retries: 1, modelCalls: 1 } });
      expect(model.calls).toHaveLength(2);
      expect(around.events.ofType("retry.scheduled")[0]?.data).toMatchObject({ attempt: 2, code, callId: "run-1/m1" });
      expect(around.events.ofType("model.completed")[0]?.data.attempts).toBe(2);
    },
  );

  it.each(LASTING.map((error) => [error.code, error] as const))(
    "asks once when it fails with %s (ERR-09, ERR-12)",
    async (code, error) => {
      const around = testSurroundings();
      const model = scriptedModel([{ error }, "never"]);
      const failed = await failureOf(ended(createAgent({ name: "a", model, ...around }).invoke("go"), around));
      expect(failed.error.code).toBe(code);
      expect(model.calls).toHaveLength(1);
      expect(around.events.ofType("retry.scheduled")).toEqual([]);
      expect(around.clock.timers).toBe(0);
    },
  );

  it("gives up after three attempts, with their number and the last failure (ERR-05)", async () => {
    const around = testSurroundings();
    const [reset, , busy] = PASSING;
    const model = scriptedModel([
      { error: reset as TinyAgentsError },
      { error: reset as TinyAgentsError },
      { error: busy as TinyAgentsError },
    ]);
    const { error } = await failureOf(ended(createAgent({ name: "a", model, ...around }).invoke("go"), around));
    expect(error).toMatchObject({
      code: "retry_exhausted",
      details: { attempts: 3, lastCode: "provider_rate_limit" },
      retryable: false,
    });
    let cause: unknown = error;
    while (cause !== busy && cause instanceof Error) cause = cause.cause;
    expect(cause).toBe(busy);
    expect(model.calls).toHaveLength(3);
  });

  it("takes what an adapter says of its failure over what the code says (ERR-08)", async () => {
    const around = testSurroundings();
    const error = new TinyAgentsError("provider_server", "for good", { details: PROVIDER, retryable: false });
    const model = scriptedModel([{ error }]);
    expect((await failureOf(ended(createAgent({ name: "a", model, ...around }).invoke("go"), around))).error.code).toBe(
      "provider_server",
    );
  });

  it("waits as long as the server asks (ERR-10)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([
      { error: failing("provider_rate_limit", { ...PROVIDER, retryAfterMs: 7_000 }) },
      "Fine.",
    ]);
    const running = createAgent({ name: "a", model, ...around }).invoke("go");
    await around.events.seen("retry.scheduled");
    await around.clock.advance(6_999);
    expect(model.calls).toHaveLength(1);
    await around.clock.advance(1);
    expect((await running).text).toBe("Fine.");
  });
});

describe("with a policy", () => {
  it("has as many attempts, waits and codes as it says (ERR-10)", async () => {
    const around = testSurroundings();
    const error = failing("provider_bad_request", PROVIDER);
    const model = scriptedModel([{ error }, { error }, { error }, { error }, "Fine."]);
    const retry = {
      maxAttempts: 5,
      initialDelayMs: 100,
      factor: 3,
      maxDelayMs: 500,
      jitter: "none",
      codes: ["provider_bad_request"],
    } as const;
    const run = await ended(createAgent({ name: "a", model, policies: { retry }, ...around }).invoke("go"), around);
    expect(run.text).toBe("Fine.");
    expect(around.events.ofType("retry.scheduled").map(({ data }) => data.delayMs)).toEqual([100, 300, 500, 500]);
  });

  it("never tries again when there is one attempt (ERR-10)", async () => {
    const model = scriptedModel([{ error: PASSING[0] as TinyAgentsError }]);
    const { error } = await failureOf(
      createAgent({ name: "a", model, policies: { retry: { maxAttempts: 1 } } }).invoke("go"),
    );
    expect(error.code).toBe("network");
  });

  it("leaves retrying to a middleware that owns it, so that attempts do not multiply (ERR-12)", async () => {
    const around = testSurroundings();
    const owner: Middleware = {
      name: "own",
      owns: ["retry"],
      wrapModel: (request, { clock, random, signal }, next) =>
        retryStream({ maxAttempts: 2, initialDelayMs: 1 }, { clock, random, signal }, () => next(request)),
    };
    const error = PASSING[0] as TinyAgentsError;
    const model = scriptedModel([{ error }, { error }, "never"]);
    const failed = await failureOf(
      ended(createAgent({ name: "a", model, middleware: [owner], ...around }).invoke("go"), around),
    );
    expect(failed.error).toMatchObject({ code: "retry_exhausted", details: { attempts: 2 } });
    expect(model.calls).toHaveLength(2);
  });

  it("lets a fallback take over after retries have given up, with the model that answered in the record (ERR-11)", async () => {
    const around = testSurroundings();
    const second = scriptedModel(["From the second."], { id: "test/second" });
    const fallback: Middleware = {
      name: "fallback",
      async *wrapModel(request: ModelRequest, _, next) {
        try {
          yield* next(request);
        } catch {
          yield { type: "restart", attempt: 99, reason: "fallback" };
          for await (const delta of second.stream(request, { signal: undefined, delivery: "whole" })) {
            yield delta.type === "finish" ? { ...delta, model: "second" } : delta;
          }
        }
      },
    };
    const error = PASSING[0] as TinyAgentsError;
    const model = scriptedModel([{ error }, { error }, { text: "half", error }]);
    const run = await ended(createAgent({ name: "a", model, middleware: [fallback], ...around }).invoke("go"), around);
    expect(model.calls).toHaveLength(3);
    expect(run.text).toBe("From the second.");
    expect(run.messages.at(-1)).toMatchObject({ model: { model: "second" } });
  });

  it("drops what a failed attempt had said, and tells watchers to (ERR-10)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ text: "half of", error: PASSING[0] as TinyAgentsError }, "all of it"]);
    const shown: string[] = [];
    const reading = (async () => {
      for await (const item of createAgent({ name: "a", model, ...around }).stream("go")) {
        if (item.type === "text") shown.push(item.text);
        if (item.type === "restart") shown.push(`restart ${item.attempt} ${item.reason}`);
        if (item.type === "final") shown.push(`final ${item.run.text}`);
      }
    })();
    await ended(reading, around);
    expect(shown).toEqual(["half of", "restart 2 network", "all of it", "final all of it"]);
  });
});

describe("failures that are nobody's provider (ERR-07)", () => {
  it("keep their own codes: tool, middleware, capability, cancellation", async () => {
    const events = eventRecorder();
    const tool = fakeTool({ name: "work", input: z.object({}), result: new Error("tool trouble") });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "I was told."]);
    const run = await createAgent({ name: "a", model, tools: [tool], events }).invoke("go");
    expect(run.text).toBe("I was told.");
    expect(events.ofType("tool.failed")[0]?.data.error).toMatchObject({
      code: "tool_failed",
      details: { tool: "work" },
    });

    const throwing: Middleware = {
      name: "broken",
      beforeModel: () => {
        throw new Error("hook trouble");
      },
    };
    const { error } = await failureOf(
      createAgent({ name: "a", model: scriptedModel([]), middleware: [throwing] }).invoke("go"),
    );
    expect(error).toMatchObject({
      code: "middleware_failed",
      details: { middleware: "broken", hook: "beforeModel" },
      retryable: false,
    });

    const settings = { requires: ["audio_input"] } as const;
    const deaf = scriptedModel(["never"], { profile: { capabilities: {} } });
    const lacking = await failureOf(createAgent({ name: "a", model: deaf, settings }).invoke("go"));
    expect(lacking.error).toMatchObject({
      code: "capability_missing",
      details: { model: deaf.id, capabilities: ["audio_input"] },
    });
  });

  it("are not tried again when a model throws what is no error of ours", async () => {
    const model = scriptedModel([]);
    const { error } = await failureOf(createAgent({ name: "a", model }).invoke("go"));
    expect(error.code).toBe("internal");
    expect(error.message).toContain("The script has 0 entries");
    expect(model.calls).toHaveLength(1);
  });
});
