import { readFileSync } from "node:fs";
import type { AppendStore, JsonValue, LogRecord, Store } from "@tinyagents/core";
import { text, toolText } from "@tinyagents/core";
import { expect, it } from "vitest";
import { checkpointStore, eventJournal, runRecorder, shortTermMemory } from "../src/index.js";

function sample(name: string): JsonValue {
  return JSON.parse(readFileSync(new URL(`./samples/${name}.json`, import.meta.url), "utf8")) as JsonValue;
}

it("reads a run that was recorded in format 1", async () => {
  const records = sample("run-log.v1") as unknown as readonly LogRecord[];
  const read: AppendStore["read"] = async (stream, { from = 0 } = {}) =>
    stream === "runs/sample" ? records.slice(from) : [];
  const recorded = await runRecorder({
    read,
    capabilities: { durable: true, multiProcess: false, follow: false },
  } as AppendStore).load("sample");
  const { state, toolResults } = recorded!;
  expect(state.phase).toBe("tools");
  expect(state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
  expect(text(state.messages[1]!)).toBe("Summary: sunny.");
  expect([...toolResults].map(([callId, result]) => [callId, toolText(result)])).toEqual([["c3", "21 degrees."]]);
  expect(state).toMatchObject({
    v: 1,
    agent: "tester",
    config: { runId: "sample", threadId: "t1" },
    counters: { steps: 4 },
    usage: { totalTokens: 25 },
    batch: { calls: [{ callId: "c3" }] },
    middleware: { notes: { seen: 1 } },
  });
});

it("reads the memory of a thread that was saved in format 1", async () => {
  const value = { type: "json", value: sample("thread-state.v1") } as const;
  const get: Store["get"] = async (key) => ({ key, value, version: "7", attributes: {}, updatedAtMs: 0 });
  const loaded = await shortTermMemory({ get } as Store).load("t1");
  const { state, version } = loaded!;
  expect(version).toBe("7");
  expect(state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(text(state.messages[3]!)).toBe("It is sunny.");
  expect(state.middleware).toEqual({ notes: { seen: 1 } });
});

it("reads the journal of a run that was written in format 1", async () => {
  const values = sample("event-journal.v1") as readonly JsonValue[];
  const log = {
    read: async (stream: string, { from = 0 } = {}) =>
      stream === "journal/sample" ? values.map((value, offset) => ({ offset, value })).slice(from) : [],
    head: async () => values.length,
  } as unknown as AppendStore;
  const { entries } = await eventJournal(log).read({ rootRunId: "sample" });
  expect(entries).toMatchObject([
    { type: "event", offset: 0, event: { type: "run.started", data: { agent: "tester", resumed: false } } },
    { type: "withheld", offset: 1, reason: "redaction", event: { runId: "sample/c1", parentRunId: "sample" } },
    { type: "gap", offset: 2, lost: 3, fromMs: 1_700_000_000_002, toMs: 1_700_000_000_004 },
  ]);
});

it("reads the checkpoints of a thread that were written in format 1", async () => {
  const records = sample("checkpoints.v1") as unknown as readonly LogRecord[];
  const read: AppendStore["read"] = async (stream, { from, limit = 1_000, order } = {}) => {
    if (stream !== "checkpoints/sample/") return [];
    if (order === "descending")
      return records
        .filter(({ offset }) => offset <= (from ?? offset))
        .reverse()
        .slice(0, limit);
    return records.filter(({ offset }) => offset >= (from ?? 0)).slice(0, limit);
  };
  const capabilities = { durable: true, multiProcess: false, follow: false };
  const store = checkpointStore({ read, capabilities } as AppendStore);
  const thread = { threadId: "sample", namespace: "" };
  const chain = await store.load(thread);
  expect(chain?.headId).toBe("c2");
  expect(chain?.rows.map(({ checkpointId, changes }) => [checkpointId, changes])).toEqual([
    ["c1", { said: ["c1"] }],
    ["c2", { said: ["c2"] }],
  ]);
  expect(chain?.tasks).toEqual([{ taskId: "a", writes: [{ channel: "x", value: 1 }], control: { asked: "q" } }]);
  expect((await store.list(thread)).map(({ checkpointId }) => checkpointId)).toEqual(["c2", "c1"]);
});
