import type { ModelProfile } from "@tinyagents/core";
import type { ChatQuirks } from "../chat/quirks.js";

/** What is known of a server that speaks Chat Completions. Plain data. */
export interface CompatiblePreset {
  /** Where it listens. Absent: each has a place of its own, and it has to be told. */
  readonly baseUrl?: string;
  /** Whether it wants a key. */
  readonly key: "required" | "none";
  readonly source: "cloud" | "local";
  /** What holds of each of its models unless the application knows better. */
  readonly capabilities: ModelProfile["capabilities"];
  readonly quirks: ChatQuirks;
  /** What is different there, in words. */
  readonly about: readonly string[];
  /** Where this is from. */
  readonly see: string;
}

/** The name of a preset; also the provider in the model's id. */
export type PresetName =
  | "azure"
  | "deepseek"
  | "groq"
  | "llamacpp"
  | "lmstudio"
  | "mistral"
  | "ollama"
  | "openrouter"
  | "together"
  | "vllm"
  | "xai";

/** Every server streams; whether a model calls tools is the model's matter. */
const STREAMS = { streaming: "yes", system_messages: "yes" } as const;
/** Servers that check `tool_choice` against a list of words. */
const WORDS_ALONE = { tool_choice_named: "no" } as const;

/** Servers that people use with OpenAI's API, and what each does otherwise. */
export const compatiblePresets: { readonly [N in PresetName]: CompatiblePreset } = {
  azure: {
    key: "required",
    source: "cloud",
    capabilities: STREAMS,
    quirks: { maxTokensField: "max_completion_tokens" },
    about: [
      "the address is the resource's own, and ends in /openai/v1; the model is the name of a deployment",
      "frames without choices, or with a choice without a delta, carry notes of a content filter",
    ],
    see: "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
  },
  deepseek: {
    baseUrl: "https://api.deepseek.com/v1",
    key: "required",
    source: "cloud",
    capabilities: { ...STREAMS, tools: "yes", json_mode: "yes", structured_output: "no", image_input: "no" },
    quirks: { maxTokensField: "max_tokens", reasoningField: "reasoning_content", reasoningWithCalls: true },
    about: [
      "thoughts come as reasoning_content; of turns with tool calls they must go back, or the request is refused",
      "cached tokens are counted as prompt_cache_hit_tokens; there are no schemas, JSON alone",
    ],
    see: "https://api-docs.deepseek.com/guides/thinking_mode",
  },
  groq: {
    baseUrl: "https://api.groq.com/openai/v1",
    key: "required",
    source: "cloud",
    capabilities: { ...STREAMS, tools: "yes", tool_choice_required: "yes", tool_choice_named: "yes", json_mode: "yes" },
    quirks: { maxTokensField: "max_completion_tokens", thinkTags: true },
    about: [
      "a tool call that the server cannot read is an error with failed_generation: it becomes an invalid call",
      "thoughts come as reasoning, or between <think> tags, as reasoning_format says; usage may come in x_groq",
    ],
    see: "https://console.groq.com/docs/openai",
  },
  llamacpp: {
    baseUrl: "http://localhost:8080/v1",
    key: "none",
    source: "local",
    capabilities: { ...STREAMS, ...WORDS_ALONE },
    quirks: { maxTokensField: "max_tokens", thinkTags: true },
    about: [
      "tool_choice is a word: auto, none or required",
      "thoughts come as reasoning_content, or between <think> tags where the server does not part them",
    ],
    see: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
  },
  lmstudio: {
    baseUrl: "http://localhost:1234/v1",
    key: "none",
    source: "local",
    capabilities: { ...STREAMS, ...WORDS_ALONE },
    quirks: { maxTokensField: "max_tokens", thinkTags: true },
    about: [
      "tool_choice is a word: auto, none or required",
      "thoughts come as reasoning_content or reasoning, or between <think> tags, as the server is set",
    ],
    see: "https://lmstudio.ai/docs/developer/openai-compat/chat-completions",
  },
  mistral: {
    baseUrl: "https://api.mistral.ai/v1",
    key: "required",
    source: "cloud",
    capabilities: { ...STREAMS, tools: "yes", tool_choice_required: "yes", tool_choice_named: "yes", json_mode: "yes" },
    quirks: {
      maxTokensField: "max_tokens",
      seedField: "random_seed",
      requiredToolChoice: "any",
      streamOptions: false,
      toolCallIds: "nine",
      emptyContent: "",
    },
    about: [
      "ids of tool calls are nine letters and digits; required is called any, and seed random_seed",
      "stream_options is refused: usage comes with the last frame, unasked",
      "content may be a list of texts and thoughts",
    ],
    see: "https://docs.mistral.ai/api/",
  },
  ollama: {
    baseUrl: "http://localhost:11434/v1",
    key: "none",
    source: "local",
    capabilities: { ...STREAMS, tool_choice_required: "no", tool_choice_named: "no" },
    quirks: { maxTokensField: "max_tokens", thinkTags: true },
    about: [
      "tool_choice does nothing; all calls of an answer may say index 0",
      "thoughts come as reasoning, or between <think> tags in old versions",
      "a prompt that does not fit is cut without a word: the adapter for its own API notices that",
    ],
    see: "https://docs.ollama.com/api/openai-compatibility",
  },
  openrouter: {
    baseUrl: "https://openrouter.ai/api/v1",
    key: "required",
    source: "cloud",
    capabilities: STREAMS,
    quirks: { maxTokensField: "max_tokens", returnedFields: ["reasoning_details"], costCurrency: "USD" },
    about: [
      "signed thoughts come as reasoning_details and go back as they came",
      "usage.cost is what was charged, in credits, each a US dollar",
      "errors come inside answers of status 200; comment lines keep the connection open",
    ],
    see: "https://openrouter.ai/docs/api/reference/overview",
  },
  together: {
    baseUrl: "https://api.together.xyz/v1",
    key: "required",
    source: "cloud",
    capabilities: { ...STREAMS, json_mode: "yes" },
    quirks: { maxTokensField: "max_tokens", thinkTags: true },
    about: ["thoughts come between <think> tags, or as reasoning, as the model does"],
    see: "https://docs.together.ai/docs/openai-api-compatibility",
  },
  vllm: {
    baseUrl: "http://localhost:8000/v1",
    key: "none",
    source: "local",
    capabilities: { ...STREAMS, structured_output: "yes", json_mode: "yes" },
    quirks: { maxTokensField: "max_tokens", thinkTags: true },
    about: [
      "thoughts come as reasoning_content or reasoning where a reasoning parser is set, else between <think> tags",
      "tools need the server's own flags: whether a model has them is for the application to say",
    ],
    see: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
  },
  xai: {
    baseUrl: "https://api.x.ai/v1",
    key: "required",
    source: "cloud",
    capabilities: {
      ...STREAMS,
      tools: "yes",
      tool_choice_required: "yes",
      tool_choice_named: "yes",
      structured_output: "yes",
      json_mode: "yes",
    },
    quirks: { maxTokensField: "max_completion_tokens" },
    about: ["thoughts come as reasoning_content; errors are a code and a text at the top of the body"],
    see: "https://docs.x.ai/docs/api-reference",
  },
};
