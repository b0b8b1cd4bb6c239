import type { ModelProfile } from "@tinyagents/core";

/** The provider's name: in ids, `providerOptions` and `providerMetadata`. */
/** What is to be said where nothing of Ollama answers. */
export const WRONG_PLACE = "It ends before /api.";

export const PROVIDER = "ollama";

/** What is known of a model of an Ollama server. */
export interface OllamaProfile extends ModelProfile {
  /** The longest context that the model was made for, in tokens. What is in use is `contextWindow`, and often far less. */
  readonly trainedContextWindow?: number;
  /** What the model takes for `think`: `false` and `true`, or levels. */
  readonly thinkValues?: readonly (boolean | string)[];
}

/**
 * What holds of every model, before the server is asked. Whether one calls tools, sees images or thinks depends on how
 * it was built, so that is unknown here. Ollama has no tool choice, streams calls whole, and takes text and images.
 * @see https://docs.ollama.com/api/chat
 */
export function profileOf(model: string, cloud: boolean): OllamaProfile {
  // Hosted models do not all keep to a schema; a server of one's own makes them.
  const enforced = cloud ? "unknown" : "yes";
  return {
    provider: PROVIDER,
    model,
    capabilities: {
      streaming: "yes",
      system_messages: "yes",
      temperature: "yes",
      json_mode: enforced,
      structured_output: enforced,
      tool_choice_required: "no",
      tool_choice_named: "no",
      tool_call_streaming: "no",
      audio_input: "no",
      file_input: "no",
    },
    lifecycle: "unknown",
    source: cloud ? "cloud" : "local",
  };
}

/**
 * Whether ollama.com runs the model: behind its own address, or through a local server, which passes such names on.
 * @see https://docs.ollama.com/cloud
 */
export function isCloudModel(model: string, baseUrl: string): boolean {
  return /[-:]cloud$/.test(model) || new URL(baseUrl).hostname === "ollama.com";
}
