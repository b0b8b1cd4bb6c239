import type { AgentEvent, AgentRun, Block, EventEnvelope, JsonObject, RunStatus, ToolStatus } from "@tinyagents/core";

/** One step of a run, as a trajectory sees it. */
export type TrajectoryStep =
  | { readonly type: "model_called" }
  /** `args` absent: they were not recorded. */
  | { readonly type: "tool_called"; readonly tool: string; readonly args?: JsonObject }
  | { readonly type: "tool_failed"; readonly tool: string; readonly status: ToolStatus }
  | { readonly type: "paused" }
  /** The run has an outcome. */
  | { readonly type: "completed"; readonly status: RunStatus }
  | { readonly type: "failed"; readonly code: string };

/** The steps of one run among events. */
export function stepsOfEvents(events: readonly AgentEvent[], runId: string | undefined): readonly TrajectoryStep[] {
  const wanted = runId ?? events[0]?.runId;
  const reading: Reading = { callsKnown: false, started: new Set() };
  return events.filter((event) => event.runId === wanted).flatMap((event) => stepsOfEvent(event, reading));
}

/** The steps of a run that has come to its end, read from what it added to the history. */
export function stepsOfRun(run: AgentRun<unknown>): readonly TrajectoryStep[] {
  const steps = run.newMessages.flatMap((message): readonly TrajectoryStep[] => {
    if (message.role === "assistant") {
      return [{ type: "model_called" }, ...callsIn(message.content)];
    }
    if (message.role !== "tool" || message.status === "ok") return [];
    return [{ type: "tool_failed", tool: message.name, status: message.status }];
  });
  return [...steps, endOf(run)];
}

/** A step in words. */
export function describeStep(step: TrajectoryStep): string {
  switch (step.type) {
    case "model_called":
      return "model called";
    case "tool_called":
      return `tool called: ${step.tool}${step.args === undefined ? "" : ` ${JSON.stringify(step.args)}`}`;
    case "tool_failed":
      return `tool failed: ${step.tool} (${step.status})`;
    case "paused":
      return "paused";
    case "completed":
      return `completed (${step.status})`;
    case "failed":
      return `failed (${step.code})`;
  }
}

function endOf({ status, error }: AgentRun<unknown>): TrajectoryStep {
  if (status === "paused") return { type: "paused" };
  if (status === "failed") return { type: "failed", code: error?.code ?? "internal" };
  return { type: "completed", status };
}

/** What earlier events have told. */
interface Reading {
  /** The answer that is worked on was recorded with its content, so its calls are known. */
  callsKnown: boolean;
  /** Calls that started, by id. */
  readonly started: Set<string>;
}

/** Without the answer's content a call is known by its start, and one that was refused before by its end. */
function stepsOfEvent(event: AgentEvent, reading: Reading): readonly TrajectoryStep[] {
  switch (event.type) {
    case "model.started":
      reading.callsKnown = false;
      return [{ type: "model_called" }];
    case "model.completed":
      reading.callsKnown = event.data.payload !== undefined;
      return callsIn(event.data.payload?.content ?? []);
    case "tool.started":
      reading.started.add(event.data.callId);
      return reading.callsKnown ? [] : [startedCall(event)];
    case "tool.failed": {
      const { callId, tool, status } = event.data;
      const failed = { type: "tool_failed", tool, status } as const;
      if (reading.callsKnown || reading.started.has(callId)) return [failed];
      return [{ type: "tool_called", tool }, failed];
    }
    case "run.paused":
      return [{ type: "paused" }];
    case "run.completed":
      return [{ type: "completed", status: event.data.status }];
    case "run.failed":
      return [{ type: "failed", code: event.data.error.code }];
    default:
      return [];
  }
}

function startedCall({ data: { tool, payload } }: EventEnvelope<"tool.started">): TrajectoryStep {
  return { type: "tool_called", tool, ...(payload === undefined ? {} : { args: payload.args }) };
}

function callsIn(content: readonly Block[]): readonly TrajectoryStep[] {
  return content.flatMap((block) =>
    block.type === "tool_call" ? [{ type: "tool_called", tool: block.name, args: block.args }] : [],
  );
}
