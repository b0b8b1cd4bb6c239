import { canonicalJson } from "../json.js";
import type { ChatModel } from "../model/chat-model.js";
import type { ModelResponse } from "../model/collect.js";
import type { ModelRequest } from "../model/request.js";
import type { StoreCallOptions } from "./call-options.js";

/** On what terms an answer is kept. */
export interface CacheOptions extends StoreCallOptions {
  /** For how long it may be given again, ms, above 0. Default: until it is taken away. */
  readonly ttlMs?: number | undefined;
}

/**
 * Answers of models, kept here so that the same question need not be asked again. It has nothing to do with what a
 * provider keeps of prompts: an answer from here costs no tokens, whatever its `usage` says that it once did.
 */
export interface ResponseCache {
  /** The answer that is kept under a {@link responseCacheKey}; nothing where there is none that can be read. */
  get(key: string, options?: StoreCallOptions): Promise<ModelResponse | undefined>;
  /** Keeps an answer, in place of one that was there. */
  put(key: string, response: ModelResponse, options?: CacheOptions): Promise<void>;
}

/** Fields that say how a call is made, and change nothing of what is answered. */
type Unasked = "timeoutMs" | "hints" | "reuseModel" | "model" | "requires";

/** Every field that can change the answer, so that a new one is not forgotten. */
const ASKED: { readonly [K in Exclude<keyof ModelRequest, Unasked>]-?: true } = {
  messages: true,
  tools: true,
  toolChoice: true,
  responseFormat: true,
  temperature: true,
  topP: true,
  maxOutputTokens: true,
  stopSequences: true,
  seed: true,
  reasoningEffort: true,
  previousResponseId: true,
  providerOptions: true,
};

/** What no model sees of a message: whose it was, what it took, and what people are told of it. */
const UNSEEN = {
  id: undefined,
  metadata: undefined,
  usage: undefined,
  elapsedMs: undefined,
  attempts: undefined,
  summary: undefined,
};

/**
 * The name of a question: the same text for the same model and the same request, another one where anything that can
 * change the answer is different. It is as long as the request, since it holds all of it; caches shorten it.
 *
 * The model is the one that is asked. How it was chosen (`model`, `hints`, `requires`, `reuseModel`), `timeoutMs`, and
 * what no model sees of messages (`id`, `metadata`, `usage`, `elapsedMs`, `attempts`, `summary`) are no part of it.
 * @throws TypeError for a request that is not JSON.
 */
export function responseCacheKey(request: ModelRequest, model: Pick<ChatModel, "id" | "profile">): string {
  const asked = Object.fromEntries(Object.keys(ASKED).map((name) => [name, request[name as keyof typeof ASKED]]));
  const messages = request.messages.map((message) => ({ ...message, ...UNSEEN }));
  const { provider, model: name } = model.profile;
  return canonicalJson({ v: 1, model: { id: model.id, provider, name }, request: { ...asked, messages } });
}
