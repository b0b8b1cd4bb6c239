import {
  type AgentEvent,
  type AppendStore,
  type EventSink,
  fanOut,
  type JournalEntry,
  type RunRecorder,
  systemClock,
  tool,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { currentEntries, eventJournal, journaledRecorder, runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { eventRecorder, failAt, scriptedModel } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { onBackends } from "./on-backends.js";
import { viewOf } from "./view.js";

const SCRIPT = [
  { text: "Both.", toolCalls: ["a", "b"].map((at) => ({ id: at, name: "look", args: { at } })) },
  { toolCalls: [{ id: "help", name: "helper", args: { task: "Help." } }] },
  "Seen a and b.",
];

function eventsOf(entries: readonly JournalEntry[]): readonly AgentEvent[] {
  return entries.flatMap((entry) => (entry.type === "event" ? [entry.event] : []));
}

/** An agent with another one below it, as each process makes it. */
function agentWith(events: EventSink, recorder: RunRecorder = runRecorder(memoryAppendStore())) {
  const look = tool({
    name: "look",
    description: "Looks.",
    input: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    execute: async (input) => `${(input as { readonly at: string }).at} is there`,
  });
  const helper = createAgent({ name: "helper", model: scriptedModel(["Helped.", "Helped."]) });
  const answers = SCRIPT.map(() => (request: { readonly messages: readonly { readonly role: string }[] }) => {
    const answered = request.messages.filter(({ role }) => role === "assistant").length;
    return SCRIPT[answered] ?? "Nothing is left to say.";
  });
  return createAgent({
    name: "tester",
    model: scriptedModel(answers),
    tools: [look, helper.asTool({ description: "Helps." })],
    recorder,
    events,
  });
}

const ALL = { deltas: true, payloads: true };

onBackends("a view that is rebuilt from the journal alone (OBS-04)", (opened) => {
  it("is the view of who watched live, wherever in the run it is attached", async () => {
    const journal = eventJournal(opened().backend.log);
    const live = eventRecorder(ALL);
    const attached: Promise<readonly JournalEntry[]>[] = [];
    const attach = async () => {
      const got: JournalEntry[] = [];
      for await (const entry of journal.follow({ rootRunId: "r1", untilEnd: true, pollMs: 5 })) got.push(entry);
      return got;
    };
    const attaching = { ...ALL, emit: () => void attached.push(attach()) };
    await agentWith(fanOut([live, journal.sink(ALL), attaching])).invoke("Look at a and b.", { runId: "r1" });
    attached.push(attach());
    await journal.flush();
    expect(attached.length).toBe(live.events.length + 1);
    expect(viewOf(live.events).end).toBe("r1 run.completed");
    expect(viewOf(live.events).calls.length).toBe(3);
    for (const entries of await Promise.all(attached)) {
      expect(eventsOf(entries)).toEqual(live.events);
      expect(viewOf(eventsOf(currentEntries(entries)))).toEqual(viewOf(live.events));
    }
  });

  it("is that of a run that was never cut off, also after the process was killed at any write to its log", async () => {
    const calm = eventRecorder(ALL);
    await agentWith(calm).invoke("Look at a and b.", { runId: "r0" });
    const expected = JSON.stringify(viewOf(calm.events));
    const { log } = opened().backend;
    for (let write = 1; ; write++) {
      const runId = `killed-${write}`;
      const dying = failAt(log, write, { stayDown: true, when: write % 2 === 0 ? "before" : "after" });
      await run(dying.subject, 1, (agent) => agent.invoke("Look at a and b.", { runId })).catch(() => {});
      const left = await runRecorder(log).load(runId);
      if (left === undefined) continue;
      if (left.state.phase !== "done") await run(log, 5, (agent) => agent.resume(runId));
      const { entries } = await eventJournal(log).read({ rootRunId: runId });
      const view = JSON.stringify(viewOf(eventsOf(currentEntries(entries)))).replaceAll(runId, "r0");
      expect([write, view]).toEqual([write, expected]);
      if (!dying.failed) break;
    }
  }, 300_000);
});

/** What a process does with a run whose events and states go into one log, until it ends or the log is gone. */
async function run(
  log: AppendStore,
  attempts: number,
  work: (agent: ReturnType<typeof agentWith>) => Promise<unknown>,
) {
  const journal = eventJournal(log, { attempts });
  // Whoever comes after a killed process comes when its lease has run out.
  const clock = { ...systemClock, now: () => systemClock.now() + (attempts > 1 ? 60_000 : 0) };
  await work(agentWith(journal.sink(ALL), journaledRecorder(runRecorder(log, { clock }), journal)));
  await journal.flush();
}
