import { type AgentRun, usageAccuracy } from "@tinyagents/core";

const WORDS = { exact: "", estimated: " (estimated)", partial: " or more (some calls did not say)" } as const;

/** Tokens, cost, calls and time of a run, in one line. */
export function footer({ treeUsage, cost, counters, elapsedMs }: AgentRun<unknown>): string {
  const tokens = `${grouped(treeUsage.inputTokens)} tokens in, ${grouped(treeUsage.outputTokens)} out`;
  return [
    `${tokens}${WORDS[usageAccuracy(treeUsage)]}`,
    costOf(cost),
    `${counted(counters.modelCalls, "model call")}, ${counted(counters.toolCalls, "tool call")}`,
    `${(elapsedMs / 1_000).toFixed(1)} s`,
  ].join(" | ");
}

function costOf(cost: AgentRun["cost"]): string {
  if (cost === undefined) return "unpriced";
  const unpriced = cost.unpricedCalls === 0 ? "" : ` and ${counted(cost.unpricedCalls, "unpriced call")}`;
  return `${cost.amount} ${cost.currency}${unpriced}`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
