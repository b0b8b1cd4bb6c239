import type { JsonValue } from "../json.js";
import type { Block } from "../message/block.js";
import { blocks, type Content } from "../message/build.js";

/** Registered, so that outcomes made by another installed copy count; absent from the types, so that they fit. */
const BRAND: symbol = Symbol.for("@tinyagents/tool-outcome");

/** A result that is content blocks: text beside images, or text that must not be quoted as JSON. */
export interface ContentOutcome {
  readonly type: "content";
  readonly content: readonly Block[];
  /** One line for the person who watches. */
  readonly summary?: string;
  /** The call failed, though the tool did not throw: the model is told so. */
  readonly isError: boolean;
}

/** The run ends after this batch, with this as its answer. */
export interface StopOutcome {
  readonly type: "stop";
  readonly payload: JsonValue;
}

/** The run pauses after this batch and asks somebody. */
export interface InterruptOutcome {
  readonly type: "interrupt";
  readonly payload: JsonValue;
  /** What the tool wants back when the run goes on; with it, the tool is called again. */
  readonly state?: JsonValue;
}

/** A result that is more than a value. Only these are: a plain object that looks like one is data. */
export type ToolOutcome = ContentOutcome | StopOutcome | InterruptOutcome;

/**
 * A tool result made of blocks, or of plain text.
 * @throws TypeError for anything else, and for a summary that is no text.
 */
export function content(
  value: Content,
  { summary, isError = false }: { readonly summary?: string | undefined; readonly isError?: boolean | undefined } = {},
): ContentOutcome {
  if (typeof value !== "string" && !Array.isArray(value))
    throw new TypeError("content: a text or a list of blocks is expected");
  if (summary !== undefined && typeof summary !== "string") throw new TypeError("content: summary: a text is expected");
  return brand({ type: "content", content: blocks(value), isError, ...(summary === undefined ? {} : { summary }) });
}

/** Ends the run early: `payload` is in `run.stop`, and no final answer is made up. */
export function stop(payload: JsonValue = null): StopOutcome {
  return brand({ type: "stop", payload });
}

/**
 * Pauses the run. Without `state` the answer becomes the result of this call. With `state` the tool is called again,
 * with `runtime.resumed` holding the state and the answer.
 */
export function interrupt(
  payload: JsonValue,
  { state }: { readonly state?: JsonValue | undefined } = {},
): InterruptOutcome {
  return brand({ type: "interrupt", payload, ...(state === undefined ? {} : { state }) });
}

/** Whether a tool returned one of the outcomes above. */
export function isToolOutcome(value: unknown): value is ToolOutcome {
  if (typeof value !== "object" || value === null) return false;
  try {
    const { [BRAND]: branded, type } = value as { readonly [key: PropertyKey]: unknown };
    return branded === true && (type === "content" || type === "stop" || type === "interrupt");
  } catch {
    // What throws when it is looked at is nothing of ours.
    return false;
  }
}

function brand<T extends ToolOutcome>(outcome: T): T {
  return Object.defineProperty(outcome, BRAND, { value: true });
}
