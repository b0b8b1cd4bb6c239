import { setTimeout as pause } from "node:timers/promises";
import { type AgentEvent, checkHistory, type JournalEntry, systemClock } from "@tinyagents/core";
import { currentEntries } from "@tinyagents/persistence";
import { seededRandom } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import type { Running } from "../support/node-program.js";
import { LEASE_MS, onDurableBackends, type Workers } from "./workers.js";
import { KEYS, type WorkingAgent, workingAgent } from "./working-agent.js";

/** How many processes are killed on each backend, and the chance that says when. */
const KILLS = Number(process.env.TINYAGENTS_KILLS ?? 25);
const SEED = Number(process.env.TINYAGENTS_SEED ?? 1);

/** A process is killed after at most so many more lines, and so many ms. */
const MOST_LINES = 7;
const MOST_MS = 12;

onDurableBackends("a run whose processes are killed at any moment", (workers) => {
  it(
    `is at its end as if nothing had happened, after ${KILLS} kills by chance ${SEED} (LOOP-14, MEM-03, EVT-12, OBS-04)`,
    async () => {
      const chance = seededRandom(SEED);
      let kills = 0;
      const calm = await untilEnd(workers(), "r0", async () => false);
      const runs = [calm];
      while (kills < KILLS) {
        const run = await untilEnd(workers(), `r${runs.length}`, async (process) => {
          await process.wroteLines(Math.floor(chance() * MOST_LINES));
          await pause(chance() * MOST_MS);
          const killed = await process.killed();
          if (killed) kills++;
          return killed;
        });
        expectNoneRepeated(run);
        runs.push(run);
      }
      const { agent, backend } = await reading(workers());
      const expected = await leftBy(agent, calm.runId);
      expect(expected.events.length).toBeGreaterThan(20);
      for (const { runId } of runs) expect(await leftBy(agent, runId)).toEqual(expected);
      await agent.close();
      await backend.close();
    },
    60_000 + KILLS * 20_000,
  );
});

interface LivedThrough {
  readonly runId: string;
  /** All processes that moved the run, in their order. */
  readonly processes: readonly Running[];
}

/** Moves a run by one process after the other until one is left alone and is done. */
async function untilEnd(
  { run }: Workers,
  runId: string,
  killed: (process: Running) => Promise<boolean>,
): Promise<LivedThrough> {
  const processes: Running[] = [];
  for (;;) {
    const process = run({ runId, threadId: `thread of ${runId}`, aheadMs: 2 * LEASE_MS * processes.length });
    processes.push(process);
    if (await killed(process)) continue;
    expect((await process.finished()).at(-1)).toBe("end");
    return { runId, processes };
  }
}

/** What was recorded in one process is begun in no later one, and is done under one key whoever does it. */
function expectNoneRepeated({ processes }: LivedThrough): void {
  const recorded = new Set<string>();
  const keys = new Map<string, string>();
  for (const { lines } of processes) {
    for (const [what, key = "", idempotencyKey = ""] of lines.map((line) => line.split(" "))) {
      if (what === "begin") {
        expect(recorded).not.toContain(idempotencyKey);
        expect(keys.get(key) ?? idempotencyKey).toBe(idempotencyKey);
        keys.set(key, idempotencyKey);
      }
      if (what === "recorded") recorded.add(key);
    }
  }
  expect([...keys.keys()].sort()).toEqual(KEYS);
}

async function reading({ place }: Workers) {
  const backend = await place.open();
  const agent = workingAgent({ backend, clock: systemClock, leaseMs: LEASE_MS, hanging: [], tell: () => {} });
  return { agent, backend };
}

/** What is stored of a run, its id written `R`: the same for all runs that did the same. */
async function leftBy({ recorder, journal, statuses, memory }: WorkingAgent, runId: string) {
  const recorded = await recorder.load(runId);
  const { entries, more } = await journal.read({ rootRunId: runId });
  expect(entries.map(({ offset }) => offset)).toEqual(entries.map((_, index) => index));
  expectNamesOfTheirOwn(entries.map(eventOf));
  const events = currentEntries(entries).map(eventOf);
  expectNoHoles(events);
  const { items } = await statuses.list({ rootRunId: runId });
  const messages = recorded?.state.messages ?? [];
  const remembered = await memory.load(`thread of ${runId}`);
  expect(checkHistory(messages)).toEqual([]);
  expect(remembered?.state.messages).toEqual(messages);
  const left = {
    phase: recorded?.state.phase,
    toolCalls: recorded?.state.counters.toolCalls,
    more,
    said: messages.map(({ role, content }) => [role, content]),
    events: events.flatMap(word).sort(),
    statuses: items.map(({ runId: id, state, outcome }) => [id, state, outcome]),
  };
  return JSON.parse(JSON.stringify(left).replaceAll(runId, "R")) as typeof left;
}

function eventOf(entry: JournalEntry): AgentEvent {
  if (entry.type === "event") return entry.event;
  throw new Error(`there is a ${entry.type} at ${entry.offset}`);
}

/** Whatever was told of a run, by any process that moved it, is told apart by its id and its attempt. */
function expectNamesOfTheirOwn(events: readonly AgentEvent[]): void {
  const names = events.map(({ id, attempt }) => `${id} in ${attempt}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
}

/**
 * Each run has told each of its events once, and left out no number. A number may be that of two calls: of one that was done
 * before the run was taken up again, and of one that was begun again then.
 */
function expectNoHoles(events: readonly AgentEvent[]): void {
  const told = events.map((event) => `${event.id} ${event.type} ${callOf(event)}`);
  expect(told.filter((one, index) => told.indexOf(one) !== index)).toEqual([]);
  for (const run of new Set(events.map(({ runId }) => runId))) {
    const numbered = events.filter(({ id, runId, seq }) => runId === run && id === `${runId}/${seq}`);
    const seqs = [...new Set(numbered.map(({ seq }) => seq))].sort((a, b) => a - b);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  }
}

/** An event in a word. That a run was taken up again is no part of what it did. */
function word(event: AgentEvent): readonly string[] {
  if (event.type === "run.started" && event.data.resumed) return [];
  return [`${event.runId} ${event.type} ${callOf(event)}`];
}

function callOf({ data }: AgentEvent): string {
  return "callId" in data ? String(data.callId) : "";
}
