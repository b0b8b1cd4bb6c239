import {
  type AudioBlock,
  type Capability,
  type FileBlock,
  type ImageBlock,
  type JsonObject,
  type MediaBlock,
  type MediaSource,
  type ModelWarning,
  mediaNote,
} from "@tinyagents/core";

/** A medium as a content part; or a short note in its place, and a warning, where the wire has no form for it. */
export type MediaPart =
  | { readonly part: JsonObject; readonly needs: Capability }
  | { readonly note: string; readonly warning: ModelWarning };

/** @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages */
export function toMediaPart(block: MediaBlock, provider: string): MediaPart {
  switch (block.type) {
    case "image":
      return toImage(block) ?? noted(block, "Chat Completions takes images as bytes or by URL");
    case "audio":
      return toAudio(block) ?? noted(block, "Chat Completions takes audio as WAV or MP3 bytes");
    case "file":
      return toFile(block, provider) ?? noted(block, "Chat Completions takes files as bytes or by the id it gave them");
  }
}

function noted(block: MediaBlock, reason: string): MediaPart {
  const message = `${reason}; a note stands in place of this ${block.type}.`;
  return { note: mediaNote(block), warning: { code: "unsupported_setting", setting: "messages", message } };
}

function toImage({ source, detail }: ImageBlock): MediaPart | undefined {
  const url = source.type === "url" ? source.url : dataUrl(source);
  if (url === undefined) return undefined;
  const image_url = detail === undefined ? { url } : { url, detail };
  return { part: { type: "image_url", image_url }, needs: "image_input" };
}

const AUDIO_FORMATS: { readonly [mediaType: string]: string } = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function toAudio({ source }: AudioBlock): MediaPart | undefined {
  const format = source.type === "base64" ? AUDIO_FORMATS[source.mediaType] : undefined;
  if (source.type !== "base64" || format === undefined) return undefined;
  return { part: { type: "input_audio", input_audio: { data: source.data, format } }, needs: "audio_input" };
}

function toFile({ source, name }: FileBlock, provider: string): MediaPart | undefined {
  if (source.type === "provider_file" && source.provider === provider) {
    return { part: { type: "file", file: { file_id: source.fileId } }, needs: "file_input" };
  }
  const file_data = dataUrl(source);
  if (file_data === undefined) return undefined;
  return { part: { type: "file", file: { filename: name ?? "file", file_data } }, needs: "file_input" };
}

function dataUrl(source: MediaSource): string | undefined {
  return source.type === "base64" ? `data:${source.mediaType};base64,${source.data}` : undefined;
}
