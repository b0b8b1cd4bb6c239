import type { TinyAgentsError } from "../errors.js";
import type { JsonValue } from "../json.js";

/**
 * What a hook may want of the loop, besides replacing what it was given. `stop` ends the run with a payload and no
 * made-up answer. `interrupt` pauses it; whoever resumes it answers. `jump` goes to the model, to the tool calls that
 * are due, or to the end. `retry` (from `onError`, about a model call) asks once more. `fail` ends the run.
 */
export type Control =
  | { readonly type: "fail"; readonly error: TinyAgentsError }
  | { readonly type: "interrupt"; readonly payload: JsonValue }
  | { readonly type: "stop"; readonly payload?: JsonValue }
  | { readonly type: "jump"; readonly to: "model" | "tools" | "end" }
  | { readonly type: "retry" };

const RANK: { readonly [T in Control["type"]]: number } = { fail: 4, interrupt: 3, stop: 2, jump: 1, retry: 0 };

/** The control that is honoured when two are asked for at once: the stronger; of equals, the first. */
export function strongerControl<C extends Control>(first: C | undefined, second: C | undefined): C | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return RANK[second.type] > RANK[first.type] ? second : first;
}
