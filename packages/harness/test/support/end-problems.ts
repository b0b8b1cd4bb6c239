import type { AgentEvent } from "@tinyagents/core";

/** What is wrong with how runs, model calls and tool calls begin and end: nothing, or a text that says it. */
export function endProblems(events: readonly AgentEvent[]): readonly string[] {
  const ends = new Map<string, string[]>();
  const begun = new Set<string>();
  for (const { type, runId, data } of events) {
    const [what = "", happened = ""] = type.split(".");
    if (what !== "run" && what !== "model" && what !== "tool") continue;
    const key = what === "run" ? `run ${runId}` : `${what} ${runId} ${(data as { callId: string }).callId}`;
    if (happened === "started") begun.add(key);
    if (happened === "completed" || happened === "failed") ends.set(key, [...(ends.get(key) ?? []), happened]);
  }
  const problems = [...begun].filter((key) => !ends.has(key)).map((key) => `${key} never ends`);
  for (const [key, happened] of ends) if (happened.length !== 1) problems.push(`${key} ends ${happened.length} times`);
  return problems;
}
