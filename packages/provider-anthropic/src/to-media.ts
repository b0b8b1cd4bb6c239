import {
  type Capability,
  type FileBlock,
  type ImageBlock,
  type JsonObject,
  type MediaBlock,
  type MediaSource,
  type ModelWarning,
  mediaNote,
} from "@tinyagents/core";

/** A medium as a content block; or a short note in its place, and a warning, where the wire has no form for it. */
export type WireMedium =
  | { readonly wire: JsonObject; readonly needs: Capability; readonly warning?: ModelWarning }
  | { readonly note: string; readonly warning: ModelWarning };

/**
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export function toMedium(block: MediaBlock, provider: string): WireMedium {
  switch (block.type) {
    case "image":
      return toImage(block, provider) ?? noted(block, "The Messages API takes JPEG, PNG, GIF and WebP images");
    case "audio":
      return noted(block, "The Messages API takes no audio");
    case "file":
      return toDocument(block, provider) ?? noted(block, "The Messages API takes PDF and text documents");
  }
}

function noted(block: MediaBlock, reason: string): WireMedium {
  const message = `${reason}; a note stands in place of this ${block.type}.`;
  return { note: mediaNote(block), warning: { code: "unsupported_setting", setting: "messages", message } };
}

const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function toImage({ source: given, detail }: ImageBlock, provider: string): WireMedium | undefined {
  const source = decoded(given);
  const wire = source.type === "base64" && !IMAGES.has(source.mediaType) ? undefined : plainSource(source, provider);
  if (wire === undefined) return undefined;
  const image = { wire: { type: "image", source: wire }, needs: "image_input" } as const;
  if (detail === undefined || detail === "auto") return image;
  const message = "The Messages API cannot be told how closely to look at an image.";
  return { ...image, warning: { code: "unsupported_setting", setting: "messages", message } };
}

function toDocument({ source: given, name }: FileBlock, provider: string): WireMedium | undefined {
  const source = decoded(given);
  const wire = documentSource(source, provider);
  if (wire === undefined) return undefined;
  const title = name === undefined ? {} : { title: name };
  return { wire: { type: "document", source: wire, ...title }, needs: "file_input" };
}

function documentSource(source: MediaSource, provider: string): JsonObject | undefined {
  const isPdf = source.mediaType === "application/pdf";
  if (source.type !== "base64")
    return isPdf || source.mediaType === undefined ? plainSource(source, provider) : undefined;
  if (isPdf) return plainSource(source, provider);
  const isText = source.mediaType.startsWith("text/") || source.mediaType === "application/json";
  const data = isText ? textFrom(source.data) : undefined;
  return data === undefined ? undefined : { type: "text", media_type: "text/plain", data };
}

/** Files of another provider have no form here. */
function plainSource(source: MediaSource, provider: string): JsonObject | undefined {
  switch (source.type) {
    case "base64":
      return { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "provider_file":
      return source.provider === provider ? { type: "file", file_id: source.fileId } : undefined;
  }
}

/** The bytes that a `data:` URL holds: the server fetches only what is elsewhere. */
function decoded(source: MediaSource): MediaSource {
  const parts = source.type === "url" ? /^data:([^;,]+);base64,(.*)$/s.exec(source.url) : null;
  const [, mediaType, data] = parts ?? [];
  return mediaType === undefined || data === undefined ? source : { type: "base64", mediaType, data };
}

/** The text that base64 holds, or nothing where it holds none. */
function textFrom(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trim() === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
