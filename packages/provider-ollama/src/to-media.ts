import { type AudioBlock, type Block, type FileBlock, type ImageBlock, TinyAgentsError } from "@tinyagents/core";

/** What has no place in a text. */
export type MediaBlock = ImageBlock | AudioBlock | FileBlock;

export function isMedia(block: Block): block is MediaBlock {
  return block.type === "image" || block.type === "audio" || block.type === "file";
}

/** The bytes of an image in base64, where it brings them: as they are, or in a `data:` URL. */
export function imageData({ source }: ImageBlock): string | undefined {
  if (source.type === "base64") return source.data;
  return source.type === "url" ? /^data:[^,]*;base64,(.*)$/is.exec(source.url)?.[1] : undefined;
}

/** The failure of a request that shows an image which Ollama would have to fetch. Nobody fetches it here either. */
export function unseenImage({ source }: ImageBlock): TinyAgentsError<"invalid_request"> {
  const place = source.type === "url" ? `the image at ${source.url}` : "an image that another provider keeps";
  return new TinyAgentsError(
    "invalid_request",
    `Ollama takes images as bytes, and is shown ${place}. Send its bytes.`,
    {
      details: { reason: "image_source" },
    },
  );
}

/** What stands in place of a medium: never its bytes, which would be read as text. */
export function mediaNote(block: MediaBlock): string {
  const { source } = block;
  const name = block.type === "file" && block.name !== undefined ? ` ${block.name}` : "";
  const kind = source.mediaType === undefined ? "" : ` (${source.mediaType})`;
  const place = source.type === "url" && !source.url.startsWith("data:") ? ` at ${source.url}` : "";
  return `[${block.type}${name}${kind}${place}]`;
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
