import type { AgentEvent } from "../event/types.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { Message, ToolMessage } from "../message/message.js";
import type { CostTotals } from "../model/cost.js";
import type { UsageTotals } from "../model/usage.js";
import type { AgentRun } from "./run.js";
import type { Counters, Phase } from "./state.js";

/** Which items a stream has. */
export type StreamMode = "messages" | "tools" | "usage" | "cost" | "updates" | "events" | "final";

/** What every item says of where it comes from. */
interface FromRun {
  readonly runId: string;
}

interface FromCall extends FromRun {
  /** The model call or tool call. */
  readonly callId: string;
}

/** Mode `messages`: fragments as they come, then the message that they add up to. */
export type MessageItem =
  | (FromCall & { readonly type: "text"; readonly index: number; readonly text: string })
  | (FromCall & { readonly type: "reasoning"; readonly index: number; readonly text: string })
  | (FromCall & { readonly type: "refusal"; readonly index: number; readonly text: string })
  | (FromCall & {
      readonly type: "tool_call_start";
      readonly index: number;
      readonly id: string;
      readonly name: string;
    })
  | (FromCall & { readonly type: "tool_call_args"; readonly index: number; readonly args: string })
  /** Drop what this call had shown: a new attempt begins. */
  | (FromCall & { readonly type: "restart"; readonly attempt: number; readonly reason: string })
  | (FromCall & { readonly type: "message"; readonly message: Message });

/** Mode `tools`. Every `tool_started` is followed by one `tool_result` with its id. */
export type ToolItem =
  | (FromCall & {
      readonly type: "tool_started";
      readonly tool: string;
      readonly args: JsonObject;
      readonly label?: string;
    })
  | (FromCall & { readonly type: "tool_progress"; readonly tool: string; readonly delta: JsonValue })
  | (FromCall & { readonly type: "tool_result"; readonly tool: string; readonly result: ToolMessage });

/** Mode `usage`: totals after each model call. */
export interface UsageItem extends FromCall {
  readonly type: "usage";
  readonly usage: UsageTotals;
}

/** Mode `cost`: totals after each model call. */
export interface CostItem extends FromCall {
  readonly type: "cost";
  readonly cost: CostTotals;
}

/** Mode `updates`: state after each step, and memory. */
export type UpdateItem =
  | (FromRun & {
      readonly type: "update";
      readonly phase: Phase;
      readonly counters: Counters;
      readonly messages: number;
    })
  | (FromRun & {
      readonly type: "memory";
      readonly operation: "loaded" | "saved";
      readonly threadId: string;
      readonly messages: number;
    });

/** Mode `events`: every event, in order. */
export interface EventItem {
  readonly type: "event";
  readonly event: AgentEvent;
}

/** Mode `final`: the one last item. A run that fails has none: the stream throws its error. */
export interface FinalItem<Output = unknown> {
  readonly type: "final";
  readonly run: AgentRun<Output>;
}

/** An item of an agent's stream. */
export type AgentStreamItem<Output = unknown> =
  | MessageItem
  | ToolItem
  | UsageItem
  | CostItem
  | UpdateItem
  | EventItem
  | FinalItem<Output>;
