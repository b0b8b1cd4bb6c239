import type { Block } from "../message/block.js";
import type { Message } from "../message/message.js";
import type { ModelProfile } from "./profile.js";
import type { ModelRequest } from "./request.js";

/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number;

/** How full a model's context is. */
export interface ContextEstimate {
  readonly inputTokens: number;
  /** What the model takes, in tokens; absent when its profile does not say. */
  readonly contextWindow?: number;
  /** Input against the room that is left when the answer's share is reserved: 1 is full. */
  readonly pressure?: number;
}

/**
 * The default counter: four characters a token, and one token a character in scripts without spaces. Right within
 * about a third for prose; hand in a real tokenizer where that is not enough.
 */
export const approximateTokens: TokenCounter = (text) => {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x2e80) wide++;
  return Math.ceil((text.length - wide) / 4 + wide);
};

/** What a medium is taken to cost, in tokens, where nothing better is known. */
const MEDIUM_TOKENS = 1_000;
/** What the frame of a message costs, in tokens: role and separators. */
const MESSAGE_TOKENS = 4;

/** The tokens of messages, estimated. Nothing is fetched: media count as a constant. */
export function estimateTokens(messages: readonly Message[], count: TokenCounter = approximateTokens): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += MESSAGE_TOKENS;
    for (const block of message.content) tokens += blockTokens(block, count);
  }
  return tokens;
}

/** The input of a request, messages and tool declarations, against the window of the model that it is for. */
export function estimateContext(
  request: ModelRequest,
  profile: ModelProfile,
  count: TokenCounter = approximateTokens,
): ContextEstimate {
  let inputTokens = estimateTokens(request.messages, count);
  for (const tool of request.tools ?? []) inputTokens += count(JSON.stringify(tool));
  return contextOf(inputTokens, profile, request.maxOutputTokens);
}

/** So many tokens of input, counted or estimated, against a model's window. The answer's share: what it may have at most. */
export function contextOf(
  inputTokens: number,
  profile: Pick<ModelProfile, "contextWindow" | "maxOutputTokens">,
  maxOutputTokens: number | undefined = profile.maxOutputTokens,
): ContextEstimate {
  const { contextWindow } = profile;
  if (contextWindow === undefined) return { inputTokens };
  const reserved = Math.min(maxOutputTokens ?? 0, contextWindow / 2);
  return { inputTokens, contextWindow, pressure: inputTokens / (contextWindow - reserved) };
}

function blockTokens(block: Block, count: TokenCounter): number {
  switch (block.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return count(block.text);
    case "json":
      return count(JSON.stringify(block.value));
    case "tool_call":
      return count(block.name) + count(block.invalid?.raw ?? JSON.stringify(block.args));
    case "tool_result":
      return block.content.reduce((sum, inner) => sum + blockTokens(inner, count), 0);
    case "citation":
      return count(block.text ?? "");
    case "provider":
      return count(JSON.stringify(block.value));
    case "image":
    case "audio":
    case "file":
      return MEDIUM_TOKENS;
  }
}
