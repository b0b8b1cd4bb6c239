import { isJsonObject, type JsonValue, textOf } from "@tinyagents/core";
import type { Said, ThinkTags } from "./think-tags.js";

/**
 * What the content of a message or of a delta says: a text, or (Mistral's) a list of texts and thoughts.
 * @see https://docs.mistral.ai/capabilities/reasoning/
 */
export function saidIn(content: JsonValue | undefined, tags: ThinkTags | undefined): readonly Said[] {
  if (Array.isArray(content)) return content.flatMap((part: JsonValue) => saidInPart(part, tags));
  const text = textOf(content);
  if (text === "") return [];
  return tags === undefined ? [{ kind: "text", text }] : tags.read(text);
}

function saidInPart(part: JsonValue, tags: ThinkTags | undefined): readonly Said[] {
  if (!isJsonObject(part)) return saidIn(part, tags);
  if (part.type !== "thinking") return saidIn(part.text, tags);
  const thought = saidIn(part.thinking, undefined);
  return thought.map(({ text }) => ({ kind: "reasoning", text }));
}
