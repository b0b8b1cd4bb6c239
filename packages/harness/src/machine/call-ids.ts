import { type AssistantMessage, type Message, type ToolCallBlock, toolCalls } from "@tinyagents/core";
import type { LiveState } from "../run/live-state.js";

/**
 * Servers that number their calls per answer give an id twice. The second gets a name of its own, and keeps what the
 * server called it. `seen` has the ids before the last answer, and gets those of the answer too.
 */
export function renameRepeatedCalls(state: LiveState, seen: Set<string>): void {
  const at = state.messages.length - 1;
  const last = state.messages[at];
  if (last?.role !== "assistant") return;
  const calls = toolCalls(last);
  if (calls.length === 0) return;
  let renamed: AssistantMessage | undefined;
  for (const call of calls) {
    const before = seen.size;
    // One look in place of two: a known id leaves the set as it was.
    if (call.id !== "" && seen.add(call.id).size > before) continue;
    const id = freeId(seen, call.id === "" ? "call" : call.id);
    renamed = rename(renamed ?? last, call, id);
    seen.add(id);
  }
  if (renamed !== undefined) state.messages[at] = renamed;
}

/** Ids of the calls in the messages before `end`. */
export function idsBefore(messages: readonly Message[], end: number): Set<string> {
  const ids = new Set<string>();
  for (let i = 0; i < end; i++) {
    const message = messages[i];
    if (message?.role === "assistant") for (const call of toolCalls(message)) ids.add(call.id);
  }
  return ids;
}

function freeId(seen: ReadonlySet<string>, id: string): string {
  for (let n = 2; ; n++) {
    const candidate = `${id}_${n}`;
    if (!seen.has(candidate)) return candidate;
  }
}

function rename(message: AssistantMessage, call: ToolCallBlock, id: string): AssistantMessage {
  const content = message.content.map((block) =>
    block === call ? { ...call, id, originalId: call.originalId ?? call.id } : block,
  );
  return { ...message, content };
}
