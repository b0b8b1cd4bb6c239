import { setTimeout as pause } from "node:timers/promises";
import { checkHistory, plainText } from "@tinyagents/core";
import { shortTermMemory } from "@tinyagents/persistence";
import { expect, it } from "vitest";
import type { BackendPlace } from "../backends/place.js";
import type { Running } from "../support/node-program.js";
import { LEASE_MS, onDurableBackends } from "./workers.js";

function begun({ lines }: Running): readonly string[] {
  return lines.filter((line) => line.startsWith("begin ")).sort();
}

async function outcome(process: Running): Promise<string | undefined> {
  return (await process.finished()).at(-1);
}

/** A write that takes longer is not waited for, ms. A process that hangs does so for several of them. */
const PROBE_MS = 1_000;

/** Stops a process at a moment at which it holds nothing that others wait for, as a lock that it lets go once it wakes. */
async function sleepBetweenWrites(process: Running, place: BackendPlace): Promise<void> {
  const { store, close } = await place.open();
  const writes = () =>
    store.put(["probe"], { type: "text", text: "" }, { signal: AbortSignal.timeout(PROBE_MS) }).then(
      () => true,
      () => false,
    );
  for (process.sleep(); !(await writes()); process.sleep()) {
    process.wake();
    await pause(20);
  }
  await close();
}

const PAST_THE_LEASE = { aheadMs: 2 * LEASE_MS };

onDurableBackends("two processes that move one run", (workers) => {
  it("are one that goes on, and one that gets conflict and does nothing, until the first is killed and its lease has run out (DG-11, LOOP-14)", async () => {
    const { run } = workers();
    const owner = run({ runId: "r1", hanging: ["b"] });
    await owner.wrote("recorded r1/a", "recorded r1/c", "begin b r1/b");
    const tooEarly = run({ runId: "r1" });
    expect(await outcome(tooEarly)).toBe("failed conflict");
    await owner.kill();
    const stillEarly = run({ runId: "r1" });
    expect(await outcome(stillEarly)).toBe("failed conflict");
    const heir = run({ runId: "r1", ...PAST_THE_LEASE });
    expect(await outcome(heir)).toBe("end");
    expect([tooEarly, stillEarly, heir].map((one) => begun(one)[0])).toEqual([undefined, undefined, "begin b r1/b"]);
    expect(begun(heir).length).toBe(4);
  });

  it("are one that goes on, and one that was asleep for longer than its lease and ends without writing anything (DG-11)", async () => {
    const { run, place } = workers();
    const leaseMs = 1_500;
    const owner = run({ runId: "r1", hanging: ["b"], leaseMs });
    await owner.wrote("recorded r1/a", "recorded r1/c", "begin b r1/b");
    await sleepBetweenWrites(owner, place);
    const heir = run({ runId: "r1", leaseMs, ...PAST_THE_LEASE });
    expect(await outcome(heir)).toBe("end");
    const { log } = await place.open();
    const entries = await log.read("runs/r1");
    owner.wake();
    // It may have been asleep in the middle of a call to its store, and hears first that this has taken too long.
    expect(await outcome(owner)).toMatch(/^failed (conflict|store_failed)$/);
    expect(await log.read("runs/r1")).toEqual(entries);
    expect([begun(owner).length, begun(heir).length]).toEqual([3, 4]);
    expect(heir.lines.filter((line) => line === "saved t1")).toHaveLength(1);
  });
});

onDurableBackends("two processes whose runs are in one thread", (workers) => {
  it("are one that saves it, and one that was asleep and gets conflict: nothing is written over (DG-11, MEM-03)", async () => {
    const { run, place } = workers();
    const first = run({ runId: "first", hanging: ["e"], hangMs: 8 * PROBE_MS });
    await first.wrote("begin e first/e");
    await sleepBetweenWrites(first, place);
    expect(await outcome(run({ runId: "second" }))).toBe("end");
    first.wake();
    expect(await outcome(first)).toBe("failed conflict");
    expect(first.lines).not.toContain("saved t1");
    expect(await questionsOf("t1", place)).toEqual(["Do all of second."]);
  });

  it("are one that saves it, and one that was killed and that nobody goes on with any more (DG-11, MEM-03)", async () => {
    const { run, place } = workers();
    const first = run({ runId: "first", hanging: ["e"] });
    await first.wrote("begin e first/e");
    await first.kill();
    expect(await outcome(run({ runId: "second" }))).toBe("end");
    const late = run({ runId: "first", ...PAST_THE_LEASE });
    expect(await outcome(late)).toBe("failed conflict");
    expect(begun(late)).toEqual([]);
    expect(await questionsOf("t1", place)).toEqual(["Do all of second."]);
  });
});

/** What the user has asked in a thread, as its memory has it. */
async function questionsOf(threadId: string, place: BackendPlace): Promise<readonly string[]> {
  const { store } = await place.open();
  const messages = (await shortTermMemory(store).load(threadId))?.state.messages ?? [];
  expect(checkHistory(messages)).toEqual([]);
  return messages.flatMap((message) => (message.role === "user" ? message.content.map(plainText) : []));
}
