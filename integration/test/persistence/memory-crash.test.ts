import { manualClock, type ShortTermMemory, type Store, text, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { keepLastTurns, keepSummary, runRecorder, shortTermMemory } from "@tinyagents/persistence";
import { memoryAppendStore, memoryStore } from "@tinyagents/store-memory";
import { failAt, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { dyingAt } from "./dying.js";

let summaries = 0;
const summary = keepSummary({ summarize: () => userMessage(`[${++summaries}]`), keepTurns: 1, maxTurns: 1 });

/** A memory of somebody's own, which keeps no more of a thread than it has to. */
function nameless(store: Store): ShortTermMemory {
  const memory = shortTermMemory(store);
  return { ...memory, save: (threadId, { savedBy: _, ...state }, options) => memory.save(threadId, state, options) };
}

const memories: readonly (readonly [string, (store: Store) => ShortTermMemory])[] = [
  ["that keeps all", (store) => shortTermMemory(store)],
  ["that trims on save", (store) => shortTermMemory(store, { onSave: keepLastTurns(1) })],
  ["that trims on load", (store) => shortTermMemory(store, { onLoad: keepLastTurns(1) })],
  ["that summarizes on save, never twice in the same words", (store) => shortTermMemory(store, { onSave: summary })],
  ["that keeps no name of a run", nameless],
];

/** A thread with two turns, and the agent that takes its third: as each new process makes it. */
async function world(make: (store: Store) => ShortTermMemory) {
  const [log, store] = [memoryAppendStore(), memoryStore()];
  const agent = (recordedIn = log, startMs = 5) =>
    createAgent({
      name: "a",
      model: scriptedModel(Array(3).fill(() => "Yes.")),
      memory: make(store),
      recorder: runRecorder(recordedIn),
      clock: manualClock({ startMs }),
    });
  const first = agent();
  await first.invoke("One.", { threadId: "t" });
  await first.invoke("Two.", { threadId: "t" });
  return { log, store, agent };
}

const third = { runId: "r", threadId: "t" };

describe.each(memories)("a memory %s", (_, make) => {
  it.each(["before", "after"] as const)(
    "is saved once by a run that was killed at any write to its log, %s it was done (MEM-03, MEM-04)",
    async (when) => {
      const calm = await world(make);
      const counting = failAt(calm.log, Number.POSITIVE_INFINITY);
      await calm.agent(counting.subject).invoke("Three.", third);
      const expected = (await make(calm.store).load("t"))?.state.messages.length;
      for (let write = 1; write <= counting.writes; write++) {
        const { log, store, agent } = await world(make);
        const before = await make(store).load("t");
        await expect(agent(dyingAt(log, write, when)).invoke("Three.", third)).rejects.toThrow();
        const left = await runRecorder(log).load("r");
        const saved = await make(store).load("t");
        const wasSaved = saved?.version !== before?.version;
        if (left?.state.phase !== "done") {
          const run = left === undefined ? await agent().invoke("Three.", third) : await agent().resume("r");
          expect([run.status, run.text]).toEqual(["completed", "Yes."]);
        }
        const after = await make(store).load("t");
        if (wasSaved) expect(after?.version).toBe(saved?.version);
        expect(after?.state.messages.length).toBe(expected);
        expect(after?.state.messages.map(text)).toContain("Three.");
      }
    },
  );
});

it("a run is not taken for another that was given its id: the second to save gets a conflict (MEM-03)", async () => {
  const store = memoryStore();
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const agent = (script: Parameters<typeof scriptedModel>[0], startMs: number) =>
    createAgent({
      name: "a",
      model: scriptedModel(script),
      memory: shortTermMemory(store, { onSave: keepLastTurns(1) }),
      clock: manualClock({ startMs }),
    });
  const slow = agent([{ text: "slow", gate }], 1).invoke("Hi.", third);
  await agent(["fast"], 2).invoke("Hi.", third);
  open();
  await expect(slow).rejects.toMatchObject({ code: "conflict" });
  expect((await shortTermMemory(store).load("t"))?.state.messages.map(text)).toEqual(["Hi.", "fast"]);
});
