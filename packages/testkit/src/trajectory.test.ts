import {
  type AgentEvent,
  type AgentRun,
  assistantMessage,
  type EventData,
  type EventType,
  type JsonObject,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { trajectory } from "./index.js";

function event<T extends EventType>(type: T, data: EventData[T], runId = "run-1"): AgentEvent {
  return { v: 1, id: "x", seq: 1, timeMs: 0, type, runId, rootRunId: "run-1", component: "agent", data } as AgentEvent;
}

const model = { id: "test/m", provider: "test", model: "m" };
const modelStarted = event("model.started", { callId: "m1", model });
const toolStarted = (tool: string, args?: JsonObject): AgentEvent =>
  event("tool.started", {
    callId: tool,
    tool,
    modelCallId: "m1",
    validation: "passed",
    ...(args === undefined ? {} : { payload: { args } }),
  });

const events: readonly AgentEvent[] = [
  event("run.started", { agent: "a", resumed: false }),
  modelStarted,
  toolStarted("search", { q: "tea", limit: 3 }),
  event("model.started", { callId: "m9", model }, "run-2"),
  toolStarted("read", { page: 1 }),
  event("tool.failed", { callId: "read", tool: "read", status: "timeout", elapsedMs: 1 }),
  modelStarted,
  event("tool.failed", { callId: "c3", tool: "delete", status: "denied", elapsedMs: 0 }),
  modelStarted,
  event("run.completed", { status: "completed" }),
];

const calls = assistantMessage([
  { type: "tool_call", id: "1", name: "search", args: { q: "tea" } },
  { type: "tool_call", id: "2", name: "read", args: {} },
]);
const run = {
  status: "completed",
  newMessages: [
    userMessage("hello"),
    calls,
    toolMessage({ id: "1", name: "search" }, "found"),
    toolMessage({ id: "2", name: "read" }, "too late", "timeout"),
    assistantMessage("done"),
  ],
} as unknown as AgentRun;

describe("a trajectory (TST-08)", () => {
  test("agrees with events that hold the expected steps in order", () => {
    trajectory(events)
      .modelCalled()
      .toolCalled("search", { limit: 3, q: "tea" })
      .toolCalled("read", (args) => args.page === 1)
      .toolFailed("read", "timeout")
      .modelCalled()
      .toolCalled("delete")
      .toolFailed("delete")
      .modelCalled()
      .completed()
      .nothingMore();
  });

  test("reads a run as it reads the run's events", () => {
    trajectory(run, { strict: true })
      .modelCalled()
      .toolCalled("search", { q: "tea" })
      .toolCalled("read", {})
      .toolFailed("read", "timeout")
      .modelCalled()
      .completed()
      .nothingMore();
  });

  test("prints what was expected beside what happened, and points at the first difference", () => {
    const checked = trajectory({ events }).modelCalled().toolCalled("read");
    expect(messageOf(() => checked.toolCalled("search", { q: "x" }))).toBe(
      `The run did not go as expected: "tool called: search {"q":"x"}" does not come after that.
  expected                      | actual
= model called                  | model called
.                               | tool called: search {"q":"tea","limit":3}
= tool called: read             | tool called: read {"page":1}
> tool called: search {"q":"x"} | tool failed: read (timeout)
                                | model called
                                | tool called: delete
                                | tool failed: delete (denied)
                                | model called
                                | completed (completed)
Some calls have no arguments: they were refused, or the events were recorded without payloads.`,
    );
  });

  test("points at the end when a step is missing there", () => {
    const message = messageOf(() => trajectory([modelStarted]).modelCalled(2));
    expect(message).toContain("= model called | model called\n> model called | (the end)");
  });

  test("allows nothing in between when it is strict", () => {
    const strict = () => trajectory(events, { strict: true }).modelCalled();
    strict().toolCalled("search").toolCalled("read");
    expect(() => strict().toolCalled("read")).toThrow('"tool called: read" does not come next.');
  });

  test("says when something comes after the last expected step", () => {
    expect(() => trajectory(run).modelCalled(2).nothingMore()).toThrow("> nothing more");
  });

  test.each<[string, () => unknown]>([
    ["other arguments", () => trajectory(events).toolCalled("search", { q: "coffee" })],
    ["arguments that were not recorded", () => trajectory([toolStarted("search")]).toolCalled("search", {})],
    ["arguments that the function refuses", () => trajectory(events).toolCalled("search", () => false)],
    ["another status of a tool", () => trajectory(events).toolFailed("read", "denied")],
    ["another outcome", () => trajectory(events).completed("refused")],
    ["an order that was not kept", () => trajectory(events).toolCalled("read").toolCalled("search")],
    ["a failure of a run that completed", () => trajectory(events).failed()],
    ["a pause of a run that did not", () => trajectory(run).paused()],
  ])("does not agree with %s", (_, check) => {
    expect(check).toThrow("The run did not go as expected");
  });

  test("reads recorded answers as it reads runs: calls in the model's order, refused ones with their arguments", () => {
    const answered = event("model.completed", {
      callId: "m1",
      model,
      finishReason: "tool_calls",
      attempts: 1,
      elapsedMs: 0,
      payload: { content: calls.content },
    });
    trajectory(
      [
        modelStarted,
        answered,
        event("tool.failed", { callId: "2", tool: "read", status: "denied", elapsedMs: 0 }),
        toolStarted("search", { q: "tea" }),
        modelStarted,
        toolStarted("again"),
      ],
      { strict: true },
    )
      .modelCalled()
      .toolCalled("search", { q: "tea" })
      .toolCalled("read", {})
      .toolFailed("read", "denied")
      .modelCalled()
      .toolCalled("again")
      .nothingMore();
  });

  test("knows failures and pauses, of events and of runs", () => {
    const error = { name: "TinyAgentsError", code: "cancelled", message: "", retryable: false, details: {} } as const;
    trajectory([event("run.paused", { requests: [] }), event("run.failed", { error })])
      .paused()
      .failed("cancelled");
    trajectory({ ...run, status: "failed", error }).failed("cancelled");
    trajectory({ ...run, status: "paused" }).paused();
    expect(() => trajectory({ ...run, status: "failed", error }).failed("timeout")).toThrow("> failed (timeout)");
  });

  test("reads the first event's run among several, or the one that is named", () => {
    expect(trajectory(events).steps).not.toHaveLength(1);
    expect(trajectory(events, { runId: "run-2" }).modelCalled().nothingMore().steps).toHaveLength(1);
  });
});

function messageOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing was thrown";
}
