import type { AgentStreamItem, StreamMode } from "@tinyagents/core";

/** Every item of a stream. */
export async function itemsOf(stream: AsyncIterable<AgentStreamItem>): Promise<readonly AgentStreamItem[]> {
  const items: AgentStreamItem[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** What came of a stream that may fail. */
export async function outcomeOf(
  stream: AsyncIterable<AgentStreamItem>,
): Promise<{ readonly items: readonly AgentStreamItem[]; readonly failure: Promise<void> }> {
  const items: AgentStreamItem[] = [];
  try {
    for await (const item of stream) items.push(item);
    return { items, failure: Promise.resolve() };
  } catch (error) {
    const failure = Promise.reject(error);
    failure.catch(() => undefined);
    return { items, failure };
  }
}

const MODES: { readonly [T in AgentStreamItem["type"]]: StreamMode } = {
  text: "messages",
  reasoning: "messages",
  refusal: "messages",
  tool_call_start: "messages",
  tool_call_args: "messages",
  restart: "messages",
  message: "messages",
  tool_started: "tools",
  tool_progress: "tools",
  tool_result: "tools",
  usage: "usage",
  cost: "cost",
  update: "updates",
  memory: "updates",
  event: "events",
  final: "final",
};

/** The mode that an item belongs to; nothing for one of no known type. */
export function modeOf({ type }: AgentStreamItem): StreamMode | undefined {
  return MODES[type];
}

export const ALL_MODES: readonly StreamMode[] = [...new Set(Object.values(MODES))];
