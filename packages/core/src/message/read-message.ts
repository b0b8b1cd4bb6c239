import { corruptData, readArray } from "../guarded-read.js";
import type { JsonValue } from "../json.js";
import type { Money } from "../model/cost.js";
import { FINISH_REASONS } from "../model/delta.js";
import { type FailedModel, MODEL_RUNGS, type ResolvedModel } from "../model/profile.js";
import { USAGE_SOURCES, type Usage } from "../model/usage.js";
import { checkFault } from "../plain-json.js";
import {
  amount,
  type Check,
  entries,
  flag,
  list,
  object,
  oneOf,
  optional,
  shape,
  something,
  text,
  union,
  whole,
} from "../shape.js";
import {
  type AudioBlock,
  type Block,
  type CitationBlock,
  type FileBlock,
  IMAGE_DETAILS,
  type ImageBlock,
  type InvalidArguments,
  type JsonBlock,
  type MediaSource,
  type ProviderBlock,
  type ReasoningBlock,
  type RefusalBlock,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
} from "./block.js";
import {
  type ArtifactReference,
  type AssistantMessage,
  type Message,
  type SystemMessage,
  TOOL_STATUSES,
  type ToolMessage,
  type UserMessage,
} from "./message.js";

type Source<T extends MediaSource["type"]> = Extract<MediaSource, { readonly type: T }>;

const source: Check = union<MediaSource["type"]>("type", {
  base64: shape<Source<"base64">>({ mediaType: text, data: text }),
  url: shape<Source<"url">>({ url: text, mediaType: optional(text) }),
  provider_file: shape<Source<"provider_file">>({ provider: text, fileId: text, mediaType: optional(text) }),
});
const invalid: Check = shape<InvalidArguments>({ reason: text, raw: text });
const base = { providerMetadata: optional(entries(object)) };

/** A piece of content. */
export const anyBlock: Check = union<Block["type"]>("type", {
  text: shape<TextBlock>({ ...base, text }),
  reasoning: shape<ReasoningBlock>({ ...base, text, redacted: optional(flag) }),
  refusal: shape<RefusalBlock>({ ...base, text, safety: optional(object) }),
  json: shape<JsonBlock>({ ...base, value: something }),
  image: shape<ImageBlock>({ ...base, source, detail: optional(oneOf(IMAGE_DETAILS)) }),
  audio: shape<AudioBlock>({ ...base, source }),
  file: shape<FileBlock>({ ...base, source, name: optional(text) }),
  tool_call: shape<ToolCallBlock>({
    ...base,
    id: text,
    name: text,
    args: object,
    invalid: optional(invalid),
    originalId: optional(text),
  }),
  tool_result: (value, place) => providerResult(value, place),
  citation: shape<CitationBlock>({ ...base, source: object, text: optional(text) }),
  provider: shape<ProviderBlock>({ ...base, provider: text, value: something }),
});
const content: Check = list(anyBlock);
const providerResult: Check = shape<ToolResultBlock>({
  ...base,
  callId: text,
  name: optional(text),
  content,
  isError: flag,
});

/** Why a model stopped. */
export const finishReason: Check = oneOf(FINISH_REASONS);

/** Which model it was. */
export const resolvedModel: Check = shape<ResolvedModel>({
  id: text,
  provider: text,
  model: text,
  name: optional(text),
  chosenBy: optional(oneOf(MODEL_RUNGS)),
  failed: optional(list(shape<FailedModel>({ id: text, name: optional(text), code: text }))),
});

const tokens = optional(amount);

/** A decimal number. */
export const decimal: Check = (value, place) => {
  text(value, place);
  if (!/^-?\d+(\.\d{1,18})?$/.test(value as string)) throw corruptData(place, "a decimal number is expected");
};

/** The tokens of one call. */
export const usage: Check = shape<Usage>({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
  imageTokens: tokens,
  audioTokens: tokens,
  embeddingTokens: tokens,
  charged: optional(shape<Money>({ amount: decimal, currency: text })),
  source: oneOf(USAGE_SOURCES),
});

const artifact: Check = shape<ArtifactReference>({
  key: list(text),
  mediaType: text,
  bytes: whole(),
  name: optional(text),
});

const ofTool: Check = shape<ToolMessage>({
  toolCallId: text,
  name: text,
  content,
  isError: flag,
  status: oneOf(TOOL_STATUSES),
  id: optional(text),
  elapsedMs: optional(amount),
  attempts: optional(whole()),
  summary: optional(text),
  artifacts: optional(list(artifact)),
  truncatedFrom: optional(whole()),
});

/** The result of one call. */
export const toolMessage: Check = union<"tool">("role", { tool: ofTool });

const ofAssistant: Check = shape<AssistantMessage>({
  ...base,
  content,
  id: optional(text),
  usage: optional(usage),
  finishReason: optional(finishReason),
  model: optional(resolvedModel),
  responseId: optional(text),
});

/** What a model answered. */
export const answer: Check = union<"assistant">("role", { assistant: ofAssistant });

/** A message of any role. */
export const message: Check = union<Message["role"]>("role", {
  system: shape<SystemMessage>({ content, id: optional(text) }),
  user: shape<UserMessage>({ content, id: optional(text), name: optional(text), metadata: optional(object) }),
  assistant: ofAssistant,
  tool: ofTool,
});

/**
 * Content that somebody else wrote, checked block by block.
 * @throws `corrupt_data` that names the place.
 */
export function readBlocks(value: unknown, place: string): readonly Block[] {
  content(value as JsonValue | undefined, place);
  return value as readonly Block[];
}

/** Why a value that a program made is no message that can be stored and read back; nothing when it is one. */
export function messageFault(value: unknown, place: string): string | undefined {
  return checkFault(message, value, place);
}

/**
 * A history that was stored, checked field by field. Whether calls and results belong together says `checkHistory`.
 * @throws `corrupt_data` that names the place.
 */
export function readMessages(value: unknown, place: string): readonly Message[] {
  const messages = readArray(value, place);
  for (let at = 0; at < messages.length; at++) message(messages[at], `${place}[${at}]`);
  return messages as unknown as readonly Message[];
}

/**
 * The result of a tool call that was stored, checked field by field.
 * @throws `corrupt_data` that names the place.
 */
export function readToolMessage(value: unknown, place: string): ToolMessage {
  toolMessage(value as JsonValue | undefined, place);
  return value as ToolMessage;
}
