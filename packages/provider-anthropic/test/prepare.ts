import { type JsonObject, type ModelRequest, type ModelWarning, userMessage } from "@tinyagents/core";
import { type AnthropicModelOptions, readOptions } from "../src/options.js";
import { MessageConverter } from "../src/to-messages.js";
import { toRequest } from "../src/to-request.js";

export const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
export const SEE = { ...LOOK, name: "see" };
const NOW_MS = Date.parse("2026-11-30T12:00:00Z");

/** Told how hard to think by an effort; a tool can be demanded of it. */
export const BY_EFFORT = "claude-opus-5";
/** Told how hard to think by a number of tokens. */
export const BY_BUDGET = "claude-haiku-4-5";
export const UNFORCED = "claude-opus-5-5";

export interface Prepared {
  readonly body: { readonly [key: string]: unknown };
  readonly betas: readonly string[];
  readonly warnings: readonly ModelWarning[];
}

export function prepare(
  request: Partial<ModelRequest> = {},
  model = BY_EFFORT,
  options: Partial<AnthropicModelOptions> = {},
): Prepared {
  const settings = readOptions("test", model, { apiKey: "k", ...options });
  const converter = new MessageConverter(settings.provider, settings.traits.midSystem);
  return toRequest(settings, { messages: [userMessage("Hi")], ...request }, converter, NOW_MS);
}

export const own = (anthropic: JsonObject): Partial<ModelRequest> => ({ providerOptions: { anthropic } });
