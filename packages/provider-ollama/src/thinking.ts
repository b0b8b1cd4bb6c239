import { type ModelRequest, type ModelWarning, support } from "@tinyagents/core";
import type { OllamaProfile } from "./profile.js";

/** What `think` is set to; nothing where it is better not said. */
export interface Think {
  readonly think?: boolean | string;
  readonly warning?: ModelWarning;
}

type Effort = NonNullable<ModelRequest["reasoningEffort"]>;

/**
 * How hard to think, in the words of the model. Most can only think or not; then any effort but the smallest means
 * thinking. A change is told.
 * @see https://docs.ollama.com/capabilities/thinking
 */
export function toThink(effort: Effort, profile: OllamaProfile): Think {
  if (support(profile, "reasoning") === "no") return { warning: notSent(profile) };
  const values = profile.thinkValues ?? usualValues(profile);
  if (values.includes(effort)) return { think: effort };
  const wanted = effort === "minimal" ? [false, "low"] : [true];
  const think = wanted.find((value) => values.includes(value));
  if (think === undefined) return { warning: notSent(profile) };
  const message = `${profile.model} has no thinking effort "${effort}"; think: ${think} was sent.`;
  return { think, warning: { code: "changed_setting", setting: "reasoningEffort", message } };
}

/** gpt-oss always thinks, and has levels. */
function usualValues({ model, family }: OllamaProfile): readonly (boolean | string)[] {
  const levels = family === "gptoss" || /(^|\/)gpt-oss\b/.test(model);
  return levels ? ["low", "medium", "high"] : [false, true];
}

function notSent({ model }: OllamaProfile): ModelWarning {
  const message = `${model} does not take reasoningEffort; it was not sent.`;
  return { code: "unsupported_setting", setting: "reasoningEffort", message };
}
