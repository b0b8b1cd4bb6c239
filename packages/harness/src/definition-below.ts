import { narrowPolicy, type RunContext } from "@tinyagents/core";
import { type AgentDefinition, noProgressOf } from "./definition.js";

/** An agent as it runs below another run: within that run's policies, and by its prices where it has none of its own. */
export function definitionBelow(
  definition: AgentDefinition,
  above: Pick<RunContext, "policies" | "prices">,
): AgentDefinition {
  const policies = narrowPolicy(definition.policies, above.policies);
  return {
    ...definition,
    policies,
    retry: policies.retry ?? {},
    noProgress: noProgressOf(policies),
    prices: definition.prices ?? above.prices,
  };
}
