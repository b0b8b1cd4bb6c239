import {
  type AgentRun,
  checkHistory,
  isTinyAgentsError,
  type Message,
  type ModelRequest,
  readAgentState,
} from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type PlannedAgent, plannedAgent, type RunPlan, runPlan } from "../support/random-runs.js";

/** Moves the clock until a run has ended; nothing may keep it for ever. */
async function ended({ around }: PlannedAgent, running: Promise<AgentRun<unknown>>): Promise<AgentRun<unknown>> {
  let run: AgentRun<unknown> | undefined;
  let failure: unknown;
  running.then(
    (value) => {
      run = value;
    },
    (error) => {
      run = runOf(error);
      if (run === undefined || !isTinyAgentsError(error)) failure = error;
    },
  );
  for (let i = 0; i < 60 && run === undefined && failure === undefined; i++) await around.clock.advance(2_500);
  if (failure !== undefined) throw failure;
  if (run === undefined) throw new Error("the run does not end");
  return run;
}

/** What is wrong with a history, but for the calls that a paused run has open at its end. */
function problems(run: AgentRun<unknown>): readonly unknown[] {
  const waiting = new Set(run.status === "paused" ? run.state.batch?.calls.map(({ callId }) => callId) : []);
  return checkHistory(run.messages).filter(({ type, callId }) => type !== "unanswered_call" || !waiting.has(callId));
}

async function check(plan: RunPlan): Promise<void> {
  const planned = plannedAgent(plan);
  const run = await ended(planned, planned.agent.invoke("go", { signal: planned.controller.signal }));
  expect(problems(run)).toEqual([]);
  expect(run.error?.code).not.toBe("internal");
  expect(planned.around.clock.timers).toBe(0);

  // The state can be stored, and what was stored can be read.
  const stored = JSON.stringify(run.state);
  const state = readAgentState(stored);
  expect(JSON.stringify(state)).toBe(stored);

  // The next run on this history, and the run itself with new input, work: every model would take what they send.
  const seen: (readonly Message[])[] = [];
  const model = scriptedModel(
    Array.from({ length: 2 }, () => ({ messages }: ModelRequest) => {
      seen.push(messages);
      return "I go on.";
    }),
  );
  const next = createAgent({ name: "planned", model });
  const again = await next.invoke([...run.messages, { role: "user", content: "and now?" }]);
  expect(again.text).toBe("I go on.");
  expect(problems(again)).toEqual([]);
  expect(seen.flatMap((messages) => checkHistory(messages))).toEqual([]);
  if (state.phase === "done") return;
  const resumed = await next.resume(state, { input: "and now?", limits: { maxModelCalls: 99 } });
  expect(resumed.text).toBe("I go on.");
  expect(problems(resumed)).toEqual([]);
}

it("leaves a whole history whatever a model answers and whenever a run fails, is cancelled or hits a limit (AL-10)", async () => {
  await fc.assert(fc.asyncProperty(runPlan, check), { numRuns: 400, seed: 20_241, endOnFailure: false });
}, 120_000);

it("sends no model a history that is not whole (AL-10)", async () => {
  await fc.assert(
    fc.asyncProperty(runPlan, async (plan) => {
      const planned = plannedAgent(plan);
      const sent: (readonly unknown[])[] = [];
      await ended(planned, planned.agent.invoke("go", { signal: planned.controller.signal }));
      for (const { data } of planned.around.events.ofType("model.started"))
        sent.push(checkHistory(data.payload?.messages ?? []));
      expect(sent.flat()).toEqual([]);
    }),
    { numRuns: 200, seed: 7 },
  );
}, 120_000);
