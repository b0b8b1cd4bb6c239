import type { ToolCallBlock } from "./block.js";
import { toolCalls, toolMessage } from "./build.js";
import type { Message, ToolMessage } from "./message.js";

/** Where a history breaks the rule that every tool call has exactly one result, in its place. */
export interface HistoryProblem {
  readonly type: "unanswered_call" | "orphan_result" | "repeated_result" | "repeated_call_id";
  /** Place in the history of the message that is wrong: of the call for `unanswered_call`. */
  readonly index: number;
  readonly callId: string;
}

/** A mended history, and what had to be mended. */
export interface RepairedHistory {
  readonly messages: readonly Message[];
  readonly problems: readonly HistoryProblem[];
}

/**
 * Says where a history breaks invariant H: each tool call of an assistant message is followed, before the next
 * message that is no tool message, by exactly one result with its id, and no result stands without its call. Results
 * of tools that the provider ran (`tool_result` blocks) are no messages and are not looked at.
 */
export function checkHistory(messages: readonly Message[]): readonly HistoryProblem[] {
  const problems: HistoryProblem[] = [];
  walkHistory(messages, (problem) => problems.push(problem));
  return problems;
}

/**
 * Mends what {@link checkHistory} finds: a call without a result gets one that says it was not run, at the end of its
 * batch; a result without a call, and a second result for a call, are dropped. A call id that stands twice is
 * reported and left. A sound history comes back as it is.
 */
export function repairHistory(messages: readonly Message[]): RepairedHistory {
  const problems = checkHistory(messages);
  if (problems.length === 0) return { messages, problems };
  const dropped = new Set<number>();
  for (const problem of problems) {
    if (problem.type === "orphan_result" || problem.type === "repeated_result") dropped.add(problem.index);
  }
  const mended: Message[] = [];
  let open: Map<string, string> = new Map();
  const close = (): void => {
    for (const [id, name] of open) mended.push(notRun({ id, name }));
    open = new Map();
  };
  messages.forEach((message, index) => {
    if (dropped.has(index)) return;
    if (message.role === "tool") open.delete(message.toolCallId);
    else {
      close();
      for (const call of callsOf(message)) open.set(call.id, call.name);
    }
    mended.push(message);
  });
  close();
  return { messages: mended, problems };
}

/** The stand-in for the result of a call that never ran. */
function notRun(call: { readonly id: string; readonly name: string }): ToolMessage {
  return toolMessage(call, "This call was not run: the work was interrupted before its result was known.", "not_run");
}

/** Only a model calls tools: what stands in anybody else's message is content. */
function callsOf(message: Message): readonly ToolCallBlock[] {
  return message.role === "assistant" ? toolCalls(message) : [];
}

function walkHistory(messages: readonly Message[], report: (problem: HistoryProblem) => void): void {
  /** Ids of all calls so far. Made with the first call: most short histories have none. */
  let everIssued: Set<string> | undefined;
  /** Calls of the batch at hand: id to whether its result has come. */
  let batch: Map<string, boolean> | undefined;
  let batchIndex = 0;
  const closeBatch = (): void => {
    if (batch === undefined) return;
    for (const [callId, answered] of batch) {
      if (!answered) report({ type: "unanswered_call", index: batchIndex, callId });
    }
    batch = undefined;
  };
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message;
    if (message.role === "tool") {
      const answered = batch?.get(message.toolCallId);
      if (answered === undefined) report({ type: "orphan_result", index, callId: message.toolCallId });
      else if (answered) report({ type: "repeated_result", index, callId: message.toolCallId });
      else batch?.set(message.toolCallId, true);
      continue;
    }
    closeBatch();
    batchIndex = index;
    if (message.role !== "assistant") continue;
    for (const call of toolCalls(message)) {
      everIssued ??= new Set();
      batch ??= new Map();
      if (everIssued.has(call.id)) report({ type: "repeated_call_id", index, callId: call.id });
      everIssued.add(call.id);
      batch.set(call.id, false);
    }
  }
  closeBatch();
}
