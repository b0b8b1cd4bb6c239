import type {
  AgentState,
  BatchCall,
  BatchTrace,
  Counters,
  HistoryEdit,
  JsonValue,
  Message,
  ModelUsage,
} from "@tinyagents/core";
import type { Mutable } from "../mutable.js";

/** A batch while it is run: the calls are filled in where they stand. */
export interface LiveBatch {
  readonly modelCallId: string;
  readonly calls: Mutable<BatchCall>[];
}

/** The state as the loop that owns it sees it: the same object, open to changes in place. */
export type LiveState = Mutable<
  Omit<
    AgentState,
    "messages" | "counters" | "batch" | "edits" | "recentBatches" | "usageByModel" | "middleware" | "answers"
  >
> & {
  messages: Message[];
  readonly counters: Mutable<Counters>;
  batch: LiveBatch | null;
  edits: HistoryEdit[];
  recentBatches: Mutable<BatchTrace>[];
  readonly usageByModel: Mutable<ModelUsage>[];
  readonly middleware: { [name: string]: JsonValue };
  readonly answers: { [name: string]: JsonValue };
};

/** Takes a state over. Nobody else may use it from here on. */
export function takeOver(state: AgentState): LiveState {
  return state as unknown as LiveState;
}

/** Hands a state out: readonly to whoever gets it. */
export function handOut(state: LiveState): AgentState {
  return state as unknown as AgentState;
}

/** Sets a key whatever its name is: `__proto__` too becomes an entry, and no prototype changes. */
export function setOwn(target: { [name: string]: JsonValue }, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
