import type { AgentEvent, JournalEntry } from "@tinyagents/core";
import { currentEntries } from "@tinyagents/persistence";
import { expect, it } from "vitest";
import { viewOf } from "../backends/view.js";
import type { Running } from "../support/node-program.js";
import { LEASE_MS, onDurableBackends } from "./workers.js";

/** What a process told on lines that begin so. */
function told<T>(name: string, ...processes: readonly Running[]): readonly T[] {
  const lines = processes.flatMap(({ lines }) => lines).filter((line) => line.startsWith(`${name} `));
  return lines.map((line) => JSON.parse(line.slice(name.length + 1)));
}

/** What a UI shows after it has heard of these entries. */
function viewOfEntries(entries: readonly JournalEntry[]) {
  return viewOf(currentEntries(entries).flatMap((entry) => (entry.type === "event" ? [entry.event] : [])));
}

onDurableBackends("a journal that another process follows while the run's process is killed", (workers) => {
  it("shows at any time of attaching what who listened live has seen, through the kill to the end (OBS-04)", async () => {
    const { run, begin } = workers();
    const early = begin({ type: "watch", runId: "r1" });
    const first = run({ runId: "r1", hanging: ["b"], live: true });
    await first.wrote("recorded r1/a", "recorded r1/c");
    const midway = begin({ type: "watch", runId: "r1" });
    await midway.wroteLines(5);
    await first.kill();
    const second = run({ runId: "r1", live: true, aheadMs: 2 * LEASE_MS });
    expect((await second.finished()).at(-1)).toBe("end");
    const late = begin({ type: "watch", runId: "r1" });

    const heard = told<AgentEvent>("event", first, second);
    const live = viewOfEntries(heard.map((event, offset) => ({ type: "event", offset, event })));
    expect(live.end).toBe("r1 run.completed");
    expect(live.calls).toHaveLength(7);
    for (const watcher of [early, midway, late]) {
      expect((await watcher.finished()).at(-1)).toBe("end");
      const entries = told<JournalEntry>("entry", watcher);
      expect(entries.map(({ offset }) => offset)).toEqual(entries.map((_, index) => index));
      expect(viewOfEntries(entries)).toEqual(live);
    }
  });
});
