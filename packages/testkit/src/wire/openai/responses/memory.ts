import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

/** An item that the server has given, and what it remembers of it. */
interface KnownItem {
  readonly item: JsonObject;
  /** Whether its response is stored, so that the item may be named in place of being sent. */
  readonly stored: boolean;
  /** The reasoning that it came right after; it cannot be sent without. */
  readonly reasoning: string | undefined;
}

/** What a server remembers of its responses. */
export interface Memory {
  item(id: string): KnownItem | undefined;
  /** The items of a stored response and of all before it; nothing where there is none of that id. */
  conversation(responseId: string): readonly JsonObject[] | undefined;
  /** Keeps a response with the request that it answers. */
  keep(responseId: string, request: JsonObject, output: readonly JsonObject[]): void;
}

export function memory(): Memory {
  const items = new Map<string, KnownItem>();
  const conversations = new Map<string, readonly JsonObject[]>();
  return {
    item: (id) => items.get(id),
    conversation: (id) => conversations.get(id),
    keep(responseId, request, output) {
      const stored = request.store !== false;
      let reasoning: string | undefined;
      for (const item of output) {
        if (typeof item.id === "string") items.set(item.id, { item, stored, reasoning });
        reasoning = item.type === "reasoning" && typeof item.id === "string" ? item.id : undefined;
      }
      if (!stored) return;
      const earlier = conversations.get(String(request.previous_response_id)) ?? [];
      conversations.set(responseId, [...earlier, ...inputItems(request.input), ...output]);
    },
  };
}

/** The items of an input. A text is a message to which nothing refers, and none here. */
export function inputItems(input: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(input) ? input.filter(isJsonObject) : [];
}
