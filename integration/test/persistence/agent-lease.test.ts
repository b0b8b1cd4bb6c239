import type { Clock, LeasingRecorder } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { sharedLog } from "./shared-log.js";

/** An agent that looks once, and says that it has. */
function looker(recorder: LeasingRecorder, clock: Clock, look: () => unknown): Agent {
  const model = scriptedModel([
    ({ messages }) => (messages.length === 1 ? { toolCalls: [{ name: "look" }] } : "Seen."),
    "Seen.",
  ]);
  const limits = { toolTimeoutMs: 3_600_000 };
  return createAgent({
    name: "a",
    model,
    tools: [fakeTool({ name: "look", execute: look })],
    recorder,
    clock,
    limits,
  });
}

/** Work that a test lets begin, and end. */
function work() {
  let begin = (): void => {};
  let end = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const look = (): Promise<void> => {
    begin();
    return ended;
  };
  return { look, begun, end };
}

it("a run that takes longer than its lease keeps it for as long as it lives (LOOP-14)", async () => {
  const { clock, log, recorder } = sharedLog();
  const { look, begun, end } = work();
  const running = looker(recorder(), clock, look).invoke("Look.", { runId: "r1" });
  await begun;
  let looks = 0;
  const resume = () => looker(recorder(), clock, () => looks++).resume("r1");
  for (let minute = 0; minute < 5; minute++) {
    await clock.advance(60_000);
    await expect(resume()).rejects.toMatchObject({ code: "conflict", retryable: true });
  }
  end();
  expect((await running).text).toBe("Seen.");
  await expect(resume()).rejects.toMatchObject({ code: "resume_mismatch" });
  expect([looks, clock.timers]).toEqual([0, 0]);
  const entries = await log.read("runs/r1");
  expect(entries.filter(({ value }) => (value as { type: string }).type === "lease")).toHaveLength(16);
});

it("a run that slept through its lease ends with conflict when its call is done, and adds nothing to its heir's (DG-11)", async () => {
  const { clock, log, recorder } = sharedLog();
  const { look, begun, end } = work();
  const asleep: Clock = { ...clock, setTimer: () => () => {} };
  const running = looker(recorder(), asleep, look).invoke("Look.", { runId: "r1" });
  await begun;
  await clock.advance(60_000);
  const heir = await looker(recorder(), clock, () => "by the heir").resume("r1");
  expect(heir.text).toBe("Seen.");
  const entries = await log.read("runs/r1");
  end();
  await expect(running).rejects.toMatchObject({ code: "conflict", run: { status: expect.any(String), runId: "r1" } });
  expect(await log.read("runs/r1")).toEqual(entries);
});
