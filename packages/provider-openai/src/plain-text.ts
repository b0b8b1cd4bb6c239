import type { AudioBlock, Block, FileBlock, ImageBlock } from "@tinyagents/core";

export type MediaBlock = ImageBlock | AudioBlock | FileBlock;

export function isMedia(block: Block): block is MediaBlock {
  return block.type === "image" || block.type === "audio" || block.type === "file";
}

/** A block as text. What only its provider understands has none. */
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

/** What stands in place of a medium: never its bytes, which would be billed as text. */
export function mediaNote(block: MediaBlock): string {
  const { source } = block;
  const name = block.type === "file" && block.name !== undefined ? ` ${block.name}` : "";
  const kind = source.mediaType === undefined ? "" : ` (${source.mediaType})`;
  const place = source.type === "url" && !source.url.startsWith("data:") ? ` at ${source.url}` : "";
  return `[${block.type}${name}${kind}${place}]`;
}
