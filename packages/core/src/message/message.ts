import type { JsonObject } from "../json.js";
import type { FinishReason } from "../model/delta.js";
import type { ResolvedModel } from "../model/profile.js";
import type { Usage } from "../model/usage.js";
import type { StoreKey } from "../store/store.js";
import type { Block, ProviderMetadata } from "./block.js";

/** Instructions. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: readonly Block[];
  readonly id?: string;
}

/** What a person, or the program that stands for one, says. */
export interface UserMessage {
  readonly role: "user";
  readonly content: readonly Block[];
  readonly id?: string;
  /** Who speaks, where several do. */
  readonly name?: string;
  /** Free for the application; no model sees it. */
  readonly metadata?: JsonObject;
}

/** What a model answered. Its tool calls are blocks, in the model's order: `toolCalls(message)` reads them. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly Block[];
  readonly id?: string;
  readonly usage?: Usage;
  readonly finishReason?: FinishReason;
  readonly model?: ResolvedModel;
  /** The provider's id of the response. */
  readonly responseId?: string;
  readonly providerMetadata?: ProviderMetadata;
}

/** Every {@link ToolStatus}. */
export const TOOL_STATUSES = [
  "ok",
  "failed",
  "invalid",
  "unknown_tool",
  "denied",
  "timeout",
  "cancelled",
  "not_run",
  "superseded",
] as const;

/** How a tool call ended. Everything but `ok` and `failed` means that the tool did not run to its end. */
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/** What came of one tool call. What a tool returned as a value is a `json` block (a string: a `text` block). */
export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly name: string;
  readonly content: readonly Block[];
  readonly isError: boolean;
  readonly status: ToolStatus;
  readonly id?: string;
  /** From the start of execution to its end. Absent for what did not run. */
  readonly elapsedMs?: number;
  /** How often it was tried, where more than once. */
  readonly attempts?: number;
  /** One line for the person who watches. The model does not see it. */
  readonly summary?: string;
  /** Where larger outputs were put. */
  readonly artifacts?: readonly ArtifactReference[];
  /** The result was cut to its cap; the number is its full length in characters. */
  readonly truncatedFrom?: number;
}

/** Where an output is kept that is too large, or too private, for the history. */
export interface ArtifactReference {
  /** In the run's store `artifacts`. */
  readonly key: StoreKey;
  readonly mediaType: string;
  /** Length, in bytes. */
  readonly bytes: number;
  readonly name?: string;
}

/** One message of a history. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
