import {
  type Block,
  type Capability,
  isMedia,
  type JsonObject,
  type MediaBlock,
  type ModelWarning,
  mediaNote,
  plainText,
} from "@tinyagents/core";

/** Content as it stands in an input, with what it asks of the model. */
export interface InputParts {
  readonly parts: readonly JsonObject[];
  readonly needs: readonly Capability[];
  readonly warnings: readonly ModelWarning[];
}

/** @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input */
export function toParts(content: readonly Block[], provider: string): InputParts {
  const parts: JsonObject[] = [];
  const needs: Capability[] = [];
  const warnings: ModelWarning[] = [];
  for (const block of content) {
    if (!isMedia(block)) {
      const text = plainText(block);
      if (text.trim() !== "") parts.push({ type: "input_text", text });
      continue;
    }
    const part = toMedia(block, provider);
    if (part === undefined) {
      const message = `The Responses API does not take this ${block.type}; a note stands in its place.`;
      warnings.push({ code: "unsupported_setting", setting: "messages", message });
      parts.push({ type: "input_text", text: mediaNote(block) });
    } else {
      needs.push(`${block.type}_input`);
      parts.push(part);
    }
  }
  return { parts, needs, warnings };
}

function toMedia(block: MediaBlock, provider: string): JsonObject | undefined {
  const { source } = block;
  if (block.type === "audio") return undefined;
  const fileId = source.type === "provider_file" && source.provider === provider ? source.fileId : undefined;
  const dataUrl = source.type === "base64" ? `data:${source.mediaType};base64,${source.data}` : undefined;
  const url = source.type === "url" ? source.url : undefined;
  if (fileId === undefined && dataUrl === undefined && url === undefined) return undefined;
  if (block.type === "image") {
    const place = fileId === undefined ? { image_url: dataUrl ?? url ?? "" } : { file_id: fileId };
    return { type: "input_image", detail: block.detail ?? "auto", ...place };
  }
  if (fileId !== undefined) return { type: "input_file", file_id: fileId };
  if (url !== undefined) return { type: "input_file", file_url: url };
  return { type: "input_file", filename: block.name ?? "file", file_data: dataUrl ?? "" };
}
