import type { ChatModel, ModelProfile } from "@tinyagents/core";
import type { ChatQuirks } from "../chat/quirks.js";
import type { OpenAIConnectionOptions } from "../connection-options.js";
import { chatModel } from "../model.js";
import { type CompatiblePreset, compatiblePresets, type PresetName } from "./presets.js";

/** How to reach a server that speaks Chat Completions, and what it does otherwise. */
export interface CompatibleOptions extends Omit<OpenAIConnectionOptions, "apiKey" | "organization" | "project"> {
  /** Which server it is, or what is known of one that has no preset. */
  readonly preset: PresetName | CompatiblePreset;
  /** Servers that want none need none. */
  readonly apiKey?: string | undefined;
  /** What is known of the model. Wins over the preset, capability by capability. */
  readonly profile?: Partial<ModelProfile> | undefined;
  /** Wins over the preset, quirk by quirk: for a server that was set up in its own way. */
  readonly quirks?: ChatQuirks | undefined;
}

/**
 * A model behind a server that speaks OpenAI's Chat Completions API in its own way.
 * @throws TypeError for options that cannot work.
 */
export function openaiCompatible(model: string, options: CompatibleOptions): ChatModel {
  const { preset: wanted, apiKey, quirks, ...more } = options;
  const preset = presetOf(wanted);
  if (preset.key === "required" && apiKey === undefined) throw new TypeError("openaiCompatible: apiKey is expected");
  const baseUrl = more.baseUrl ?? preset.baseUrl;
  if (baseUrl === undefined) throw new TypeError("openaiCompatible: baseUrl is expected: it has no usual place");
  const provider = more.provider ?? (typeof wanted === "string" ? wanted : "compatible");
  return chatModel("openaiCompatible", model, {
    ...more,
    apiKey: apiKey ?? "none",
    baseUrl,
    provider,
    profile: {
      source: preset.source,
      ...more.profile,
      capabilities: { ...preset.capabilities, ...more.profile?.capabilities },
    },
    quirks: { ...preset.quirks, ...quirks },
  });
}

function presetOf(preset: PresetName | CompatiblePreset): CompatiblePreset {
  if (typeof preset === "object" && preset !== null) return preset;
  const found = Object.hasOwn(compatiblePresets, preset) ? compatiblePresets[preset] : undefined;
  if (found !== undefined) return found;
  throw new TypeError(
    `openaiCompatible: preset: there is no "${String(preset)}", there are ${Object.keys(compatiblePresets).join(", ")}`,
  );
}
