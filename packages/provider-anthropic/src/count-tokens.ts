import {
  isJsonObject,
  type JsonObject,
  type ModelRequest,
  malformedAnswer,
  providerAnswer,
  systemClock,
} from "@tinyagents/core";
import { createClient } from "./client.js";
import { betaHeader } from "./model.js";
import { type AnthropicModelOptions, readOptions } from "./options.js";
import { toError } from "./to-error.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

/** Whom to ask, and about which model. */
export interface CountTokensOptions extends AnthropicModelOptions {
  readonly model: string;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** What the server wants to know to count; it refuses the rest of a request. */
const COUNTED = ["model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control"];

/**
 * The input tokens of a request, as the server would count them: messages, tools and media. Makes one HTTP request.
 *
 * @throws TypeError for options that cannot work; what a model's stream throws.
 * @see https://platform.claude.com/docs/en/build-with-claude/token-counting
 */
export async function countTokens(request: ModelRequest, options: CountTokensOptions): Promise<number> {
  const settings = readOptions("countTokens", options?.model, options);
  const { provider, secrets, traits } = settings;
  const { model, signal: callers } = options;
  const ask = async (signal: AbortSignal): Promise<number> => {
    const converter = new MessageConverter(provider, traits.midSystem);
    const { body, betas } = toRequest(settings, request, converter, systemClock.now());
    const counted: JsonObject = Object.fromEntries(Object.entries(body).filter(([name]) => COUNTED.includes(name)));
    const sent = { body: counted, headers: betaHeader(settings, betas), signal };
    const answer: unknown = await createClient(settings).post("/v1/messages/count_tokens", sent);
    const tokens = isJsonObject(answer) ? answer.input_tokens : undefined;
    if (typeof tokens !== "number") throw malformedAnswer(provider, "is no count of tokens");
    return tokens;
  };
  return providerAnswer({ provider, model, secrets, signal: callers, failed: toError, ask });
}
