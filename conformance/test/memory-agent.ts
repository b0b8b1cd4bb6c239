import type { AgentStreamSetting, AgentStreamSubject } from "@tinyagents/conformance";
import {
  type AgentEvent,
  type AgentRun,
  type AgentStreamItem,
  type AnyTool,
  type AssistantMessage,
  addModelCall,
  emptyUsage,
  type Message,
  type ModelDelta,
  ResponseCollector,
  resolvedModel,
  type StreamMode,
  text,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";

const RUN = { runId: "run" };

/** Changes the items of sound streams. */
export type StreamFault = (subject: AgentStreamSubject) => AgentStreamSubject;

/** A subject that keeps every promise of a stream: a loop of its own, as small as it can be. */
export function memoryAgent(fault: StreamFault = (subject) => subject): AgentStreamSubject {
  return fault({ name: "memory", stream: runAgent });
}

async function* runAgent(setting: AgentStreamSetting): AsyncGenerator<AgentStreamItem> {
  const asked = new Set<StreamMode | undefined>(setting.modes);
  for await (const item of everything(setting)) if (asked.has(modeOf(item))) yield item;
}

function modeOf({ type }: AgentStreamItem): StreamMode {
  if (type === "tool_started" || type === "tool_result") return "tools";
  if (type === "usage" || type === "final") return type;
  if (type === "update") return "updates";
  return type === "event" ? "events" : "messages";
}

async function* everything(setting: AgentStreamSetting): AsyncGenerator<AgentStreamItem> {
  let seq = 0;
  const event = (type: string): AgentStreamItem => {
    const place = { id: `run/${++seq}`, seq, attempt: 1, runId: "run" };
    const envelope = { v: 1, ...place, timeMs: 0, type, component: "memory", data: {} };
    return { type: "event", event: envelope as unknown as AgentEvent };
  };
  yield event("run.started");
  try {
    const messages: Message[] = [userMessage(setting.input)];
    let usage = emptyUsage();
    for (let calls = 1; ; calls++) {
      const callId = `run/m${calls}`;
      const collector = new ResponseCollector(resolvedModel(setting.model));
      for await (const delta of setting.model.stream(
        { messages },
        { signal: setting.signal, delivery: "incremental" },
      )) {
        collector.add(delta);
        const item = itemOf(delta, callId);
        if (item !== undefined) yield item;
      }
      const response = collector.response();
      yield { ...RUN, type: "message", callId, message: response.message };
      usage = addModelCall(usage, response.usage);
      yield { ...RUN, type: "usage", callId, usage };
      yield event("model.completed");
      messages.push(response.message);
      yield { ...RUN, type: "update", phase: "parse", counters: {} as never, messages: messages.length };
      if (toolCalls(response.message).length === 0) break;
      yield* runTools(response.message, setting.tools, messages);
    }
    yield event("run.completed");
    yield { type: "final", run: runOf(messages) };
  } catch (error) {
    yield event("run.failed");
    throw error;
  }
}

function itemOf(delta: ModelDelta, callId: string): AgentStreamItem | undefined {
  switch (delta.type) {
    case "text":
    case "tool_call_start":
    case "tool_call_args":
    case "restart":
      return { ...RUN, callId, ...delta };
    default:
      return undefined;
  }
}

async function* runTools(
  message: AssistantMessage,
  tools: readonly AnyTool[],
  messages: Message[],
): AsyncGenerator<AgentStreamItem> {
  for (const call of toolCalls(message)) {
    const at = { ...RUN, callId: call.id, tool: call.name };
    yield { ...at, type: "tool_started", args: call.args };
    let result = toolMessage(call, "done");
    try {
      tools.find(({ spec }) => spec.name === call.name)?.execute(call.args as never, {} as never);
    } catch (error) {
      result = toolMessage(call, String(error), "failed");
    }
    messages.push(result);
    yield { ...at, type: "tool_result", result };
  }
}

function runOf(messages: readonly Message[]): AgentRun<unknown> {
  const last = messages.at(-1);
  return { ...RUN, status: "completed", text: last === undefined ? "" : text(last) } as AgentRun<unknown>;
}
