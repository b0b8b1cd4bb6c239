import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { REDACTED } from "../redact.js";
import { callbackSink, type EventSink, fanOut, filteredSink, redactingSink, type SinkOptions } from "./sink.js";
import type { AgentEvent, EventData, EventType } from "./types.js";

function eventOf<T extends EventType>(type: T, data: EventData[T]): AgentEvent {
  const ids = { id: "run-1/1", runId: "run-1", rootRunId: "run-1" };
  return { v: 1, seq: 1, timeMs: 0, component: "agent", ...ids, type, data } as unknown as AgentEvent;
}

const call = { callId: "c1", tool: "add" };
const startedCall = { ...call, modelCallId: "m1", validation: "passed" } as const;
const started = eventOf("tool.started", { ...startedCall, payload: { args: { secret: "hunter22" } } });
const toolDelta = eventOf("tool.delta", { ...call, payload: { delta: 1 } });
const modelDelta = eventOf("model.delta", { callId: "m1", deltaType: "text", chars: 1 });
const plain = eventOf("memory.loaded", { messages: 2 });

function noting(options?: SinkOptions): EventSink & { readonly events: AgentEvent[] } {
  const events: AgentEvent[] = [];
  return { ...callbackSink((event) => void events.push(event), options), events };
}

describe("a callback as a sink", () => {
  test("asks for neither deltas nor payloads unless told to", () => {
    const { deltas, payloads } = callbackSink(() => {});
    expect([deltas, payloads]).toEqual([false, false]);
    expect(callbackSink(() => {}, { deltas: true, payloads: true })).toMatchObject({ deltas: true, payloads: true });
  });
});

describe("several sinks as one", () => {
  test("ask for what any of them asks for", () => {
    const asked = ({ deltas, payloads }: EventSink) => [deltas, payloads];
    expect(asked(fanOut([noting(), noting()]))).toEqual([false, false]);
    expect(asked(fanOut([noting({ deltas: true }), noting({ payloads: true })]))).toEqual([true, true]);
    expect(asked(fanOut([]))).toEqual([false, false]);
  });

  test("get only what each asked for: what was said, and fragments, are opt-in", () => {
    const bare = noting();
    const full = noting({ deltas: true, payloads: true });
    const fragments = noting({ deltas: true });
    const sink = fanOut([bare, full, fragments]);
    for (const event of [started, toolDelta, modelDelta, plain]) sink.emit(event);
    expect(full.events).toEqual([started, toolDelta, modelDelta, plain]);
    expect(bare.events).toStrictEqual([{ ...started, data: startedCall }, plain]);
    expect(fragments.events).toStrictEqual([
      { ...started, data: startedCall },
      { ...toolDelta, data: call },
      modelDelta,
      plain,
    ]);
    expect(started.data).toHaveProperty("payload");
  });

  test("get errors without what was said, unless they ask for it", () => {
    const error = {
      name: "TinyAgentsError",
      code: "structured_output_invalid",
      message: "The answer 'my name is Ada' does not count.",
      retryable: false,
      details: {
        reason: "it says Ada",
        text: "my name is Ada",
        finishReason: "stop",
        issues: [{ path: "Ada", message: "Ada" }],
      },
      runId: "run-1",
    } as const;
    const failed = eventOf("run.failed", { error });
    const bare = noting();
    const full = noting({ payloads: true });
    fanOut([bare, full]).emit(failed);
    expect(full.events).toEqual([failed]);
    expect(JSON.stringify(bare.events)).not.toContain("Ada");
    expect(bare.events[0]?.data).toEqual({
      error: {
        ...error,
        message: REDACTED,
        details: { reason: REDACTED, text: REDACTED, finishReason: "stop", issues: [] },
      },
    });
  });

  test("get errors' details that say nothing of anybody: provider, status, limits", () => {
    const details = { provider: "mock", status: 429, retryAfterMs: 5, partialText: "half a" };
    const error = { name: "TinyAgentsError", code: "network", message: "x", retryable: true, details } as const;
    const bare = noting();
    fanOut([bare]).emit(eventOf("model.failed", { callId: "m1", error } as unknown as EventData["model.failed"]));
    expect(bare.events[0]?.data).toMatchObject({
      callId: "m1",
      error: { code: "network", retryable: true, details: { ...details, partialText: REDACTED } },
    });
    const unfailed = eventOf("tool.failed", { ...call, status: "denied", elapsedMs: 0 });
    fanOut([bare]).emit(unfailed);
    expect(bare.events[1]).toBe(unfailed);
  });

  test("get errors without their words, unless they ask for payloads", () => {
    const error = {
      name: "TinyAgentsError",
      code: "structured_output_invalid",
      message: "said in words",
      retryable: false,
      details: { reason: "invalid", text: "said", finishReason: "stop", issues: [{ path: "a", message: "said" }] },
    } as const;
    const failed = eventOf("run.failed", { error });
    const refused = eventOf("tool.failed", { ...call, status: "denied", elapsedMs: 0 });
    const [bare, full] = [noting(), noting({ payloads: true })];
    const sink = fanOut([bare, full]);
    for (const event of [failed, refused]) sink.emit(event);
    const details = { reason: REDACTED, text: REDACTED, finishReason: "stop", issues: [] };
    expect(bare.events).toStrictEqual([
      { ...failed, data: { error: { ...error, message: REDACTED, details } } },
      refused,
    ]);
    expect(full.events).toStrictEqual([failed, refused]);
  });

  test("are called in order, and one that fails keeps nobody from the event", async () => {
    const order: string[] = [];
    const failing = callbackSink(() => {
      order.push("failing");
      throw new Error("disk full");
    });
    const rejecting = callbackSink(async () => {
      order.push("rejecting");
      throw new Error("disk full");
    });
    // A promise of another realm is none of ours, and is rejected all the same.
    const foreign = callbackSink(() => runInNewContext("Promise.reject(new Error('disk full'))"));
    const sink = fanOut([
      failing,
      foreign,
      filteredSink(rejecting, ["memory.loaded"]),
      redactingSink(rejecting),
      noting(),
      callbackSink(() => void order.push("last")),
    ]);
    expect(() => sink.emit(plain)).not.toThrow();
    expect(order).toEqual(["failing", "rejecting", "rejecting", "last"]);
    // A rejection that nobody handles would fail this file.
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("a filtered sink", () => {
  test("gets the types that are wanted and no others", () => {
    const inner = noting({ payloads: true });
    const sink = filteredSink(inner, ["tool.started", "run.failed"]);
    for (const event of [started, toolDelta, plain]) sink.emit(event);
    expect(inner.events).toEqual([started]);
    expect(sink.payloads).toBe(true);
  });

  test("asks for fragments only when it wants some and its sink does", () => {
    const deltas = (types: EventType[], inner: boolean) => filteredSink(noting({ deltas: inner }), types).deltas;
    expect(deltas(["tool.started"], true)).toBe(false);
    expect(deltas(["model.delta"], true)).toBe(true);
    expect(deltas(["tool.delta"], true)).toBe(true);
    expect(deltas(["tool.delta"], false)).toBe(false);
  });
});

describe("a redacting sink", () => {
  test("takes secrets out of what was said, and leaves the event that others get", () => {
    const inner = noting({ payloads: true, deltas: true });
    const sink = redactingSink(inner, ["hunter22"]);
    sink.emit(started);
    sink.emit(eventOf("custom", { name: "note", payload: "pass hunter22 and Bearer abcdefghijk" }));
    expect(inner.events.map(({ data }) => data)).toEqual([
      { ...startedCall, payload: { args: { secret: REDACTED } } },
      { name: "note", payload: `pass ${REDACTED} and ${REDACTED}` },
    ]);
    expect(inner.events[0]).toMatchObject({ id: "run-1/1", type: "tool.started", seq: 1 });
    expect(JSON.stringify(started)).toContain("hunter22");
    expect([sink.deltas, sink.payloads]).toEqual([true, true]);
  });

  test("takes them out of the tags and metadata of a run too (EVT-11)", () => {
    const inner = noting();
    const sink = redactingSink(inner, ["hunter22"]);
    sink.emit({ ...plain, tags: ["x", "hunter22"], metadata: { team: 1, password: "p", note: "hunter22" } });
    sink.emit(plain);
    expect(inner.events[0]).toMatchObject({
      tags: ["x", REDACTED],
      metadata: { team: 1, password: REDACTED, note: REDACTED },
    });
    expect(inner.events[1]).toStrictEqual(plain);
  });
});
