import type { JsonObject, ModelRequest } from "@tinyagents/core";

/** A tool call that was decided on. */
export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Unique in its history. Default: made from the number of messages and the call's place. */
  readonly id?: string;
}

/** What the model does with its turn. */
export type Reply =
  | { readonly type: "answer"; readonly text: string }
  /** `text` comes before the calls. */
  | { readonly type: "calls"; readonly calls: readonly PlannedCall[]; readonly text?: string };

/** A rule of the application's own. Nothing leaves the request to the next rule. Pure: the same request, the same reply. */
export type MockRule = (request: ModelRequest) => Reply | undefined;

export function answer(text: string): Reply {
  return { type: "answer", text };
}

export function call(calls: readonly PlannedCall[]): Reply {
  return { type: "calls", calls };
}
