import { TinyAgentsError } from "@tinyagents/core";

/** The error of a model that lacks what a run needs. */
export function capabilityMissing(
  model: string,
  capabilities: readonly string[],
): TinyAgentsError<"capability_missing"> {
  return new TinyAgentsError(
    "capability_missing",
    `The model ${model} cannot do what this run needs (${capabilities.join(", ")}). Choose another model, or do without.`,
    { details: { model, capabilities } },
  );
}
