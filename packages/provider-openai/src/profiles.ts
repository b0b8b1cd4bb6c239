import type { Capability, ModelProfile, Support } from "@tinyagents/core";

/**
 * A line of the table: name, context window and longest answer in tokens, release, what the model is like, and where it
 * stands in its life unless it is active.
 */
type Line = readonly [
  model: string,
  contextWindow: number,
  maxOutputTokens: number,
  releasedOn: string,
  capabilities: Capabilities,
  lifecycle?: ModelProfile["lifecycle"],
];
type Capabilities = { readonly [C in Capability]?: Support };

const CHAT: Capabilities = {
  tools: "yes",
  parallel_tool_calls: "yes",
  tool_choice_required: "yes",
  tool_choice_named: "yes",
  tool_call_streaming: "yes",
  structured_output: "yes",
  json_mode: "yes",
  reasoning: "no",
  streaming: "yes",
  temperature: "yes",
  system_messages: "yes",
  image_input: "yes",
  audio_input: "no",
  file_input: "yes",
};
const REASONING: Capabilities = { ...CHAT, reasoning: "yes", temperature: "no" };
const TEXT_ONLY: Capabilities = { image_input: "no", file_input: "no" };
/** From before schemas could be enforced. */
const EARLY: Capabilities = { ...CHAT, structured_output: "no", file_input: "no" };

/**
 * @see https://platform.openai.com/docs/models
 * @see https://platform.openai.com/docs/deprecations
 * @see https://models.dev
 */
const TABLE: readonly Line[] = [
  ["gpt-5.6", 1_050_000, 128_000, "2026-07-09", REASONING],
  ["gpt-5.6-sol", 1_050_000, 128_000, "2026-07-09", REASONING],
  ["gpt-5.5", 1_050_000, 128_000, "2026-04-23", REASONING],
  ["gpt-5.4", 1_050_000, 128_000, "2026-03-05", REASONING],
  ["gpt-5.3-codex", 400_000, 128_000, "2026-02-05", REASONING],
  ["gpt-5.2", 400_000, 128_000, "2025-12-11", REASONING],
  ["gpt-5.2-codex", 400_000, 128_000, "2026-01-14", REASONING],
  ["gpt-5.1", 400_000, 128_000, "2025-11-13", REASONING],
  ["gpt-5.1-codex", 400_000, 128_000, "2025-11-13", REASONING],
  ["gpt-5-codex", 400_000, 128_000, "2025-09-15", REASONING],
  ["gpt-5", 400_000, 128_000, "2025-08-07", REASONING],
  ["gpt-5-mini", 400_000, 128_000, "2025-08-07", REASONING],
  ["gpt-5-nano", 400_000, 128_000, "2025-08-07", REASONING],
  ["gpt-4.1", 1_047_576, 32_768, "2025-04-14", CHAT],
  ["gpt-4.1-mini", 1_047_576, 32_768, "2025-04-14", CHAT],
  ["gpt-4.1-nano", 1_047_576, 32_768, "2025-04-14", CHAT],
  ["gpt-4o", 128_000, 16_384, "2024-05-13", CHAT],
  ["gpt-4o-mini", 128_000, 16_384, "2024-07-18", CHAT],
  ["gpt-4-turbo", 128_000, 4_096, "2023-11-06", EARLY],
  ["o4-mini", 200_000, 100_000, "2025-04-16", REASONING],
  ["o3", 200_000, 100_000, "2025-04-16", REASONING],
  ["o3-mini", 200_000, 100_000, "2024-12-20", { ...REASONING, ...TEXT_ONLY }],
  ["o1", 200_000, 100_000, "2024-12-05", REASONING],
  ["o1-mini", 128_000, 65_536, "2024-09-12", { ...REASONING, ...TEXT_ONLY, tools: "no" }, "retired"],
];

/** What is known of a model before it is asked. A dated name (`gpt-4o-2024-08-06`) is known as its line is. */
export function profileOf(provider: string, model: string): ModelProfile {
  const line = provider === "openai" ? TABLE.find(([name]) => isVersionOf(name, model)) : undefined;
  if (line === undefined) {
    return { provider, model, capabilities: { streaming: "yes" }, lifecycle: "unknown", source: "unknown" };
  }
  const [family, contextWindow, maxOutputTokens, releasedOn, capabilities, lifecycle = "active"] = line;
  const common = { provider, model, family, capabilities, contextWindow, maxOutputTokens, source: "cloud" } as const;
  return { ...common, lifecycle, releasedOn };
}

function isVersionOf(name: string, model: string): boolean {
  return model === name || (model.startsWith(`${name}-`) && /^\d{4}-\d{2}-\d{2}$/.test(model.slice(name.length + 1)));
}
