import type { JsonValue } from "@tinyagents/core";
import type { ScriptedToolCall } from "../answer.js";
import { callIdsAfter } from "../call-ids.js";

/** A tool call as it goes over the wire. */
export interface NamedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model writes them. */
  readonly argsText: string;
}

/** The calls with their ids: those that have none are counted on from what the request had used. */
export function namedCalls(calls: readonly ScriptedToolCall[], used: readonly string[]): readonly NamedCall[] {
  const nextId = callIdsAfter([...used, ...calls.flatMap(({ id }) => id ?? [])]);
  return calls.map(({ id, name, args = {}, rawArgs }) => ({
    id: id ?? nextId(),
    name,
    argsText: rawArgs ?? JSON.stringify(args),
  }));
}

/** The arguments as data, for an API that has no text of them; as text where they are no JSON. */
export function argsValue({ argsText }: NamedCall): JsonValue {
  if (argsText.trim() === "") return {};
  try {
    return JSON.parse(argsText) as JsonValue;
  } catch {
    return argsText;
  }
}
