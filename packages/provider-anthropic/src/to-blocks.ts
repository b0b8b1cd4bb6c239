import {
  type AssistantMessage,
  type Block,
  type Capability,
  type CitationBlock,
  hashText,
  isJsonObject,
  isMedia,
  type JsonObject,
  type ModelWarning,
  plainText,
  type ReasoningBlock,
  type ToolCallBlock,
  type ToolMessage,
} from "@tinyagents/core";
import { toMedium } from "./to-media.js";
import { wireId } from "./tool-ids.js";

/** Content as it stands on the wire, with what it asks of the model. */
export interface WireContent {
  readonly content: readonly JsonObject[];
  readonly needs: readonly Capability[];
  readonly warnings: readonly ModelWarning[];
}

/** What people, programs and tools say. Media are part of it where `mediaAllowed`. */
export function spokenContent(blocks: readonly Block[], provider: string, mediaAllowed: boolean): WireContent {
  const content: JsonObject[] = [];
  const needs: Capability[] = [];
  const warnings: ModelWarning[] = [];
  for (const block of blocks) {
    const own = ownFields(block, provider);
    const medium = isMedia(block) && mediaAllowed ? toMedium(block, provider) : undefined;
    if (medium?.warning !== undefined) warnings.push(medium.warning);
    if (medium !== undefined && "wire" in medium) {
      needs.push(medium.needs);
      content.push({ ...own, ...medium.wire });
      continue;
    }
    if (block.type === "provider") {
      if (block.provider === provider && isJsonObject(block.value)) content.push({ ...block.value, ...own });
      continue;
    }
    const text = medium === undefined ? plainText(block) : medium.note;
    if (text.trim() !== "") content.push({ ...own, type: "text", text });
  }
  return { content, needs, warnings };
}

/** What came of a tool call. Images and documents stay inside; of a failure the server takes text alone, and some. */
export function resultContent(message: ToolMessage, provider: string): WireContent {
  const { isError, toolCallId } = message;
  const { content, needs, warnings } = spokenContent(message.content, provider, !isError);
  const inner = content
    .filter(({ type }) => !isError || type === "text")
    .map(({ cache_control: _, ...block }) => block);
  if (isError && inner.length === 0) inner.push({ type: "text", text: "(failed without a word)" });
  const hint = content.findLast((block) => block.cache_control !== undefined)?.cache_control;
  const result = {
    type: "tool_result",
    tool_use_id: wireId(toolCallId),
    ...(inner.length === 0 ? {} : { content: inner }),
    ...(isError ? { is_error: true } : {}),
    ...(hint === undefined ? {} : { cache_control: hint }),
  };
  return { content: [result], needs, warnings };
}

/** What a model answered, this one or another: what only its provider understands goes back to that provider alone. */
export function answerContent(message: AssistantMessage, provider: string): WireContent {
  const content: JsonObject[] = [];
  for (const block of message.content) {
    if (block.type === "citation") attachCitation(content, block, provider);
    else {
      const wire = answerBlock(block, provider);
      if (wire !== undefined) content.push(wire);
    }
  }
  return { content, needs: [], warnings: [] };
}

function answerBlock(block: Block, provider: string): JsonObject | undefined {
  switch (block.type) {
    case "tool_call":
      return toCall(block, provider);
    case "reasoning":
      return toThinking(block, provider);
    case "provider":
      return block.provider === provider && isJsonObject(block.value) ? block.value : undefined;
    case "refusal":
      // This provider's words for a refusal are no part of what the model said.
      if (block.providerMetadata?.[provider] !== undefined) return undefined;
  }
  const text = plainText(block);
  return text.trim() === "" ? undefined : { ...ownFields(block, provider), type: "text", text };
}

/** Arguments that could not be parsed are `{}` here: their text is for a repair, and the server takes objects alone. */
function toCall(block: ToolCallBlock, provider: string): JsonObject {
  return { ...ownFields(block, provider), type: "tool_use", id: wireId(block.id), name: block.name, input: block.args };
}

/**
 * A thought as the server gave it. One without a signature was broken off, or is another provider's; one whose text is
 * no longer what was signed would have the whole request refused. None of them is sent.
 */
function toThinking(block: ReasoningBlock, provider: string): JsonObject | undefined {
  const { redactedData, signature, textHash, ...rest } = block.providerMetadata?.[provider] ?? {};
  if (typeof redactedData === "string") {
    return redactedData === "" ? undefined : { type: "redacted_thinking", data: redactedData };
  }
  if (typeof signature !== "string" || signature === "") return undefined;
  if (textHash !== undefined && textHash !== hashText(block.text)) return undefined;
  return { ...rest, type: "thinking", thinking: block.text, signature };
}

/** Citations follow the text that they belong to. Those of another provider have no form here. */
function attachCitation(content: JsonObject[], block: CitationBlock, provider: string): void {
  const text = content.at(-1);
  if (block.providerMetadata?.[provider] === undefined || text?.type !== "text") return;
  const before = Array.isArray(text.citations) ? text.citations : [];
  content[content.length - 1] = { ...text, citations: [...before, block.source] };
}

/** What was attached to a block for this provider; a hint for the cache becomes the wire's own. */
function ownFields(block: Block, provider: string): JsonObject {
  const { cacheControl, ...fields } = block.providerMetadata?.[provider] ?? {};
  return isJsonObject(cacheControl) ? { ...fields, cache_control: cacheControl } : fields;
}
