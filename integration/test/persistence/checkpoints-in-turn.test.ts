import { type AppendStore, type CheckpointRow, invalidArgument, systemClock } from "@tinyagents/core";
import { checkpointStore } from "@tinyagents/persistence";
import { memoryBackend } from "@tinyagents/store-memory";
import { describe, expect, it } from "vitest";

const LINEAGE = { threadId: "t", namespace: "" } as const;

function row(step: number): CheckpointRow {
  const checkpointId = `c${step}`;
  const parentId = step === 0 ? null : `c${step - 1}`;
  return { v: 1, ...LINEAGE, checkpointId, parentId, baseId: "c0", step, createdAtMs: 1, metadata: {}, changes: step };
}

/** A log that notes how often it is asked for what. */
function countedLog(): { readonly log: AppendStore; readonly calls: string[] } {
  const { log } = memoryBackend();
  const calls: string[] = [];
  const counted: AppendStore = {
    ...log,
    append: (stream, values, options) => {
      calls.push(`append ${values.length}`);
      return log.append(stream, values, options);
    },
    read: (stream, range) => {
      calls.push("read");
      return log.read(stream, range);
    },
  };
  return { log: counted, calls };
}

describe("writes to one lineage", () => {
  it("follow each other in the order in which they are asked for, though nobody waits for one before asking for the next", async () => {
    const { log } = memoryBackend();
    const checkpoints = checkpointStore(log);
    const steps = [0, 1, 2, 3];
    const appended = steps.map((step) =>
      checkpoints.append(row(step), { expectedHead: step === 0 ? null : `c${step - 1}` }),
    );
    const task = { ...LINEAGE, checkpointId: "c3", taskId: "a", writes: [{ channel: "x", value: 1 }] };
    await Promise.all([...appended, checkpoints.putWrites(task)]);
    const chain = await checkpoints.load(LINEAGE);
    expect(chain?.rows.map(({ checkpointId }) => checkpointId)).toEqual(["c0", "c1", "c2", "c3"]);
    expect(chain?.tasks).toEqual([{ taskId: "a", writes: [{ channel: "x", value: 1 }] }]);
  });

  it("share an entry's write, and what a task leaves twice is kept once", async () => {
    const { log, calls } = countedLog();
    const checkpoints = checkpointStore(log);
    await checkpoints.append(row(0), { expectedHead: null });
    const put = (taskId: string, value: number) =>
      checkpoints.putWrites({ ...LINEAGE, checkpointId: "c0", taskId, writes: [{ channel: "x", value }] });
    calls.length = 0;
    const outcomes = await Promise.allSettled([put("a", 1), put("b", 2), put("b", 2), put("c", 3), put("b", 4)]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(calls.filter((call) => call.startsWith("append")).every((call) => /append [12]$/.test(call))).toBe(true);
    expect(await log.head("checkpoints/t/")).toBe(4);
    expect((await checkpoints.load(LINEAGE))?.tasks.map(({ taskId }) => taskId)).toEqual(["a", "b", "c"]);
  });

  it("that are refused together are kept one by one: only who left too much is told so", async () => {
    const { log } = memoryBackend();
    const append: AppendStore["append"] = async (stream, values, options) => {
      if (JSON.stringify(values).length > 1_000) throw invalidArgument("values", "less is expected");
      return log.append(stream, values, options);
    };
    const checkpoints = checkpointStore({ ...log, append });
    await checkpoints.append(row(0), { expectedHead: null });
    const leave = (taskId: string, length: number) =>
      checkpoints.putWrites({ ...LINEAGE, checkpointId: "c0", taskId, writes: ["x".repeat(length)] });
    const told = await Promise.allSettled([leave("a", 1), leave("b", 600), leave("c", 2_000), leave("d", 600)]);
    expect(told.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(told[2]).toMatchObject({ reason: { code: "invalid_request", details: { argument: "values" } } });
    expect((await checkpoints.load(LINEAGE))?.tasks.map(({ taskId }) => taskId)).toEqual(["a", "b", "d"]);
  });

  it("ask the log for nothing but the write, where one process writes on and on", async () => {
    const { log, calls } = countedLog();
    const checkpoints = checkpointStore(log, { clock: { ...systemClock, now: () => 0 } });
    await checkpoints.append(row(0), { expectedHead: null });
    calls.length = 0;
    for (let step = 1; step <= 20; step++) {
      await checkpoints.append(row(step), { expectedHead: `c${step - 1}` });
      await checkpoints.putWrites({ ...LINEAGE, checkpointId: `c${step}`, taskId: "a", control: { done: true } });
    }
    expect(calls).toEqual(Array(40).fill("append 1"));
  });
});
