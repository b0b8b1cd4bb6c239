import type { Capability, ModelProfile, Support } from "@tinyagents/core";

/** What an adapter must know of a model and a profile has no word for. */
export interface Traits {
  /** How it is told how hard to think: by an effort, or by a number of tokens. */
  readonly thinking: "effort" | "budget";
  /** It takes system messages in the middle of a conversation. */
  readonly midSystem: boolean;
}

/** What is known of a model before it is asked. */
export interface KnownModel {
  readonly profile: ModelProfile;
  readonly traits: Traits;
}

type Capabilities = { readonly [C in Capability]?: Support };
/** A line of the table: name, context window and longest answer in tokens, release, and what the model is like. */
type Line = readonly [
  model: string,
  contextWindow: number,
  maxOutputTokens: number,
  releasedOn: string | undefined,
  generation: Generation,
  lifecycle?: ModelProfile["lifecycle"],
];
interface Generation extends Traits {
  readonly capabilities: Capabilities;
}

/** The API has no JSON mode and takes no audio; version 2026-10-21 of it, which the SDK asks for, has no sampling settings. */
const API: Capabilities = { streaming: "yes", json_mode: "no", audio_input: "no" };
const CLAUDE: Capabilities = {
  ...API,
  tools: "yes",
  parallel_tool_calls: "yes",
  tool_choice_required: "yes",
  tool_choice_named: "yes",
  tool_call_streaming: "yes",
  structured_output: "yes",
  reasoning: "yes",
  temperature: "no",
  system_messages: "yes",
  image_input: "yes",
  file_input: "yes",
};
/** A tool cannot be demanded of them. */
const UNFORCED: Capabilities = { ...CLAUDE, tool_choice_required: "no", tool_choice_named: "no" };

const BUDGET: Generation = { capabilities: CLAUDE, thinking: "budget", midSystem: false };
const EFFORT: Generation = { capabilities: CLAUDE, thinking: "effort", midSystem: false };
const MID_SYSTEM: Generation = { ...EFFORT, midSystem: true };
const LATEST: Generation = { ...MID_SYSTEM, capabilities: UNFORCED };

/**
 * @see https://platform.claude.com/docs/en/about-claude/models/overview
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
const TABLE: readonly Line[] = [
  ["claude-fable-5-2", 1_000_000, 128_000, undefined, LATEST],
  ["claude-mythos-5-2", 1_000_000, 128_000, undefined, LATEST],
  ["claude-haiku-5-5", 1_000_000, 128_000, "2026-10-07", MID_SYSTEM],
  ["claude-sonnet-5-5", 1_000_000, 128_000, "2026-09-28", LATEST],
  ["claude-opus-5-5", 1_000_000, 128_000, "2026-09-22", LATEST],
  ["claude-fable-5-1", 1_000_000, 128_000, "2026-09-01", LATEST],
  ["claude-mythos-5-1", 1_000_000, 128_000, "2026-09-01", LATEST],
  ["claude-opus-5", 1_000_000, 128_000, "2026-07-24", MID_SYSTEM],
  ["claude-sonnet-5", 1_000_000, 128_000, "2026-06-30", EFFORT],
  ["claude-fable-5", 1_000_000, 128_000, "2026-06-09", MID_SYSTEM],
  ["claude-mythos-5", 1_000_000, 128_000, "2026-06-09", MID_SYSTEM],
  ["claude-opus-4-8", 1_000_000, 128_000, "2026-05-28", MID_SYSTEM],
  ["claude-opus-4-7", 1_000_000, 128_000, "2026-04-16", EFFORT],
  ["claude-sonnet-4-6", 1_000_000, 128_000, "2026-02-17", EFFORT],
  ["claude-opus-4-6", 1_000_000, 128_000, "2026-02-05", EFFORT],
  ["claude-opus-4-5", 200_000, 64_000, "2025-11-24", BUDGET, "deprecated"],
  ["claude-haiku-4-5", 200_000, 64_000, "2025-10-15", BUDGET],
  ["claude-sonnet-4-5", 200_000, 64_000, "2025-09-29", BUDGET, "deprecated"],
];

/** A dated name (`claude-haiku-4-5-20251001`) is known as its line is. */
export function knownModel(provider: string, model: string): KnownModel {
  const isAnthropic = provider === "anthropic";
  const line = isAnthropic ? TABLE.find(([name]) => isVersionOf(name, model)) : undefined;
  if (line === undefined) {
    const capabilities: Capabilities = isAnthropic ? { ...API, temperature: "no" } : API;
    const profile: ModelProfile = { provider, model, capabilities, lifecycle: "unknown", source: "unknown" };
    return { profile, traits: { thinking: "effort", midSystem: false } };
  }
  const [family, contextWindow, maxOutputTokens, releasedOn, generation, lifecycle = "active"] = line;
  const { capabilities, thinking, midSystem } = generation;
  const common = { provider, model, family, capabilities, contextWindow, maxOutputTokens, source: "cloud" } as const;
  const profile: ModelProfile = { ...common, lifecycle, ...(releasedOn === undefined ? {} : { releasedOn }) };
  return { profile, traits: { thinking, midSystem } };
}

function isVersionOf(name: string, model: string): boolean {
  return model === name || (model.startsWith(`${name}-`) && /^\d{8}$/.test(model.slice(name.length + 1)));
}
