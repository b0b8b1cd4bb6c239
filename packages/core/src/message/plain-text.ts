import type { AudioBlock, Block, FileBlock, ImageBlock } from "./block.js";

/** A block whose content is bytes somewhere. */
export type MediaBlock = ImageBlock | AudioBlock | FileBlock;

/** Whether a block is a medium: an image, a recording, a document. */
export function isMedia(block: Block): block is MediaBlock {
  return block.type === "image" || block.type === "audio" || block.type === "file";
}

/**
 * For adapters: a block as text, for a place on the wire that holds nothing else. A medium is a short note. Thoughts,
 * citations, calls and what only its provider understands have no text here: they have places of their own, or none.
 */
export function plainText(block: Block): string {
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text;
    case "json":
      return JSON.stringify(block.value);
    case "tool_result":
      return block.content.map(plainText).join("\n");
    case "image":
    case "audio":
    case "file":
      return mediaNote(block);
    case "citation":
    case "reasoning":
    case "tool_call":
    case "provider":
      return "";
  }
}

/** What stands in place of a medium that cannot be sent: never its bytes, which would be billed as text. */
export function mediaNote(block: MediaBlock): string {
  const { source } = block;
  const name = block.type === "file" && block.name !== undefined ? ` ${block.name}` : "";
  const kind = source.mediaType === undefined ? "" : ` (${source.mediaType})`;
  const place = source.type === "url" && !source.url.startsWith("data:") ? ` at ${source.url}` : "";
  return `[${block.type}${name}${kind}${place}]`;
}
