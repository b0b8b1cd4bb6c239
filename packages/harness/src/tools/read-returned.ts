import {
  type Block,
  type ContentOutcome,
  isTinyAgentsError,
  isToolOutcome,
  readBlocks,
  TinyAgentsError,
  type ToolInvocation,
  type ToolMessage,
  type ToolOutcome,
} from "@tinyagents/core";
import { requestsBelow } from "../sub-agent.js";
import { plainJson } from "./plain-json.js";

/** What a tool returned, as copies that nobody else holds. */
export interface Returned {
  readonly content: ToolMessage["content"];
  readonly isError: boolean;
  readonly summary?: string;
  /** What it asks of the run besides. */
  readonly outcome?: ToolOutcome;
}

/**
 * Reads what a tool returned: an outcome, or else a value.
 * @throws `tool_failed` for what is not JSON, and for content that is none; it names the place.
 */
export function readReturned(call: ToolInvocation, value: unknown): Returned {
  if (!isToolOutcome(value)) return { content: blocksOfValue(call, value), isError: false };
  if (value.type === "content") return readContent(call, value);
  const outcome = readEnd(call, value);
  return { content: blocksOfValue(call, outcome.payload), isError: false, outcome };
}

/** A value as blocks: a text as it is, anything else as JSON. */
function blocksOfValue({ name, id }: ToolInvocation, value: unknown): readonly Block[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return [{ type: "json", value: plainJson(name, id, value) }];
}

function readContent(call: ToolInvocation, { content, isError, summary }: ContentOutcome): Returned {
  const copied = plainJson(call.name, call.id, content, "returned", "content");
  try {
    const blocks = readBlocks(copied, "content");
    blocks.forEach(refuseCalls);
    if (summary !== undefined && typeof summary !== "string") throw new TypeError("summary: a text is expected");
    const read = { content: blocks, isError: isError === true };
    return summary === undefined ? read : { ...read, summary };
  } catch (error) {
    throw wrongContent(call, error);
  }
}

/** Calls and their results are the loop's to write: out of a tool they would be answered by nobody. */
function refuseCalls({ type }: Block, index: number): void {
  if (type !== "tool_call" && type !== "tool_result") return;
  throw new TypeError(`content[${index}].type: a tool cannot give blocks of the type "${type}"`);
}

function wrongContent({ name, id }: ToolInvocation, error: unknown): TinyAgentsError<"tool_failed"> {
  const reason = isTinyAgentsError(error, "corrupt_data")
    ? `${error.details.place}: ${error.details.reason}`
    : (error as Error).message;
  return new TinyAgentsError("tool_failed", `The tool ${name} returned content that cannot be read: ${reason}`, {
    details: { tool: name, callId: id },
  });
}

/** An outcome whose data is nothing but JSON: it goes into the run's state. */
function readEnd({ name, id }: ToolInvocation, outcome: Exclude<ToolOutcome, ContentOutcome>): typeof outcome {
  // The state of a run below was made by the loop.
  if (requestsBelow(outcome) !== undefined) return outcome;
  const payload = plainJson(name, id, outcome.payload, "returned", "payload");
  if (outcome.type === "stop" || outcome.state === undefined) return { type: outcome.type, payload };
  return { type: "interrupt", payload, state: plainJson(name, id, outcome.state, "returned", "state") };
}
