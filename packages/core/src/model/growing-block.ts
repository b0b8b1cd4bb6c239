import { isTinyAgentsError } from "../errors.js";
import { parseJson } from "../guarded-read.js";
import { isJsonObject, type JsonObject } from "../json.js";
import type { Block, ProviderMetadata, ToolCallBlock } from "../message/block.js";

/** A block that grows. Text collects in `text`, arguments in `args`; both are joined by the engine, not copied. */
export interface Growing {
  readonly kind: "text" | "reasoning" | "refusal" | "tool_call" | "block";
  readonly index: number;
  text: string;
  readonly id?: string;
  readonly name?: string;
  readonly block?: Block;
  providerMetadata?: ProviderMetadata;
}

/** A block that has grown to its end, as it stands in the message. */
export function finishBlock(growing: Growing): Block {
  const block = toBlock(growing);
  const metadata = growing.providerMetadata;
  return metadata === undefined
    ? block
    : { ...block, providerMetadata: mergeMetadata(block.providerMetadata, metadata) };
}

/** How many characters of a whole block a model wrote; media count as none. */
export function charsOf(block: Block): number {
  if (block.type === "text" || block.type === "reasoning" || block.type === "refusal") return block.text.length;
  if (block.type === "tool_call") return block.name.length + (block.invalid?.raw ?? JSON.stringify(block.args)).length;
  return 0;
}

function toBlock(growing: Growing): Block {
  switch (growing.kind) {
    case "text":
    case "reasoning":
    case "refusal":
      return { type: growing.kind, text: growing.text };
    case "tool_call":
      return toolCallBlock(growing.id ?? "", growing.name ?? "", growing.text);
    case "block":
      return growing.block as Block;
  }
}

/**
 * A tool call from the JSON text of its arguments. Nothing, or white space, means no arguments. Text that is no JSON
 * object gives a call that is `invalid` and keeps the text.
 */
export function toolCallBlock(id: string, name: string, argsText: string): ToolCallBlock {
  if (argsText.trim() === "") return { type: "tool_call", id, name, args: {} };
  try {
    const args = parseJson(argsText, { place: "the arguments", maxDepth: DEEPEST_ARGS });
    if (isJsonObject(args)) return { type: "tool_call", id, name, args };
    return invalidCall(id, name, argsText, "The arguments are JSON, but no object.");
  } catch (error) {
    if (!isTinyAgentsError(error, "corrupt_data")) throw error;
    return invalidCall(id, name, argsText, error.details.reason);
  }
}

/** The deepest that arguments may be nested, so that a state that holds them can still be read. */
const DEEPEST_ARGS = 200;

function invalidCall(id: string, name: string, raw: string, reason: string): ToolCallBlock {
  return { type: "tool_call", id, name, args: {}, invalid: { reason, raw } };
}

/** Metadata of two deltas: keys of the later one win. */
export function mergeMetadata(one: ProviderMetadata | undefined, other: ProviderMetadata): ProviderMetadata {
  if (one === undefined) return other;
  const merged: { [provider: string]: JsonObject } = { ...one };
  for (const [provider, entries] of Object.entries(other)) merged[provider] = { ...merged[provider], ...entries };
  return merged;
}
