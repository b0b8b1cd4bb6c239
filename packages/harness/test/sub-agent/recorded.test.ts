import { type AgentRun, isTinyAgentsError, type RunRecorder } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { failAt, fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { historyProblems, type KeptRuns, keptRuns } from "../support/kept-runs.js";
import { leasedRuns } from "../support/leased-runs.js";
import { resultStatuses } from "../support/transcript.js";
import { modelByHistory } from "../support/two-tools.js";

const RUN = { runId: "r" };

/** A parent whose child needs a yes to pay, and then looks. New objects each time, as in another process. */
function family(did: string[], recorder: RunRecorder): Agent {
  const note = (name: string) => fakeTool({ name, execute: () => void did.push(name) });
  const child = createAgent({
    name: "child",
    model: modelByHistory([{ toolCalls: [{ name: "pay" }] }, { toolCalls: [{ name: "look" }] }, { text: "paid" }]),
    tools: [
      fakeTool({ name: "pay", policy: { approval: "always" }, execute: () => void did.push("pay") }),
      note("look"),
    ],
    approver: { decide: () => "ask" },
  });
  return createAgent({
    name: "parent",
    model: modelByHistory([{ toolCalls: [{ name: "child", args: { task: "Pay." } }] }, { text: "done" }]),
    tools: [child.asTool({ description: "Pays." })],
    recorder,
  });
}

const yes = ({ requests: [asked] }: AgentRun) => ({ answers: { [asked?.id ?? ""]: { approve: true } } });

describe("a child that went on after its answer and was killed with its parent", () => {
  /** Kills both at a write of the resumed run; then they are resumed from what is recorded. */
  async function killedAt(write: number, when: "before" | "after") {
    const recorder = keptRuns();
    const did: string[] = [];
    const paused = await family(did, recorder).invoke("Go.", RUN);
    const later = failAt(recorder, when === "after" ? write + 1 : write, { stayDown: true });
    const dying = failAt(later.subject, write, { when });
    await family(did, dying.subject)
      .resume("r", yes(paused))
      .catch(() => {});
    const known = await resultsBelow(recorder);
    const before = did.slice();
    const run = dying.failed ? await resumed(did, recorder, yes(paused)) : undefined;
    const ends = recorder.states.filter(({ phase, agent }) => phase === "done" && agent === "child").length;
    return { over: !dying.failed, known, before, did, run, ends };
  }

  async function resumed(did: string[], recorder: RunRecorder, answer: ReturnType<typeof yes>) {
    const waits = (await recorder.load("r"))?.state.phase === "paused";
    try {
      return await family(did, recorder).resume("r", waits ? answer : {});
    } catch (error) {
      // The last write had been done: nothing is left to resume.
      if (isTinyAgentsError(error, "resume_mismatch")) return undefined;
      throw error;
    }
  }

  test.each(["before", "after"] as const)(
    "goes on where it was, %s the write was done: no recorded call runs again, and nobody is asked again (SUB-02, LOOP-14)",
    async (when) => {
      let writes = 0;
      for (; ; writes++) {
        const { over, known, before, did, run, ends } = await killedAt(writes + 1, when);
        if (over) break;
        for (const name of known) expect([writes, count(did, name)]).toEqual([writes, count(before, name)]);
        expect(new Set(did)).toEqual(new Set(["pay", "look"]));
        expect([writes, ends]).toEqual([writes, 1]);
        if (run === undefined) continue;
        expect([writes, run.status, run.text]).toEqual([writes, "completed", "done"]);
        expect([writes, ...resultStatuses(run.messages)]).toEqual([writes, "child#call_1 ok"]);
        expect(historyProblems(run)).toBe("");
      }
      expect(writes).toBeGreaterThan(12);
    },
    30_000,
  );
});

/** Names of the child's tools whose results are recorded. */
async function resultsBelow(recorder: KeptRuns): Promise<readonly string[]> {
  const recorded = await recorder.load("r/call_1");
  const results = [...(recorded?.state.messages ?? []), ...(recorded?.toolResults.values() ?? [])];
  return results.flatMap((message) => (message.role === "tool" && message.status === "ok" ? message.name : []));
}

function count(names: readonly string[], name: string): number {
  return names.filter((other) => other === name).length;
}

describe("a child whose recorder gives leases", () => {
  test("has a lease of its own, under its own id, and lets go of it when it pauses and when it ends", async () => {
    const recorder = leasedRuns();
    const did: string[] = [];
    const paused = await family(did, recorder).invoke("Go.", RUN);
    expect(recorder.asked.slice(0, 2)).toEqual(["claim r", "step r 1"]);
    expect(recorder.asked.filter((asked) => asked.includes("r/call_1")).slice(0, 3)).toEqual([
      "take over r/call_1",
      "load r/call_1",
      "step r/call_1 2",
    ]);
    expect(recorder.owned).toEqual([]);
    await family(did, recorder).resume("r", yes(paused));
    expect([did, recorder.owned]).toEqual([["pay", "look"], []]);
  });

  test("is taken over by whoever owns its parent, though the lease of the one who was killed still holds (LOOP-14)", async () => {
    const recorder = leasedRuns();
    const did: string[] = [];
    const paused = await family(did, recorder).invoke("Go.", RUN);
    recorder.takeAway("r/call_1");
    const run = await family(did, recorder).resume("r", yes(paused));
    expect([run.text, did]).toEqual(["done", ["pay", "look"]]);
  });

  test("that was taken over with its parent ends both: the parent does not go on without it (DG-11)", async () => {
    const recorder = leasedRuns();
    const did: string[] = [];
    const paused = await family(did, recorder).invoke("Go.", RUN);
    const thief: RunRecorder = {
      ...recorder,
      toolResult: (runId, callId, result, options) => {
        for (const id of ["r", "r/call_1"]) recorder.takeAway(id);
        return recorder.toolResult(runId, callId, result, options);
      },
    };
    await expect(family(did, thief).resume("r", yes(paused))).rejects.toMatchObject({ code: "conflict" });
    expect(did).toEqual(["pay"]);
  });

  test("is not resumed by its own id while its parent moves it", async () => {
    const recorder = leasedRuns();
    const other = createAgent({ name: "child", model: modelByHistory([]), recorder });
    const codes: unknown[] = [];
    const child = createAgent({
      name: "child",
      model: modelByHistory([{ toolCalls: [{ name: "look" }] }, { text: "seen" }]),
      tools: [
        fakeTool({
          name: "look",
          execute: () => other.resume("r/call_1").catch(({ code }) => void codes.push(code)),
        }),
      ],
    });
    const parent = createAgent({
      name: "parent",
      model: modelByHistory([{ toolCalls: [{ name: "child", args: { task: "Look." } }] }, { text: "done" }]),
      tools: [child.asTool({ description: "Looks." })],
      recorder,
    });
    expect((await parent.invoke("Go.", RUN)).text).toBe("done");
    expect(codes).toEqual(["conflict"]);
  });
});

test("a call of an agent whose run would have the id of another run fails, and takes nothing of that run", async () => {
  const recorder = keptRuns();
  const answer = createAgent({ name: "other", model: modelByHistory([{ text: "of somebody else" }]), recorder });
  await answer.invoke("Hi.", { runId: "r/c1" });
  const child = createAgent({ name: "other", model: modelByHistory([{ text: "own" }]) });
  const parent = createAgent({
    name: "parent",
    model: modelByHistory([{ toolCalls: [{ id: "c1", name: "other", args: { task: "Go." } }] }, { text: "done" }]),
    tools: [child.asTool({ description: "Helps." })],
    recorder,
  });
  const run = await parent.invoke("Go.", RUN);
  const [result] = run.messages.filter(({ role }) => role === "tool");
  expect(result).toMatchObject({ isError: true, status: "failed" });
  expect(JSON.stringify(result)).toContain('another run has the id \\"r/c1\\"');
  expect(JSON.stringify(run.messages)).not.toContain("of somebody else");
});
