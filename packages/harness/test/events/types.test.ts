import type { AgentEvent, AgentStreamItem, EventData, EventType, JsonValue, StreamMode } from "@tinyagents/core";
import { describe, expectTypeOf, test } from "vitest";

/** Names what is left when every event has had its case: the compiler refuses this when one is missing. */
function familyOf(event: AgentEvent): string {
  switch (event.type) {
    case "run.started":
      return `${event.data.agent} ${event.data.resumed}`;
    case "run.completed":
      return event.data.status;
    case "run.failed":
      return event.data.error.code;
    case "run.paused":
      return event.data.requests.map(({ id }) => id).join();
    case "model.selected":
      return event.data.skipped.map(({ model, reason }) => `${model} ${reason}`).join();
    case "model.started":
    case "model.completed":
    case "model.failed":
    case "usage.recorded":
    case "cost.recorded":
      return event.data.model.id;
    case "model.delta":
      return event.data.deltaType;
    case "retry.scheduled":
      return event.data.callId;
    case "fallback.selected":
      return event.data.selected.id;
    case "tool.started":
    case "tool.delta":
    case "tool.completed":
    case "tool.failed":
    case "tool.unknown":
    case "approval.requested":
    case "approval.granted":
    case "approval.denied":
      return `${event.data.callId} ${event.data.tool}`;
    case "middleware.started":
    case "middleware.completed":
    case "middleware.failed":
      return `${event.data.middleware} ${event.data.hook}`;
    case "control.applied":
      return event.data.control;
    case "limit.reached":
      return event.data.limit;
    case "correction.requested":
      return event.data.kind;
    case "no_progress.detected":
      return event.data.action;
    case "history.repaired":
      return `${event.data.problems.length}`;
    case "history.edited":
      return event.data.by;
    case "memory.loaded":
    case "memory.saved":
      return `${event.data.messages}`;
    case "output.validated":
      return event.data.strategy;
    case "sub_agent.started":
    case "sub_agent.completed":
      return event.data.childRunId;
    case "store.read":
    case "store.write":
    case "store.append":
    case "store.delete":
    case "store.error":
      return `${event.data.namespace} ${event.data.operation}`;
    case "custom":
      return event.data.name;
  }
}

function modeOf(item: AgentStreamItem): StreamMode {
  switch (item.type) {
    case "text":
    case "reasoning":
    case "refusal":
    case "tool_call_start":
    case "tool_call_args":
    case "restart":
    case "message":
      return "messages";
    case "tool_started":
    case "tool_progress":
    case "tool_result":
      return "tools";
    case "usage":
    case "cost":
    case "final":
      return item.type;
    case "update":
    case "memory":
      return "updates";
    case "event":
      return "events";
  }
}

describe("types", () => {
  test("a switch over all events needs no default (EVT-01)", () => {
    expectTypeOf(familyOf).returns.toBeString();
    expectTypeOf<AgentEvent["type"]>().toEqualTypeOf<EventType>();
  });

  test("a switch over all stream items needs no default (STM-06)", () => {
    expectTypeOf(modeOf).returns.toEqualTypeOf<StreamMode>();
  });

  test("only `custom` takes a payload of any shape (EVT-01)", () => {
    type Loose = { [T in EventType]: JsonValue extends Exclude<PayloadOf<T>, undefined> ? T : never }[EventType];
    expectTypeOf<Loose>().toEqualTypeOf<"custom">();
  });
});

type PayloadOf<T extends EventType> = EventData[T] extends { readonly payload?: infer P } ? P : never;
