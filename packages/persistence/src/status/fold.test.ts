import type { AgentEvent, EventData, EventType, RunStatusRecord } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { foldRunStatus } from "./fold.js";

const model = { id: "acme/m", provider: "acme", model: "m", chosenBy: "agent" } as const;
const usage = { inputTokens: 10, outputTokens: 2, source: "reported" } as const;

/** An event of run `r`, in its first attempt. Its time is its number, unless another is given. */
function event<T extends EventType>(type: T, seq: number, data: EventData[T], timeMs = seq, attempt = 1): AgentEvent {
  const ids = { id: `r/${seq}`, runId: "r", rootRunId: "r", component: "a" };
  return { v: 1, seq, attempt, timeMs, type, data, ...ids } as unknown as AgentEvent;
}

function fold(events: readonly AgentEvent[], from?: RunStatusRecord): RunStatusRecord {
  return events.reduce<RunStatusRecord | undefined>(foldRunStatus, from) as RunStatusRecord;
}

const started = event("run.started", 1, { agent: "a", resumed: false });
const asked = event("model.started", 2, { callId: "m1", model });
const used = event("usage.recorded", 3, { callId: "m1", model, usage });

describe("the status that events add up to (OBS-02, RES-03, USG-04)", () => {
  it("names the calls under way, the model and its rung, and how full its context was", () => {
    const context = { inputTokens: 10, contextWindow: 100, pressure: 0.1 };
    const answered = { callId: "m1", model, finishReason: "stop", attempts: 1, elapsedMs: 1, context } as const;
    const waiting = fold([started, asked]);
    expect(waiting).toMatchObject({ state: "running", phase: "dispatch", model, startedAtMs: 1, lastSeq: 2 });
    expect(waiting.activeCalls).toEqual([{ callId: "m1", type: "model", name: "acme/m", startedAtMs: 2 }]);
    const after = fold([used, event("model.completed", 4, answered)], waiting);
    expect(after).toMatchObject({
      phase: "parse",
      activeCalls: [],
      context,
      usage: { totalTokens: 12, modelCalls: 1 },
    });
    expect(after.usageByModel).toMatchObject([{ model, usage: { totalTokens: 12 } }]);
  });

  it("counts failed and repeated calls, other models, mistakes, and runs below", () => {
    const error = { name: "TinyAgentsError", code: "network", message: "", retryable: true, details: {} } as const;
    const call = { callId: "c1", tool: "look" };
    const status = fold([
      started,
      event("retry.scheduled", 2, { callId: "m1", attempt: 1, delayMs: 1, code: "network" }),
      event("model.failed", 3, { callId: "m1", model, error, elapsedMs: 1 }),
      event("fallback.selected", 4, { callId: "m1", failed: model, selected: model, code: "network" }),
      event("tool.started", 5, { ...call, modelCallId: "m1", validation: "passed" }),
      event("tool.failed", 6, { ...call, status: "failed", elapsedMs: 1 }),
      event("tool.failed", 7, { callId: "c2", tool: "look", status: "not_run", elapsedMs: 0 }),
      event("correction.requested", 8, { kind: "arguments", used: 1, allowed: 6 }),
      event("sub_agent.started", 9, { childRunId: "k", agent: "b", callId: "c3", depth: 1 }),
    ]);
    expect(status.counters).toEqual({
      failedModelCalls: 1,
      failedToolCalls: 1,
      retries: 1,
      fallbacks: 1,
      corrections: 1,
      children: 1,
      resumes: 0,
    });
    expect(status.usage.toolCalls).toBe(1);
    expect(status.activeCalls).toEqual([]);
  });

  it("adds prices up, and counts calls that have none", () => {
    const cost = { amount: "0.5", currency: "USD", source: "estimated" } as const;
    const unpriced = fold([started, used]);
    expect(unpriced).toMatchObject({ cost: null, unpricedCalls: 1 });
    const priced = fold([event("cost.recorded", 4, { callId: "m1", model, cost })], unpriced);
    expect(priced).toMatchObject({ cost: { amount: "0.5", estimated: "0.5", charged: "0", unpricedCalls: 0 } });
    const second = fold([event("usage.recorded", 5, { callId: "m2", model, usage })], priced);
    expect(second.cost).toMatchObject({ amount: "0.5", unpricedCalls: 1 });
    expect(fold([event("cost.recorded", 6, { callId: "m2", model, cost })], second).cost).toEqual({
      amount: "1",
      currency: "USD",
      charged: "0",
      estimated: "1",
      unpricedCalls: 0,
    });
  });

  it("ends with the outcome, the limit and the error, and nothing under way", () => {
    const error = { name: "TinyAgentsError", code: "cancelled", message: "", retryable: false, details: {} } as const;
    const limited = event("limit.reached", 3, { limit: "wallClockMs", allowed: 5 });
    const failed = fold([started, asked, limited, event("run.failed", 4, { error })]);
    expect(failed).toMatchObject({ state: "cancelled", phase: "failed", outcome: "failed", error, endedAtMs: 4 });
    expect(failed).toMatchObject({ limit: { limit: "wallClockMs", allowed: 5 }, activeCalls: [] });
    expect(fold([started, event("run.completed", 2, { status: "refused" })])).toMatchObject({
      state: "completed",
      outcome: "refused",
      endedAtMs: 2,
    });
  });

  it("says what a paused run waits for, until it goes on", () => {
    const requests = [{ id: "q1", type: "approval", callId: "c1" }];
    const paused = fold([started, event("run.paused", 2, { requests })]);
    expect(paused).toMatchObject({ state: "paused", phase: "paused", requests });
    const goesOn = fold([event("run.started", 2, { agent: "a", resumed: true }, 9)], paused);
    expect(goesOn).toMatchObject({ state: "running", requests: [], counters: { resumes: 1 }, updatedAtMs: 9 });
    expect(goesOn).not.toHaveProperty("outcome");
  });

  it("is the same however often an event comes, and takes none of another run", () => {
    const once = fold([started, asked, used]);
    expect(fold([started, asked, used, used, asked, started])).toEqual(once);
    const resumed = event("run.started", 3, { agent: "a", resumed: true }, 50);
    expect(fold([resumed, resumed], once)).toEqual(fold([resumed], once));
    expect(foldRunStatus(once, { ...used, runId: "other", seq: 9 })).toBe(once);
    expect(foldRunStatus(once, event("model.delta", 9, { callId: "m1", deltaType: "text", chars: 1 }))).toBe(once);
  });

  it("counts what was used before a crash, and what the resumed run uses again", () => {
    const before = fold([started, asked, used]);
    const resumed = event("run.started", 1, { agent: "a", resumed: true }, 50);
    const again = [
      event("model.started", 2, { callId: "m1", model }, 51),
      event("usage.recorded", 3, { callId: "m1", model, usage }, 52),
    ];
    const after = fold([resumed, ...again], before);
    expect(after).toMatchObject({ counters: { resumes: 1 }, usage: { modelCalls: 2, totalTokens: 24 }, lastSeq: 3 });
    expect(after.activeCalls.length).toBe(1);
  });

  it("goes on with a run that is resumed where the clock is behind, and is of that clock from then on", () => {
    const before = fold([
      started,
      event("model.started", 2, { callId: "m1", model }, 9_000),
      event("custom", 3, { name: "x" }),
    ]);
    const resumed = event("run.started", 1, { agent: "a", resumed: true }, 50);
    const goesOn = fold([resumed], before);
    expect(goesOn).toMatchObject({ activeCalls: [], lastSeq: 1, updatedAtMs: 50, counters: { resumes: 1 } });
    const ended = event("run.completed", 2, { status: "completed" }, 51);
    expect(fold([ended], goesOn)).toMatchObject({ state: "completed", lastSeq: 2, updatedAtMs: 51, endedAtMs: 51 });
    const again = fold([event("run.started", 1, { agent: "a", resumed: true }, 20)], goesOn);
    expect(again).toMatchObject({ counters: { resumes: 2 }, updatedAtMs: 20 });
    expect(again.resumptions).toEqual([resumed, { seq: 1, timeMs: 20 }].map(({ seq, timeMs }) => ({ seq, timeMs })));
  });

  it("tells two resumptions apart that come in one millisecond, after the same event", () => {
    const before = fold([started, asked]);
    const resumed = [2, 3].map((attempt) => event("run.started", 1, { agent: "a", resumed: true }, 50, attempt));
    const after = fold(resumed, before);
    expect(after).toMatchObject({ attempt: 3, counters: { resumes: 2 }, lastSeq: 1 });
    expect(after.resumptions).toEqual([{ seq: 1, timeMs: 50 }]);
    expect(fold([...resumed, asked, used], after)).toBe(after);
  });

  it("is told by the newest attempt, which may have told answers before it says that the run goes on", () => {
    const requests = [{ id: "q1", type: "approval", callId: "c1" }];
    const paused = fold([started, event("run.paused", 2, { requests })]);
    const granted = event("approval.granted", 3, { requestId: "q1", callId: "c1", tool: "t" }, 9, 2);
    const answered = fold([granted], paused);
    expect(answered).toMatchObject({ state: "paused", requests, attempt: 2, lastSeq: 3 });
    const goesOn = fold([event("run.started", 3, { agent: "a", resumed: true }, 9, 2)], answered);
    expect(goesOn).toMatchObject({ state: "running", requests: [], counters: { resumes: 1 } });
    expect(fold([event("run.failed", 9, { error: {} as never })], goesOn)).toBe(goesOn);
  });

  it("begins anew with a run of which nothing was recorded, and is not at its end then", () => {
    const ended = fold([started, asked, event("run.completed", 3, { status: "completed" })]);
    const again = fold([event("run.started", 1, { agent: "a", resumed: false }, 50, 2)], ended);
    expect(again).toMatchObject({ state: "running", phase: "start", attempt: 2, lastSeq: 1, counters: { resumes: 1 } });
    expect(again).not.toHaveProperty("outcome");
    expect(again.activeCalls).toEqual([]);
  });

  it("knows every resumption that comes again in one attempt, of however many the last 32", () => {
    const resumptions = Array.from({ length: 40 }, (_, index) =>
      event("run.started", 1, { agent: "a", resumed: true }, 1_000 - index),
    );
    const status = fold([started, ...resumptions]);
    expect(status.counters.resumes).toBe(40);
    expect(fold(resumptions.slice(8), status)).toBe(status);
    expect(fold(resumptions.slice(7, 8), status).counters.resumes).toBe(41);
  });

  it("begins with any event, for whoever comes late", () => {
    const late = foldRunStatus(undefined, event("model.started", 7, { callId: "m1", model }));
    expect(late).toMatchObject({ state: "running", startedAtMs: 7, lastSeq: 7 });
  });
});
