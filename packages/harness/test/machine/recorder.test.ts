import { checkHistory, isTinyAgentsError, type TinyAgentsError } from "@tinyagents/core";
import { type Agent, createAgent, runOf } from "@tinyagents/harness";
import { eventRecorder, failAt, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { historyProblems, type KeptRuns, keptRuns } from "../support/kept-runs.js";
import { quiet } from "../support/stubborn.js";
import { resultStatuses } from "../support/transcript.js";
import { modelByHistory } from "../support/two-tools.js";

const ANSWERS = [
  { toolCalls: ["a", "b", "c"].map((key) => ({ name: "work", args: { key } })) },
  { toolCalls: [{ name: "work", args: { key: "d" } }] },
  { text: "Done." },
];

function batchAgent(recorder: KeptRuns, ran: string[], hangsAt?: string): Agent {
  const work = fakeTool({
    name: "work",
    input: z.object({ key: z.string() }),
    execute: ({ key }) => {
      ran.push(key);
      return key === hangsAt ? new Promise(() => {}) : key;
    },
  });
  return createAgent({ name: "a", model: modelByHistory(ANSWERS), tools: [work], recorder });
}

describe("a run with a recorder", () => {
  it("has its state recorded at its start and after each step, and each result when it is there (LOOP-14)", async () => {
    const recorder = keptRuns();
    await batchAgent(recorder, []).invoke("go", { runId: "r" });
    expect(recorder.results).toEqual(["call_1", "call_2", "call_3", "call_4"]);
    expect(recorder.states.map(({ phase }) => phase)).toEqual([
      "start",
      ...[
        "dispatch",
        "parse",
        "tools",
        "dispatch",
        "parse",
        "tools",
        "dispatch",
        "parse",
        "stop_check",
        "finalize",
        "done",
      ],
    ]);
    for (const state of recorder.states) {
      if (state.phase !== "parse" && state.phase !== "tools") expect(historyProblems(state)).toBe("");
    }
  });

  it.each([1, 2, 4, 5])("has failed when its recorder fails, whatever was due: write %i (DG-11)", async (write) => {
    const { subject } = failAt(keptRuns(), write);
    const error = await batchAgent(subject as KeptRuns, [])
      .invoke("go", { runId: "r" })
      .catch((failure: unknown) => failure);
    expect(runOf(error)).toMatchObject({ status: "failed", error: { code: (error as TinyAgentsError).code } });
  });

  it("is resumed by its id, also in the middle of a batch: finished calls do not run again (LOOP-14)", async () => {
    const recorder = keptRuns();
    const ran: string[] = [];
    batchAgent(recorder, ran, "b").start("go", { runId: "r" });
    while (recorder.results.length < 2) await quiet();
    expect(recorder.results).toEqual(["call_1", "call_3"]);
    const run = await batchAgent(recorder, ran).resume("r");
    expect(ran).toEqual(["a", "b", "c", "b", "d"]);
    expect(run).toMatchObject({ status: "completed", text: "Done." });
    expect(resultStatuses(run.messages)).toEqual([1, 2, 3, 4].map((n) => `work#call_${n} ok`));
    expect(run.counters).toMatchObject({ modelCalls: 3, toolCalls: 4 });
  });

  it("is refused by id where nobody has recorded it", async () => {
    await expect(batchAgent(keptRuns(), []).resume("nobody")).rejects.toMatchObject({ code: "resume_mismatch" });
    const without = createAgent({ name: "a", model: modelByHistory([]) });
    await expect(without.resume("r")).rejects.toMatchObject({ code: "resume_mismatch" });
  });
});

describe("a crash at any write of the recorder", () => {
  async function crashAt(
    write: number,
    when: "before" | "after",
  ): Promise<{ ran: string[]; acknowledged: readonly string[]; done: boolean }> {
    const kept = keptRuns();
    const failing = failAt(kept, write, { when, stayDown: true });
    const ran: string[] = [];
    const first = await batchAgent(failing.subject, ran)
      .invoke("go", { runId: "r" })
      .catch((error: unknown) => {
        if (!isTinyAgentsError(error, "store_failed")) throw error;
      });
    if (first !== undefined) return { ran, acknowledged: [], done: true };
    const acknowledged = kept.results.slice();
    const again = (await kept.load("r")) === undefined;
    const agent = batchAgent(kept, ran);
    const run = again
      ? await agent.invoke("go", { runId: "r" })
      : await agent.resume("r").catch(async (error) => {
          // The last write had been done: nothing is left to resume.
          if (!isTinyAgentsError(error, "resume_mismatch")) throw error;
          return undefined;
        });
    if (run !== undefined) {
      expect(run.text).toBe("Done.");
      expect(checkHistory(run.messages)).toEqual([]);
    }
    return { ran, acknowledged, done: false };
  }

  it.each(["before", "after"] as const)(
    "%s it took effect repeats no call whose result was recorded (LOOP-14)",
    async (when) => {
      const keys = { call_1: "a", call_2: "b", call_3: "c", call_4: "d" };
      let writes = 0;
      for (let write = 1; ; write++) {
        const { ran, acknowledged, done } = await crashAt(write, when);
        if (done) break;
        writes++;
        for (const id of acknowledged) {
          const key = keys[id as keyof typeof keys];
          expect(
            ran.filter((other) => other === key),
            `write ${write}: ${key}`,
          ).toHaveLength(1);
        }
        expect(new Set(ran)).toEqual(new Set(["a", "b", "c", "d"]));
      }
      expect(writes).toBe(16);
    },
  );

  it("ends the run with the failure of the store that did not take a result", async () => {
    const failing = failAt(keptRuns(), 5, { methods: ["step", "toolResult"] });
    const ran: string[] = [];
    const { error, run } = await failureOf(batchAgent(failing.subject, ran).invoke("go", { runId: "r" }));
    expect(error.code).toBe("store_failed");
    expect(ran).toEqual(["a", "b", "c"]);
    expect(checkHistory(run.messages)).toEqual([]);
  });

  it("rejects with the recorder's own error when a state cannot be recorded", async () => {
    const failing = failAt(keptRuns(), 3, { methods: ["step"] });
    await expect(batchAgent(failing.subject, []).invoke("go")).rejects.toMatchObject({ code: "store_failed" });
  });

  it("tells watchers of the end of a run whose recorder fails, and gives what there is of it (EVT-02)", async () => {
    const failing = failAt(keptRuns(), 2);
    const events = eventRecorder();
    const agent = createAgent({ name: "a", model: scriptedModel(["Hello."]), recorder: failing.subject, events });
    const { error, run } = await failureOf(agent.invoke("Hi"));
    expect(error.code).toBe("store_failed");
    expect(run.newMessages[0]).toMatchObject({ role: "user" });
    expect(events.types().filter((type) => type.startsWith("run."))).toEqual(["run.started", "run.failed"]);
  });
});
