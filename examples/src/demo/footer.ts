import { type AgentRun, usageAccuracy } from "@tinyagents/core";
import { printableLine } from "./printable.js";

const WORDS = { exact: "", estimated: " (estimated)", partial: " or more (some calls did not say)" } as const;

const MAX_AMOUNT_CHARS = 30;

/** Tokens, cost, calls and time of a run, in one line. */
export function footer({ treeUsage, cost, counters, elapsedMs }: AgentRun<unknown>): string {
  const tokens = `${grouped(treeUsage.inputTokens)} tokens in, ${grouped(treeUsage.outputTokens)} out`;
  const parts = [
    `${tokens}${WORDS[usageAccuracy(treeUsage)]}`,
    costOf(cost),
    `${counted(counters.modelCalls, "model call")}, ${counted(counters.toolCalls, "tool call")}`,
    `${(elapsedMs / 1_000).toFixed(1)} s`,
  ];
  return printableLine(parts.join(" | "));
}

function costOf(cost: AgentRun["cost"]): string {
  if (cost === undefined) return "unpriced";
  const unpriced = cost.unpricedCalls === 0 ? "" : ` and ${counted(cost.unpricedCalls, "unpriced call")}`;
  const amount = isAmount(cost.amount) ? `${cost.amount} ${cost.currency}` : "cost unreadable";
  return `${amount}${unpriced}`;
}

/** A run that goes on comes from a file, which may say anything: what is no number is not shown as one. */
function isAmount(amount: string): boolean {
  return amount.length <= MAX_AMOUNT_CHARS && /^-?\d+(?:\.\d+)?$/.test(amount);
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
