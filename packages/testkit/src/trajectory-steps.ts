import {
  type AgentEvent,
  type AgentRun,
  type EventEnvelope,
  type JsonObject,
  type RunStatus,
  type ToolStatus,
  toolCalls,
} from "@tinyagents/core";

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
  const started = new Set<string>();
  return events.filter((event) => event.runId === wanted).flatMap((event) => stepsOfEvent(event, started));
}

/** The steps of a run that has come to its end, read from what it added to the history. */
export function stepsOfRun(run: AgentRun<unknown>): readonly TrajectoryStep[] {
  const steps = run.newMessages.flatMap((message): readonly TrajectoryStep[] => {
    if (message.role === "assistant") {
      const calls = toolCalls(message).map(({ name, args }) => ({ type: "tool_called", tool: name, args }) as const);
      return [{ type: "model_called" }, ...calls];
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

/** A call that was refused before it ran has no start among events: it was asked for all the same. */
function stepsOfEvent(event: AgentEvent, started: Set<string>): readonly TrajectoryStep[] {
  switch (event.type) {
    case "model.started":
      return [{ type: "model_called" }];
    case "tool.started":
      started.add(event.data.callId);
      return [toolCalled(event)];
    case "tool.failed": {
      const { callId, tool, status } = event.data;
      const failed = { type: "tool_failed", tool, status } as const;
      return started.has(callId) ? [failed] : [{ type: "tool_called", tool }, failed];
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

function toolCalled({ data: { tool, payload } }: EventEnvelope<"tool.started">): TrajectoryStep {
  return { type: "tool_called", tool, ...(payload === undefined ? {} : { args: payload.args }) };
}
