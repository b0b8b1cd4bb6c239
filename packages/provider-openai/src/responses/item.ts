import {
  argsText,
  type Block,
  isJsonObject,
  type JsonObject,
  type ProviderMetadata,
  type RefusalBlock,
  type TextBlock,
  textOf,
  toolCallBlock,
} from "@tinyagents/core";

/**
 * An item of an answer, in the forms that both deliveries share. What our blocks have no place for (ids, encrypted
 * thoughts, phases) goes into their metadata as `item`, and from there back onto the wire.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 */
export function blocksOfItem(item: JsonObject, provider: string): readonly Block[] {
  switch (item.type) {
    case "message":
      return blocksOfMessage(item, provider);
    case "reasoning":
      return [{ type: "reasoning", text: thoughtOf(item), providerMetadata: metadataOf(item, provider) }];
    case "function_call": {
      const call = toolCallBlock(textOf(item.call_id), textOf(item.name), argsText(item.arguments));
      return [{ ...call, providerMetadata: metadataOf(item, provider) }];
    }
    default:
      return [{ type: "provider", provider, value: item }];
  }
}

/** What a block keeps of the item that it was, or was a part of. */
export function metadataOf(item: JsonObject, provider: string, part: JsonObject = NOTHING): ProviderMetadata {
  const said = Object.entries(part).filter(([key, value]) => !PART_FIELDS.has(key) && value !== null);
  // A list of details about each token that nobody asked for.
  const own = Object.fromEntries(said.filter(([key, value]) => key !== "logprobs" || !isEmpty(value)));
  const kept = item.type === "reasoning" ? item : without(item, CONTENT_FIELDS);
  return { [provider]: { item: kept, ...own } };
}

/** The texts of a message item, then what stands beside them, as it does when they are streamed. */
function blocksOfMessage(item: JsonObject, provider: string): readonly Block[] {
  const said = partsOf(item).filter(isSaid);
  const texts = said.map((part): TextBlock | RefusalBlock => {
    const providerMetadata = metadataOf(item, provider, part);
    return part.type === "refusal"
      ? { type: "refusal", text: textOf(part.refusal), providerMetadata }
      : { type: "text", text: textOf(part.text), providerMetadata };
  });
  return [...texts.filter(({ type, text }) => type === "refusal" || text !== ""), ...besideTexts(item, provider)];
}

/** Whether a part is text of some kind. */
export function isSaid({ type }: JsonObject): boolean {
  return type === "output_text" || type === "refusal";
}

/** Parts that nobody knows, each as an item of its own; then what the texts cite. */
export function besideTexts(item: JsonObject, provider: string): readonly Block[] {
  const parts = partsOf(item);
  const unknown = parts.filter((part) => !isSaid(part));
  const sources = parts.flatMap(({ annotations }) =>
    Array.isArray(annotations) ? annotations.filter(isJsonObject) : [],
  );
  return [
    ...unknown.map((part): Block => ({ type: "provider", provider, value: { ...item, content: [part] } })),
    ...sources.map((source): Block => ({ type: "citation", source })),
  ];
}

/** The parts of a message item. */
export function partsOf({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** The text of a reasoning item: the model's own words where the server gives them, and their summary. */
export function thoughtOf(item: JsonObject): string {
  return [...partsOf(item), ...partsOf({ content: item.summary ?? null })]
    .map(({ text }) => textOf(text))
    .filter((text) => text !== "")
    .join(THOUGHT_BREAK);
}

/** Between the parts of a thought. */
export const THOUGHT_BREAK = "\n\n";

const NOTHING: JsonObject = {};
const PART_FIELDS: ReadonlySet<string> = new Set(["type", "text", "refusal", "annotations"]);
const CONTENT_FIELDS: ReadonlySet<string> = new Set(["content", "arguments", "call_id", "name"]);

function without(item: JsonObject, fields: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(item).filter(([key, value]) => !fields.has(key) && value !== null));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
