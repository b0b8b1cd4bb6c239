import { isTinyAgentsError, type JsonValue } from "@tinyagents/core";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { describe, expect, it } from "vitest";
import { answer, calls, drivenRun, result } from "./states.js";

/** Puts a value at a path; `undefined` takes away what is there. */
function put(target: unknown, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  const holder = target as { [name: string]: unknown };
  if (rest.length > 0) put(holder[name], rest, value);
  else if (value === undefined) delete holder[name];
  else holder[name] = value;
}

/** Loads a run of three entries, the second of which was changed by somebody. */
async function damaged(change: (entry: JsonValue) => JsonValue): Promise<unknown> {
  const log = memoryAppendStore();
  const recorder = runRecorder(log);
  const run = drivenRun("r1");
  await recorder.step(run.move("dispatch"));
  await recorder.step(run.move("tools", calls("c1")));
  await recorder.toolResult("r1", "c1", result("c1"));
  const entries = await log.read("runs/r1");
  await log.delete("runs/r1");
  for (const { offset, value } of entries) await log.append("runs/r1", [offset === 1 ? change(value) : value]);
  return runRecorder(log)
    .load("r1")
    .catch((error: unknown) => error);
}

function withPut(path: string, value: unknown): Promise<unknown> {
  return damaged((entry) => {
    put(entry, path.split("."), value);
    return entry;
  });
}

function placeOf(error: unknown): string {
  return isTinyAgentsError(error, "corrupt_data") ? error.details.place : `no corrupt_data but ${String(error)}`;
}

/** What is wrong; where it is put; what is put there; the place in the error, where it is not the same. */
type Case = readonly [what: string, path: string, value: unknown, place?: string];

const CASES: readonly Case[] = [
  ["no version", "v", undefined],
  ["an unknown type", "type", "other"],
  ["no writer", "by", undefined],
  ["a place past the history", "from", 9],
  ["a place that is no number", "from", -1],
  ["a history that is no list", "messages", {}],
  ["a message without a role", "messages", [{ content: [] }], "messages[0].role"],
  ["a message with an unknown role", "messages", [{ role: "toString", content: [] }], "messages[0].role"],
  ["a text that is no text", "messages.0.content", [{ type: "text", text: 1 }], "messages[0].content[0].text"],
  ["a call without arguments", "messages.0.content.0.args", undefined, "messages[0].content[0].args"],
  ["a result without a status", "messages.0", { ...result("c1"), status: null }, "messages[0].status"],
  ["no state", "state", undefined],
  ["an unknown phase", "state.phase", "toString"],
  ["no counters", "state.counters", undefined],
  ["a count that is no number", "state.counters.steps", "1"],
  ["the state of another run", "state.config.runId", "r2"],
  ["limits that are no object", "state.config.limits", []],
  ["a batch that is no object", "state.batch", []],
  ["a batch without call ids", "state.batch", { modelCallId: "m", calls: [{}] }, "state.batch.calls[0].callId"],
  ["edits that are no list", "state.edits", null],
  ["a flag that is none", "state.finalizing", 1],
];

describe("the log of a run that was damaged is not read: the error names stream, offset and place", () => {
  for (const [what, path, value, place = path] of CASES) {
    it(`for ${what}`, async () => {
      expect(placeOf(await withPut(path, value))).toBe(`runs/r1 at offset 1.${place}`);
    });
  }

  it("for an entry that is no object", async () => {
    expect(placeOf(await damaged(() => 7))).toBe("runs/r1 at offset 1");
  });

  it("for the result of another call, or what is no result", async () => {
    const entry = { v: 1, type: "tool_result", by: "w", callId: "c9" };
    const other = await damaged(() => ({ ...entry, result: result("c1") }) as never);
    expect(placeOf(other)).toBe("runs/r1 at offset 1.result");
    const none = await damaged(() => ({ ...entry, result: answer("x") }) as never);
    expect(placeOf(none)).toBe("runs/r1 at offset 1.result.role");
  });

  it.each([
    ["whose owner has no number", { fence: "1", untilMs: null }, "fence"],
    ["whose owner has a number below 1", { fence: 0, untilMs: null }, "fence"],
    ["that does not say how long it holds", { fence: 1 }, "untilMs"],
    ["that holds until no time", { fence: 1, untilMs: "later" }, "untilMs"],
  ])("for a lease %s", async (_, lease, place) => {
    const error = await damaged(() => ({ v: 1, type: "lease", by: "w", ...lease }) as never);
    expect(placeOf(error)).toBe(`runs/r1 at offset 1.${place}`);
  });

  it("for a release that does not say whose", async () => {
    const error = await damaged(() => ({ v: 1, type: "release", by: "w" }));
    expect(placeOf(error)).toBe("runs/r1 at offset 1.fence");
  });

  it("for an owner that comes after a later one", async () => {
    const log = memoryAppendStore();
    const lease = { v: 1, type: "lease", by: "w", untilMs: null };
    await log.append("runs/r1", [
      { ...lease, fence: 2 },
      { ...lease, fence: 1 },
    ]);
    const error = await runRecorder(log)
      .load("r1")
      .catch((thrown: unknown) => thrown);
    expect(placeOf(error)).toBe("runs/r1 at offset 1.fence");
  });

  it("for a format of the future, of an entry or of the state in it", async () => {
    expect(await withPut("v", 2)).toMatchObject({
      code: "version_mismatch",
      details: { place: "runs/r1 at offset 1", expected: 1, found: 2 },
    });
    expect(await withPut("state.v", 2)).toMatchObject({
      code: "version_mismatch",
      details: { place: "runs/r1 at offset 1.state", expected: 1, found: 2 },
    });
  });

  it("when its start is missing, or when a result comes before any state", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    await recorder.step(run.move("tools", calls("c1")));
    await recorder.toolResult("r1", "c1", result("c1"));
    await recorder.step(run.move("dispatch", result("c1")));
    for (const [before, place] of [
      [1, "runs/r1 at offset 1"],
      [2, "runs/r1 at offset 2.from"],
    ] as const) {
      await log.truncate("runs/r1", { before });
      const error = await runRecorder(log)
        .load("r1")
        .catch((thrown: unknown) => thrown);
      expect(placeOf(error)).toBe(place);
    }
  });
});

it("a log that has more entries than one read gives is read to its end", async () => {
  const log = memoryAppendStore();
  const recorder = runRecorder(log);
  const run = drivenRun("r1");
  for (let i = 0; i < 1_500; i++) await recorder.step(run.move("dispatch", answer(`${i}`)));
  const messages = (await runRecorder(log).load("r1"))?.state.messages;
  expect(messages?.length).toBe(1_501);
  expect(messages?.at(-1)).toEqual(answer("1499"));
});
