import type { JsonObject, ModelRequest } from "@tinyagents/core";

/** A tool call that was decided on. */
export interface MockCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Unique in its history. Default: made from the number of messages and the call's place. */
  readonly id?: string;
}

/** What the model does with its turn. */
export type MockReply =
  | { readonly type: "answer"; readonly text: string }
  /** `text` comes before the calls. */
  | { readonly type: "calls"; readonly calls: readonly MockCall[]; readonly text?: string };

/** A rule of the application's own. Nothing leaves the request to the next rule. Pure: the same request, the same reply. */
export type MockRule = (request: ModelRequest) => MockReply | undefined;

export function answer(text: string): MockReply {
  return { type: "answer", text };
}

export function call(calls: readonly MockCall[]): MockReply {
  return { type: "calls", calls };
}
