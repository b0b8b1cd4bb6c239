import {
  type AgentEvent,
  type AppendStore,
  type EventSink,
  fanOut,
  type JournalEntry,
  manualClock,
  type RunRecorder,
  systemClock,
  tool,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import {
  currentEntries,
  eventJournal,
  journaledRecorder,
  runRecorder,
  runStatusSink,
  runStatusStore,
} from "@tinyagents/persistence";
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
      expect([write, repeatedNames(entries)]).toEqual([write, []]);
      const view = JSON.stringify(viewOf(eventsOf(currentEntries(entries)))).replaceAll(runId, "r0");
      expect([write, view]).toEqual([write, expected]);
      if (!dying.failed) break;
    }
  }, 300_000);
});

onBackends("a run that is taken up twice in one millisecond", (opened) => {
  it("has events of their own for both, though the first recorded nothing, and a status that counts both (OBS-01, OBS-02)", async () => {
    const { log, store } = opened().backend;
    const clock = manualClock({ startMs: 1_700_000_000_000 });
    const journal = eventJournal(log);
    const statuses = runStatusStore(store);
    const driver = (recording: AppendStore, aheadMs: number) => {
      const status = runStatusSink(statuses, { clock });
      const ahead = { ...systemClock, now: () => systemClock.now() + aheadMs };
      const agent = agentWith(fanOut([journal.sink(ALL), status]), runRecorder(recording, { clock: ahead }));
      return { agent, status };
    };
    const first = driver(failAt(log, 5, { stayDown: true }).subject, 0);
    await first.agent.invoke("Look at a and b.", { runId: "r1", clock }).catch(() => {});
    await first.status.close();
    // A resumption makes its claim known, and then records what it goes on from.
    for (const [write, aheadMs] of [
      [2, 60_000],
      [Number.MAX_SAFE_INTEGER, 120_000],
    ] as const) {
      const { agent, status } = driver(failAt(log, write, { stayDown: true }).subject, aheadMs);
      await agent.resume("r1", { clock }).catch(() => {});
      await status.close();
    }
    await journal.flush();
    const { entries } = await journal.read({ rootRunId: "r1", runId: "r1" });
    const goesOn = eventsOf(entries).filter(({ type, data }) => type === "run.started" && data.resumed);
    expect(goesOn.map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(new Set(goesOn.map(({ id, timeMs }) => `${id} at ${timeMs}`)).size).toBe(1);
    expect(repeatedNames(entries)).toEqual([]);
    const { status } = (await statuses.get("r1")) ?? {};
    expect(status).toMatchObject({ state: "completed", attempt: 3, counters: { resumes: 2 } });
  });
});

/** Names that more than one entry has. */
function repeatedNames(entries: readonly JournalEntry[]): readonly string[] {
  const names = eventsOf(entries).map(({ id, attempt }) => `${id} in ${attempt}`);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

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
