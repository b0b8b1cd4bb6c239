import type { AgentEvent, EventData, EventType, JsonObject } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { eventRecorder } from "./index.js";

let seq = 0;
function event<T extends EventType>(type: T, data: EventData[T], runId = "run-1"): AgentEvent {
  seq++;
  return {
    v: 1,
    id: `${runId}/${seq}`,
    seq,
    timeMs: 0,
    type,
    runId,
    rootRunId: "run-1",
    component: "agent",
    data,
  } as AgentEvent;
}

describe("an event recorder (TST-06)", () => {
  test("keeps events in order and picks them by type and by run", () => {
    const recorder = eventRecorder();
    const started = event("run.started", { agent: "a", resumed: false });
    const child = event("run.started", { agent: "b", resumed: false }, "run-2");
    const custom = event("custom", { name: "x" });
    for (const one of [started, child, custom]) recorder.emit(one);
    expect(recorder.events).toEqual([started, child, custom]);
    expect(recorder.ofType("run.started").map(({ data }) => data.agent)).toEqual(["a", "b"]);
    expect(recorder.ofRun("run-1")).toEqual([started, custom]);
    expect(recorder.types()).toEqual(["run.started", "run.started", "custom"]);
    recorder.clear();
    expect(recorder.events).toEqual([]);
  });

  test("asks for payloads and, when told to, for deltas", () => {
    expect(eventRecorder()).toMatchObject({ deltas: false, payloads: true });
    expect(eventRecorder({ deltas: true, payloads: false })).toMatchObject({ deltas: true, payloads: false });
  });

  test("keeps copies, which later changes do not reach", () => {
    const recorder = eventRecorder();
    const payload: { [key: string]: number } = { n: 1 };
    recorder.emit(event("custom", { name: "x", payload: payload as JsonObject }));
    payload.n = 2;
    expect(recorder.ofType("custom")[0]?.data.payload).toEqual({ n: 1 });
  });

  test("waits for the event that is wanted", async () => {
    const recorder = eventRecorder();
    const second = recorder.seen("custom", 2);
    recorder.emit(event("custom", { name: "first" }));
    recorder.emit(event("run.started", { agent: "a", resumed: false }));
    recorder.emit(event("custom", { name: "second" }));
    expect((await second).data.name).toBe("second");
    expect((await recorder.seen("custom")).data.name).toBe("first");
  });
});
