import type { JsonObject } from "@tinyagents/core";

/** A tool call that was decided on. */
export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** What the model does with its turn. */
export type Reply =
  | { readonly type: "answer"; readonly text: string }
  | { readonly type: "calls"; readonly calls: readonly PlannedCall[] };

export function answer(text: string): Reply {
  return { type: "answer", text };
}

export function call(calls: readonly PlannedCall[]): Reply {
  return { type: "calls", calls };
}
