import type { AgentState, RunRecorder, ToolMessage } from "@tinyagents/core";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { dyingAt } from "./dying.js";
import { answer, calls, copy, type DrivenRun, drivenFrom, drivenRun, result } from "./states.js";

const BATCHES = [["a1", "a2", "a3"], ["b1"], ["c1", "c2"]] as const;
const RUN_ID = "r1";

/** What happened outside: how often each call was run. It survives the process. */
type Effects = Map<string, number>;

/**
 * A small loop that records what it does: three batches of tool calls, after the first of which its history is
 * compacted. It goes on from wherever the recorded run stands.
 */
async function drive(recorder: RunRecorder, effects: Effects): Promise<AgentState> {
  const recorded = await recorder.load(RUN_ID);
  const run = recorded === undefined ? drivenRun(RUN_ID) : drivenFrom(recorded.state);
  const done = new Map(recorded?.toolResults);
  await recorder.step(run.state);
  while (run.state.phase !== "done") {
    await move(run, recorder, effects, done);
    done.clear();
    await recorder.step(run.state);
  }
  return copy(run.state);
}

async function move(run: DrivenRun, recorder: RunRecorder, effects: Effects, done: Map<string, ToolMessage>) {
  const batch = BATCHES[run.state.counters.modelCalls];
  switch (run.state.phase) {
    case "start":
      return run.move("dispatch");
    case "dispatch":
      return batch === undefined ? run.move("done", answer("All done.")) : run.move("tools", calls(...batch));
    case "tools": {
      const results = await Promise.all((batch ?? []).map((id) => runCall(id, recorder, effects, done)));
      run.state.counters = { ...run.state.counters, modelCalls: run.state.counters.modelCalls + 1 };
      return run.move(batch === BATCHES[0] ? "compact" : "dispatch", ...results);
    }
    default:
      run.state.messages = [...run.state.messages.slice(0, 1), answer("a summary of what was done")];
      return run.move("dispatch");
  }
}

async function runCall(id: string, recorder: RunRecorder, effects: Effects, done: Map<string, ToolMessage>) {
  const earlier = done.get(id);
  if (earlier !== undefined) return earlier;
  effects.set(id, (effects.get(id) ?? 0) + 1);
  await recorder.toolResult(RUN_ID, id, result(id));
  return result(id);
}

/** Notes what the recorder has acknowledged. */
function noting(
  recorder: RunRecorder,
  acknowledged: Set<string>,
  steps: { last: AgentState | undefined },
): RunRecorder {
  return {
    load: (runId) => recorder.load(runId),
    async step(state) {
      const now = copy(state);
      await recorder.step(state);
      steps.last = now;
    },
    async toolResult(runId, callId, message) {
      await recorder.toolResult(runId, callId, message);
      acknowledged.add(callId);
    },
  };
}

const undisturbed = await drive(runRecorder(memoryAppendStore()), new Map());
const counting = failAt(memoryAppendStore(), Number.POSITIVE_INFINITY);
await drive(runRecorder(counting.subject), new Map());

describe.each(["before", "after"] as const)("a process that dies at a write, %s it is done", (when) => {
  it.each(Array.from({ length: counting.writes }, (_, index) => index + 1))(
    "loses nothing that was acknowledged and repeats no acknowledged call: write %i",
    async (write) => {
      const log = memoryAppendStore();
      const effects: Effects = new Map();
      const acknowledged = new Set<string>();
      const steps: { last: AgentState | undefined } = { last: undefined };
      const dying = runRecorder(dyingAt(log, write, when));
      await expect(drive(noting(dying, acknowledged, steps), effects)).rejects.toMatchObject({
        code: "store_failed",
      });

      const left = await runRecorder(log).load(RUN_ID);
      expect((left?.state.counters.steps ?? 0) - (steps.last?.counters.steps ?? 0)).toBeLessThanOrEqual(1);
      if (left?.state.counters.steps === steps.last?.counters.steps) expect(left?.state).toEqual(steps.last);
      const known = new Set([...(left?.toolResults.keys() ?? []), ...finishedBatches(left?.state)]);
      for (const id of acknowledged) expect(known).toContain(id);

      const before = new Map(effects);
      expect(await drive(runRecorder(log), effects)).toEqual(undisturbed);
      for (const id of known) expect(effects.get(id)).toBe(before.get(id));
      expect([...effects.keys()].sort()).toEqual(BATCHES.flat().sort());
      expect((await runRecorder(log).load(RUN_ID))?.state).toEqual(undisturbed);
    },
  );
});

function finishedBatches(state: AgentState | undefined): readonly string[] {
  return BATCHES.slice(0, state?.counters.modelCalls ?? 0).flat();
}

it("a process whose log fails once, and that tries again, ends as if nothing had happened", async () => {
  for (const when of ["before", "after"] as const) {
    for (let write = 1; write <= counting.writes; write++) {
      const flaky = failAt(memoryAppendStore(), write, { when });
      const recorder = runRecorder(flaky.subject);
      await drive(recorder, new Map()).catch(() => undefined);
      expect(await drive(recorder, new Map())).toEqual(undisturbed);
    }
  }
});
