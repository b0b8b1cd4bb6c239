import { type AgentState, type RecordedRun, type RunRecorder, toolMessage } from "@tinyagents/core";
import { expect, test } from "vitest";
import { twoToolAgent } from "../support/two-tools.js";
import { validStates } from "../support/valid-states.js";

async function recorded(change: (run: RecordedRun) => unknown): Promise<RunRecorder> {
  const state = (await validStates()).find(({ phase }) => phase === "tools") as unknown as AgentState;
  const run = change({ state, toolResults: new Map() }) as RecordedRun;
  return { load: async () => run, step: () => undefined, toolResult: () => undefined };
}

const RESULT = toolMessage({ id: "call_9", name: "x" }, "x");

test.each<[string, (run: RecordedRun) => unknown, string]>([
  ["a field", ({ state }) => ({ state: { ...state, repeats: "1" }, toolResults: new Map() }), ".state.repeats"],
  ["another run", ({ state }) => ({ state, toolResults: new Map() }), ".state.config.runId"],
  ["no results", (run) => ({ ...named(run), toolResults: {} }), ".toolResults"],
  [
    "another's result",
    (run) => ({ ...named(run), toolResults: new Map([["c", RESULT]]) }),
    '.toolResults["c"].toolCallId',
  ],
  ["nothing", () => null, ""],
])("a recorder that gives wrong data (%s) is not believed: the run is not resumed", async (_, change, place) => {
  const ran: string[] = [];
  const resumed = twoToolAgent(ran).resume("r", { recorder: await recorded(change) });
  await expect(resumed).rejects.toMatchObject({
    code: "corrupt_data",
    details: { place: `recorded run "r"${place}` },
  });
  expect(ran).toEqual([]);
});

test("a run that a recorder gives is copied: its own object is left alone", async () => {
  let given: RecordedRun | undefined;
  const recorder = await recorded((run) => (given = named(run)));
  const before = JSON.stringify(given?.state);
  expect((await twoToolAgent([]).resume("r", { recorder })).status).toBe("completed");
  expect(JSON.stringify(given?.state)).toBe(before);
});

function named({ state, toolResults }: RecordedRun): RecordedRun {
  return { state: { ...state, config: { ...state.config, runId: "r" } }, toolResults };
}
