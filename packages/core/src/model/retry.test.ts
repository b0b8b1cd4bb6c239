import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { model, thrownBy, toArray } from "../../test/support.js";
import { type ManualClock, manualClock } from "../clock.js";
import { type ErrorCode, isTinyAgentsError, retryableByDefault, TinyAgentsError } from "../errors.js";
import { collect } from "./collect.js";
import type { ModelDelta } from "./delta.js";
import { backoff, decideRetry, type RetryContext, type RetryPolicy, retryCall, retryStream } from "./retry.js";

const half = () => 0.5;
const failure = (code: ErrorCode, retryAfterMs?: number): TinyAgentsError =>
  new TinyAgentsError(code, `failed with ${code}`, {
    details: { provider: "mock", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  });
const finish: ModelDelta = { type: "finish", finishReason: "stop" };
const said: ModelDelta = { type: "text", index: 0, text: "x" };

function contextOf(clock: ManualClock, more: Partial<RetryContext> = {}): RetryContext {
  return { clock, random: half, signal: undefined, ...more };
}

/** A model that fails in these ways, one after the other, and then answers; `at` notes when it was asked. */
function failing(clock: ManualClock, failures: readonly unknown[]) {
  const at: number[] = [];
  return {
    at,
    async *ask(): AsyncGenerator<ModelDelta> {
      at.push(clock.now());
      yield said;
      const error = failures[at.length - 1];
      if (error !== undefined) throw error;
      yield finish;
    },
  };
}

const CONTROL: readonly ErrorCode[] = [
  "cancelled",
  "limit_exceeded",
  "recursion_limit",
  "retry_exhausted",
  "no_progress",
  "tool_denied",
];

describe("deciding on a retry", () => {
  test.each<[ErrorCode]>([
    ["network"],
    ["timeout"],
    ["provider_rate_limit"],
    ["provider_overloaded"],
    ["provider_server"],
  ])("repeats %s without a policy of one's own (ERR-08)", (code) => {
    expect(decideRetry({}, 1, failure(code), half)).toMatchObject({ retry: true });
  });

  test.each<[ErrorCode]>([
    ["provider_auth"],
    ["provider_billing"],
    ["provider_bad_request"],
    ["tool_schema_invalid"],
    ["tool_arguments_invalid"],
    ["tool_not_found"],
    ["invalid_request"],
    ["structured_output_invalid"],
    ["conflict"],
  ])("does not repeat %s unless the policy names it (ERR-09)", (code) => {
    expect(decideRetry({}, 1, failure(code), half)).toEqual({ retry: false, why: "not_retryable" });
    expect(decideRetry({ codes: [code] }, 1, failure(code), half)).toMatchObject({ retry: true });
  });

  test("goes by the policy's codes in place of what the error says (ERR-10)", () => {
    expect(decideRetry({ codes: ["conflict"] }, 1, failure("network"), half)).toMatchObject({ retry: false });
    const final = new TinyAgentsError("network", "x", { details: {}, retryable: false });
    expect(decideRetry({}, 1, final, half)).toMatchObject({ retry: false });
    expect(decideRetry({ codes: ["network"] }, 1, final, half)).toMatchObject({ retry: true });
  });

  test.each(CONTROL.map((code) => [code]))("never repeats %s, whatever the policy says (MW-06)", (code) => {
    const error = new TinyAgentsError(code, "x", { details: { reason: "x" }, retryable: true });
    expect(decideRetry({ codes: [code] }, 1, error, half)).toEqual({ retry: false, why: "not_retryable" });
    expect(decideRetry({}, 1, error, half)).toEqual({ retry: false, why: "not_retryable" });
    expect(retryableByDefault(code)).toBe(false);
  });

  test("never repeats what is no error of ours", () => {
    expect(decideRetry({ codes: ["network"] }, 1, new Error("network"), half)).toMatchObject({ retry: false });
    expect(decideRetry({}, 1, { code: "network", retryable: true }, half)).toMatchObject({ retry: false });
  });

  test("allows three attempts by default, and as many as the policy says", () => {
    const error = failure("network");
    expect(decideRetry({}, 2, error, half).retry).toBe(true);
    expect(decideRetry({}, 3, error, half)).toEqual({ retry: false, why: "attempts_used" });
    expect(decideRetry({ maxAttempts: 1 }, 1, error, half).retry).toBe(false);
    expect(decideRetry({ maxAttempts: 5 }, 4, error, half).retry).toBe(true);
  });
});

describe("how long to wait", () => {
  test("doubles from half a second up to thirty seconds by default (ERR-10)", () => {
    const waits = [1, 2, 3, 6, 7, 50, 2_000].map((attempt) => backoff({ jitter: "none" }, attempt, half));
    expect(waits).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("follows the policy", () => {
    const policy: RetryPolicy = { initialDelayMs: 10, factor: 3, maxDelayMs: 80, jitter: "none" };
    expect([1, 2, 3, 4].map((attempt) => backoff(policy, attempt, half))).toEqual([10, 30, 80, 80]);
    expect(backoff({ initialDelayMs: 0 }, 2_000, half)).toBe(0);
  });

  test("is a random part of the wait, never more than the whole", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, chance) => {
          const whole = backoff({ jitter: "none" }, n, half);
          const delayMs = backoff({}, n, () => chance);
          expect(delayMs).toBe(Math.round(whole * chance));
          expect(delayMs).toBeLessThanOrEqual(whole);
          expect(delayMs).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  test.each([[0], [1], [7_500], [120_000]])("is what the server asked for: %d ms (PA-17)", (hintMs) => {
    expect(decideRetry({}, 1, failure("provider_rate_limit", hintMs), half)).toEqual({ retry: true, delayMs: hintMs });
  });

  test.each([[-1], [120_001], [10 ** 12], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    "is our own when a server's cannot be believed: %d ms (PA-17)",
    (hintMs) => {
      expect(decideRetry({}, 1, failure("provider_rate_limit", hintMs), half)).toEqual({ retry: true, delayMs: 250 });
    },
  );

  test("believes a server as far as the policy does", () => {
    const error = failure("provider_overloaded", 5_000);
    expect(decideRetry({ maxRetryAfterMs: 4_999 }, 1, error, half)).toEqual({ retry: true, delayMs: 250 });
    expect(decideRetry({ maxDelayMs: 1 }, 1, error, half)).toEqual({ retry: true, delayMs: 5_000 });
  });
});

describe("repeating a model call", () => {
  test("tells readers to drop what they saw, and waits before each attempt (MW-07)", async () => {
    const clock = manualClock();
    const flaky = failing(clock, [failure("network"), failure("provider_rate_limit", 3_000)]);
    const done = toArray(retryStream({ jitter: "none" }, contextOf(clock), flaky.ask));
    await clock.advance(10_000);
    expect(await done).toEqual([
      said,
      { type: "restart", attempt: 2, reason: "network" },
      said,
      { type: "restart", attempt: 3, reason: "provider_rate_limit" },
      said,
      finish,
    ]);
    expect(flaky.at).toEqual([0, 500, 3_500]);
    expect(clock.timers).toBe(0);
  });

  test("adds up to the answer of the last attempt alone (MW-07)", async () => {
    const clock = manualClock();
    const flaky = failing(clock, [failure("network")]);
    const done = collect(retryStream({}, contextOf(clock), flaky.ask), model);
    await clock.advance(1_000);
    expect(await done).toMatchObject({ attempts: 2, message: { content: [{ type: "text", text: "x" }] } });
  });

  test("says restart after the wait, not before it", async () => {
    const clock = manualClock();
    const seen: string[] = [];
    const work = (async () => {
      const flaky = failing(clock, [failure("network")]);
      for await (const delta of retryStream({}, contextOf(clock), flaky.ask)) seen.push(`${delta.type} ${clock.now()}`);
    })();
    await clock.advance(1_000);
    await work;
    expect(seen).toEqual(["text 0", "restart 250", "text 250", "finish 250"]);
  });

  test("asks once and passes the failure on when a repeat would not help (ERR-09)", async () => {
    const clock = manualClock();
    const error = failure("provider_auth");
    const flaky = failing(clock, [error]);
    expect(await thrownBy(() => toArray(retryStream({}, contextOf(clock), flaky.ask)))).toBe(error);
    expect(flaky.at).toEqual([0]);
  });

  test("passes a failure on that comes later and does not pass by itself", async () => {
    const clock = manualClock();
    const error = failure("provider_auth");
    const flaky = failing(clock, [failure("network"), error]);
    const done = thrownBy(() => toArray(retryStream({}, contextOf(clock), flaky.ask)));
    await clock.advance(10_000);
    expect(await done).toBe(error);
  });

  test.each(CONTROL.map((code) => [code]))("passes %s on untouched, in any nesting (MW-06)", async (code) => {
    const clock = manualClock();
    const error = new TinyAgentsError(code, "x", { details: { reason: "x" } });
    const flaky = failing(clock, [failure("network"), error]);
    const inner = () => retryStream({}, contextOf(clock), flaky.ask);
    const done = thrownBy(() => toArray(retryStream({ codes: [code] }, contextOf(clock), inner)));
    await clock.advance(10_000);
    expect(await done).toBe(error);
    expect(flaky.at).toHaveLength(2);
  });

  test("gives up with the number of attempts and the last failure (ERR-05)", async () => {
    const clock = manualClock();
    const last = failure("provider_server");
    const flaky = failing(clock, [failure("network"), failure("network"), last]);
    const done = thrownBy(() => toArray(retryStream({}, contextOf(clock), flaky.ask)));
    await clock.advance(10_000);
    const error = await done;
    expect(error).toMatchObject({
      code: "retry_exhausted",
      retryable: false,
      details: { attempts: 3, lastCode: "provider_server" },
      cause: last,
    });
    expect(String(error)).toContain("failed with provider_server");
  });

  test("passes the only failure of a policy of one attempt on as it is", async () => {
    const clock = manualClock();
    const error = failure("network");
    const flaky = failing(clock, [error]);
    expect(await thrownBy(() => toArray(retryStream({ maxAttempts: 1 }, contextOf(clock), flaky.ask)))).toBe(error);
  });

  test("ends at once when it is cancelled in a wait, and leaves no timer (PA-17)", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const flaky = failing(clock, [failure("provider_rate_limit", 60_000)]);
    const done = thrownBy(() => toArray(retryStream({}, contextOf(clock, { signal: controller.signal }), flaky.ask)));
    await clock.advance(10);
    expect(clock.timers).toBe(1);
    controller.abort("enough");
    expect(isTinyAgentsError(await done, "cancelled")).toBe(true);
    expect([clock.timers, flaky.at.length, clock.now()]).toEqual([0, 1, 10]);
  });

  test("closes the attempt that is under way when its reader leaves", async () => {
    let closed = false;
    async function* endless(): AsyncGenerator<ModelDelta> {
      try {
        for (;;) yield said;
      } finally {
        closed = true;
      }
    }
    for await (const _ of retryStream({}, contextOf(manualClock()), endless)) break;
    expect(closed).toBe(true);
  });

  test("is over once it has failed or its reader has left", async () => {
    const clock = manualClock();
    const failed = retryStream({}, contextOf(clock), failing(clock, [failure("provider_auth")]).ask);
    await thrownBy(() => toArray(failed));
    expect(await toArray(failed)).toEqual([]);
    const unread = failing(clock, []);
    const left = retryStream({}, contextOf(clock), unread.ask);
    await left.return?.();
    expect([await toArray(left), unread.at]).toEqual([[], []]);
  });

  test("fails when the model cannot even begin, and repeats that too", async () => {
    const clock = manualClock();
    let asked = 0;
    const done = toArray(
      retryStream({}, contextOf(clock), () => {
        if (++asked === 1) throw failure("network");
        return failing(clock, []).ask();
      }),
    );
    await clock.advance(1_000);
    expect((await done).map(({ type }) => type)).toEqual(["restart", "text", "finish"]);
  });

  test("begins with the repeat where the first attempt was made elsewhere (MW-07, ERR-05)", async () => {
    const clock = manualClock();
    const model = failing(clock, [undefined]);
    const stream = retryStream({ jitter: "none" }, contextOf(clock), () => model.ask(), { error: failure("network") });
    const read = toArray(stream);
    await clock.advance(499);
    expect(model.at).toEqual([]);
    await clock.advance(1);
    expect(await read).toEqual([{ type: "restart", attempt: 2, reason: "network" }, said, finish]);
    expect(model.at).toEqual([500]);
  });

  test("passes the failure of a first attempt on that was made elsewhere and does not pass by itself (ERR-09)", async () => {
    const error = failure("provider_auth");
    const stream = retryStream({}, contextOf(manualClock()), () => failing(manualClock(), []).ask(), { error });
    expect(await thrownBy(() => toArray(stream))).toBe(error);
    expect(await toArray(stream)).toEqual([]);
  });

  test("begins no work before it is read", () => {
    const ask = vi.fn();
    retryStream({}, contextOf(manualClock()), ask);
    expect(ask).not.toHaveBeenCalled();
  });
});

describe("a budget of retries", () => {
  test("is asked before each wait, and told what the wait is for", async () => {
    const clock = manualClock();
    const error = failure("network");
    const onRetry = vi.fn(() => true);
    const flaky = failing(clock, [error, error]);
    const done = toArray(retryStream({ jitter: "none" }, contextOf(clock, { onRetry }), flaky.ask));
    await clock.advance(10_000);
    await done;
    expect(onRetry.mock.calls).toEqual([
      [{ attempt: 1, delayMs: 500, error }],
      [{ attempt: 2, delayMs: 1_000, error }],
    ]);
  });

  test("that is used up forbids the retry: the first failure passes on, a later one is the last", async () => {
    const clock = manualClock();
    const error = failure("network");
    const never = contextOf(clock, { onRetry: () => false });
    expect(await thrownBy(() => toArray(retryStream({}, never, failing(clock, [error]).ask)))).toBe(error);
    const once = contextOf(clock, { onRetry: ({ attempt }) => attempt < 2 });
    const done = thrownBy(() => toArray(retryStream({}, once, failing(clock, [error, error]).ask)));
    await clock.advance(10_000);
    expect(await done).toMatchObject({ code: "retry_exhausted", details: { attempts: 2, lastCode: "network" } });
    expect(clock.timers).toBe(0);
  });

  test("is not asked about failures that are not repeated", async () => {
    const onRetry = vi.fn(() => true);
    const clock = manualClock();
    const flaky = failing(clock, [failure("provider_auth")]);
    await thrownBy(() => toArray(retryStream({}, contextOf(clock, { onRetry }), flaky.ask)));
    expect(onRetry).not.toHaveBeenCalled();
  });
});

describe("repeating any other work", () => {
  test("tells it which attempt it is and gives what it gives", async () => {
    const clock = manualClock();
    const attempts: number[] = [];
    const done = retryCall({}, contextOf(clock), (attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw failure("timeout");
      return "done";
    });
    await clock.advance(10_000);
    expect(await done).toBe("done");
    expect(attempts).toEqual([1, 2, 3]);
  });

  test("awaits promises, gives up, and is cancelled like a model call", async () => {
    const clock = manualClock();
    const error = failure("network");
    const exhausted = thrownBy(() => retryCall({ maxAttempts: 2 }, contextOf(clock), () => Promise.reject(error)));
    await clock.advance(10_000);
    expect(await exhausted).toMatchObject({ code: "retry_exhausted", cause: error });
    const controller = new AbortController();
    const cancelled = thrownBy(() =>
      retryCall({}, contextOf(clock, { signal: controller.signal }), () => Promise.reject(error)),
    );
    await clock.advance(1);
    controller.abort();
    expect(await cancelled).toMatchObject({ code: "cancelled" });
  });
});

describe("a stream that is cut short without a word", () => {
  const context = { clock: manualClock(), random: () => 0, signal: undefined };

  test("is repeated like any other network failure (PA-11)", async () => {
    const answers: ModelDelta[][] = [
      [{ type: "text", index: 0, text: "half" }],
      [
        { type: "text", index: 0, text: "whole" },
        { type: "finish", finishReason: "stop" },
      ],
    ];
    const stream = retryStream({ initialDelayMs: 0 }, context, async function* () {
      yield* answers.shift() ?? [];
    });
    const reading = collect(stream, { id: "a/b", provider: "a", model: "b" });
    await context.clock.advance(0);
    const response = await reading;
    expect(response.message.content).toEqual([{ type: "text", text: "whole" }]);
    expect(response.attempts).toBe(2);
  });

  test("fails as one when repeats are used up", async () => {
    const stream = retryStream({ maxAttempts: 1 }, context, async function* () {
      yield { type: "text", index: 0, text: "half" } satisfies ModelDelta;
    });
    await expect(collect(stream, { id: "a/b", provider: "a", model: "b" })).rejects.toMatchObject({
      code: "network",
      details: { partialText: "half" },
    });
  });
});

describe("a stream that breaks the contract", () => {
  test.each<[unknown]>([[null], [undefined], ["text"], [{}], [{ type: "text", text: Symbol("x") }]])(
    "passes through to whoever adds it up, and is not repeated (%#)",
    async (delta) => {
      let asked = 0;
      async function* ask(): AsyncGenerator<ModelDelta> {
        asked++;
        yield delta as ModelDelta;
        yield finish;
      }
      const failed = await thrownBy(() => collect(retryStream({}, contextOf(manualClock()), ask), model));
      expect(failed).toMatchObject({ code: "corrupt_data", details: { place: "the stream of mock/one, delta 1" } });
      expect(asked).toBe(1);
    },
  );

  test("may have an iterator that answers at once, without a promise", async () => {
    const deltas = [said, finish];
    const atOnce = {
      [Symbol.asyncIterator]: () => ({
        next: () => ({ value: deltas.shift(), done: false }),
      }),
    } as unknown as AsyncIterable<ModelDelta>;
    const stream = retryStream({}, contextOf(manualClock()), () => atOnce);
    expect(await stream.next()).toEqual({ value: said, done: false });
  });

  test.each<[unknown]>([["5"], [null], [-1], [Number.NaN], [{}]])(
    "is not believed where it asks for a wait of %j",
    (retryAfterMs) => {
      const error = new TinyAgentsError("provider_server", "x", {
        details: { provider: "mock", retryAfterMs } as never,
      });
      const policy: RetryPolicy = { initialDelayMs: 7, jitter: "none" };
      expect(decideRetry(policy, 1, error, half)).toEqual({ retry: true, delayMs: 7 });
      const bare = new TinyAgentsError("provider_server", "x", { details: undefined as never });
      expect(decideRetry(policy, 1, bare, half)).toEqual({ retry: true, delayMs: 7 });
    },
  );
});
