import type { AppendStore, LeasingRecorder, RunLease } from "@tinyagents/core";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it, vi } from "vitest";
import { sharedLog } from "./shared-log.js";
import { answer, calls, copy, type DrivenRun, drivenFrom, drivenRun, result } from "./states.js";

async function entriesOf(log: AppendStore): Promise<readonly unknown[]> {
  return (await log.read("runs/r1")).map(({ value }) => (value as { readonly type: string }).type);
}

/** Claims the run and records its first state. */
async function begun(recorder: LeasingRecorder, run: DrivenRun = drivenRun("r1")): Promise<RunLease> {
  const lease = await recorder.claim("r1");
  await recorder.step(run.state, { lease });
  return lease;
}

const CONFLICT = { code: "conflict", runId: "r1" };

describe("a run that is claimed", () => {
  it("is refused to everybody else, who is told by whom and until when, and may try again (LOOP-14)", async () => {
    const { recorder } = sharedLog();
    await begun(recorder());
    await expect(recorder().claim("r1")).rejects.toMatchObject({
      ...CONFLICT,
      retryable: true,
      details: {
        resource: "runs/r1",
        found: { by: expect.stringMatching(/^recorder_/), fence: 1, untilMs: 1_700_000_060_000 },
      },
      message: expect.stringContaining("2023-11-14T22:14:20.000Z"),
    });
  });

  it("is refused also in the process that owns it, and also before anything is recorded of it", async () => {
    const one = sharedLog().recorder();
    await one.claim("r1");
    await expect(one.claim("r1")).rejects.toMatchObject(CONFLICT);
  });

  it("can be loaded by anybody, and its owner goes on", async () => {
    const { recorder } = sharedLog();
    const run = drivenRun("r1");
    const owner = recorder();
    const lease = await begun(owner, run);
    for (const reader of [recorder(), owner]) expect((await reader.load("r1"))?.state.phase).toBe("start");
    await owner.step(run.move("dispatch"), { lease });
    expect((await recorder().load("r1"))?.state.phase).toBe("dispatch");
  });

  it("takes nothing that is written without its lease", async () => {
    const { log, recorder } = sharedLog();
    const owner = recorder();
    const run = drivenRun("r1");
    await begun(owner, run);
    const entries = await entriesOf(log);
    for (const writer of [owner, recorder()]) {
      const next = drivenFrom(copy(run.state)).move("tools", calls("c1"));
      await expect(writer.step(next)).rejects.toMatchObject(CONFLICT);
      await expect(writer.toolResult("r1", "c1", result("c1"))).rejects.toMatchObject(CONFLICT);
    }
    expect(await entriesOf(log)).toEqual(entries);
  });

  it("leaves no trace when it is released before anything was recorded", async () => {
    const { log, recorder } = sharedLog();
    const one = recorder();
    const lease = await one.claim("nobody");
    expect(await one.load("nobody")).toBeUndefined();
    await one.release(lease);
    expect(await log.streams()).toEqual([]);
    await recorder().claim("nobody");
  });

  it("is not its earlier owner's, whose claim came to nothing", async () => {
    const owner = sharedLog().recorder();
    const earlier = await owner.claim("r1");
    await owner.release(earlier);
    const lease = await owner.claim("r1");
    const run = drivenRun("r1");
    await expect(owner.step(run.state, { lease: earlier })).rejects.toMatchObject(CONFLICT);
    await owner.step(run.state, { lease });
  });

  it.each([
    ["", false],
    [", also when that has looked at it", true],
  ])("belongs to the one of two who claimed it at once that writes first, and not to the other%s", async (_, looks) => {
    const { log, recorder } = sharedLog();
    const [one, other] = [recorder(), recorder()];
    const leases = [await one.claim("r1"), await other.claim("r1")] as const;
    await other.step(drivenRun("r1", "by the other").state, { lease: leases[1] });
    // The first look gives what the claim had found; the second one reads.
    if (looks) for (let i = 0; i < 2; i++) await one.load("r1");
    await expect(one.step(drivenRun("r1").move("dispatch"), { lease: leases[0] })).rejects.toMatchObject(CONFLICT);
    expect(await entriesOf(log)).toEqual(["lease", "step"]);
  });

  it("costs its log one entry beyond its steps", async () => {
    const { log, recorder } = sharedLog();
    const owner = recorder();
    const run = drivenRun("r1");
    const lease = await begun(owner, run);
    await owner.step(run.move("tools", calls("c1")), { lease });
    await owner.toolResult("r1", "c1", result("c1"), { lease });
    await owner.step(run.move("done", result("c1")), { lease });
    await owner.release(lease);
    expect(await entriesOf(log)).toEqual(["lease", "step", "step", "tool_result", "step"]);
  });
});

describe("a lease ends", () => {
  it("by its release: the next claim has a higher fence", async () => {
    const { log, recorder } = sharedLog();
    const owner = recorder();
    const lease = await begun(owner);
    await owner.release(lease);
    const next = await recorder().claim("r1");
    expect(next.fence).toBeGreaterThan(lease.fence);
    expect(await entriesOf(log)).toEqual(["lease", "step", "release"]);
  });

  it.each(["done", "paused", "failed"] as const)(
    "with the step that leaves the run %s, for others and for its own process",
    async (phase) => {
      const { log, recorder } = sharedLog();
      const owner = recorder();
      const run = drivenRun("r1");
      const lease = await begun(owner, run);
      await owner.step(run.move(phase, answer("so far")), { lease });
      await recorder().claim("r1");
      await owner.release(lease);
      await owner.claim("r1");
      expect(await entriesOf(log)).toEqual(["lease", "step", "step"]);
    },
  );

  it("when its time is over: a killed owner keeps nobody out for longer", async () => {
    const { clock, recorder } = sharedLog();
    await begun(recorder());
    await clock.advance(59_999);
    await expect(recorder().claim("r1")).rejects.toMatchObject(CONFLICT);
    await clock.advance(1);
    await expect(recorder().claim("r1")).resolves.toMatchObject({ runId: "r1", fence: 2, durationMs: 60_000 });
  });

  it("later when it is renewed, for others and for its own process", async () => {
    const { clock, recorder } = sharedLog();
    const owner = recorder();
    const lease = await begun(owner);
    await clock.advance(40_000);
    await owner.renew(lease);
    await clock.advance(59_999);
    for (const claimant of [recorder(), owner]) await expect(claimant.claim("r1")).rejects.toMatchObject(CONFLICT);
    await clock.advance(1);
    await recorder().claim("r1");
  });

  it("later when it is renewed before anything was recorded, and then others know of it", async () => {
    const { clock, log, recorder } = sharedLog();
    const owner = recorder();
    const lease = await owner.claim("r1");
    await clock.advance(40_000);
    await owner.renew(lease);
    await clock.advance(40_000);
    for (const one of [owner, recorder()]) await expect(one.claim("r1")).rejects.toMatchObject(CONFLICT);
    expect(await entriesOf(log)).toEqual(["lease"]);
    expect(await recorder().load("r1")).toBeUndefined();
    const tooEarly = owner.toolResult("r1", "c1", result("c1"), { lease });
    await expect(tooEarly).rejects.toMatchObject({ code: "invalid_request" });
    const run = drivenRun("r1");
    await owner.step(run.state, { lease });
    await owner.toolResult("r1", "c1", result("c1"), { lease });
    expect(await entriesOf(log)).toEqual(["lease", "step", "tool_result"]);
  });

  it("before it is renewed, where somebody else wrote since it was claimed", async () => {
    const { recorder } = sharedLog();
    const [one, other] = [recorder(), recorder()];
    const lease = await one.claim("r1");
    await begun(other);
    await expect(one.renew(lease)).rejects.toMatchObject(CONFLICT);
  });

  it("by a takeover, though it holds: a child belongs to whoever owns its parent", async () => {
    const { recorder } = sharedLog();
    const [first, second] = [recorder(), recorder()];
    const run = drivenRun("r1");
    const lease = await begun(first, run);
    const taken = await second.claim("r1", { takeOver: true });
    await second.step(drivenFrom((await second.load("r1"))?.state as never).state, { lease: taken });
    await expect(first.step(run.move("dispatch"), { lease })).rejects.toMatchObject(CONFLICT);
  });
});

describe("the attempt of a run that is loaded (EVT-11)", () => {
  /** Claims a run, makes that known, and is killed. */
  const takenUp = async ({ clock, recorder }: ReturnType<typeof sharedLog>): Promise<void> => {
    const owner = recorder();
    await owner.renew(await owner.claim("r1"));
    await clock.advance(60_000);
  };
  const attemptIn = async ({ recorder }: ReturnType<typeof sharedLog>) => (await recorder().load("r1"))?.state.attempt;

  it("is the recorded one, and counts owners that were killed before they recorded anything", async () => {
    const shared = sharedLog();
    const owner = shared.recorder();
    const run = drivenRun("r1");
    const lease = await begun(owner, run);
    await owner.step(run.move("dispatch"), { lease });
    await owner.renew(lease);
    expect(await attemptIn(shared)).toBeUndefined();
    await owner.release(lease);
    await takenUp(shared);
    expect(await attemptIn(shared)).toBe(2);
    await takenUp(shared);
    expect(await attemptIn(shared)).toBe(3);
    run.state.attempt = 7;
    const last = shared.recorder();
    await last.step(run.move("tools"), { lease: await last.claim("r1") });
    expect(await attemptIn(shared)).toBe(7);
  });

  it("counts no claim that came to nothing", async () => {
    const shared = sharedLog();
    const owner = shared.recorder();
    await owner.release(await begun(owner));
    await owner.release(await owner.claim("r1"));
    expect(await attemptIn(shared)).toBeUndefined();
  });

  it("counts owners also where leases have no end", async () => {
    const log = memoryAppendStore();
    const owner = runRecorder(log);
    await owner.release(await begun(owner));
    for (let killed = 0; killed < 2; killed++) {
      const next = runRecorder(log);
      await next.renew(await next.claim("r1"));
    }
    expect((await runRecorder(log).load("r1"))?.state.attempt).toBe(3);
  });
});

describe("an owner that wakes up after its run was taken over", () => {
  /** Its lease ran out, and another process has the run and a result of it. */
  async function takenOver() {
    const { clock, log, recorder } = sharedLog();
    const [late, owner] = [recorder(), recorder()];
    const run = drivenRun("r1");
    const lease = await late.claim("r1");
    await late.step(run.move("tools", calls("c1", "c2")), { lease });
    await clock.advance(60_000);
    const taken = await owner.claim("r1");
    const resumed = drivenFrom((await owner.load("r1"))?.state as never);
    await owner.step(resumed.state, { lease: taken });
    await owner.toolResult("r1", "c1", result("c1", "by the owner"), { lease: taken });
    return { log, late, lease, run, owner, taken, resumed, recorder };
  }

  it.each([
    ["", false],
    [", not even after a look at the run", true],
  ])("writes nothing any more%s, and nothing of the new owner's is lost (DG-11)", async (_, looks) => {
    const { log, late, lease, run, recorder } = await takenOver();
    const entries = await entriesOf(log);
    if (looks) await late.load("r1");
    await expect(late.toolResult("r1", "c1", result("c1", "late"), { lease })).rejects.toMatchObject(CONFLICT);
    if (looks) await late.load("r1");
    await expect(late.step(run.move("dispatch"), { lease })).rejects.toMatchObject(CONFLICT);
    await expect(late.renew(lease)).rejects.toMatchObject(CONFLICT);
    await late.release(lease);
    expect(await entriesOf(log)).toEqual(entries);
    expect((await recorder().load("r1"))?.toolResults.get("c1")).toEqual(result("c1", "by the owner"));
  });

  it("does not hold the new owner up, nor the next one", async () => {
    const { late, lease, owner, taken, resumed, recorder } = await takenOver();
    await late.release(lease);
    await owner.renew(taken);
    await owner.step(resumed.move("done", result("c1"), result("c2")), { lease: taken });
    expect((await recorder().load("r1"))?.state.phase).toBe("done");
    await late.claim("r1");
  });

  it("is kept out also when both are in one process, whose recorder knows the newest state (DG-11)", async () => {
    const { clock, recorder } = sharedLog();
    const shared = recorder();
    const run = drivenRun("r1");
    const lease = await begun(shared, run);
    await clock.advance(60_000);
    const taken = await shared.claim("r1");
    const resumed = drivenFrom((await shared.load("r1"))?.state as never);
    await shared.step(resumed.state, { lease: taken });
    await expect(shared.step(run.move("tools", calls("c1")), { lease })).rejects.toMatchObject(CONFLICT);
    await expect(shared.toolResult("r1", "c1", result("c1"), { lease })).rejects.toMatchObject(CONFLICT);
    await shared.release(lease);
    await shared.step(resumed.move("dispatch"), { lease: taken });
  });

  it("is told so by its first write, when nobody has written since: then it is still the owner", async () => {
    const { clock, recorder } = sharedLog();
    const owner = recorder();
    const run = drivenRun("r1");
    const lease = await begun(owner, run);
    await clock.advance(600_000);
    await owner.step(run.move("dispatch"), { lease });
    await owner.renew(lease);
    await expect(recorder().claim("r1")).rejects.toMatchObject(CONFLICT);
  });

  it.each(["its own process", "another process"])(
    "is kept out by somebody in %s who wrote without a lease when it had run out",
    async (where) => {
      const { clock, recorder } = sharedLog();
      const owner = recorder();
      const run = drivenRun("r1");
      const lease = await begun(owner, run);
      await clock.advance(60_000);
      const writer = where === "its own process" ? owner : recorder();
      await writer.step(drivenFrom((await writer.load("r1"))?.state as never).move("tools", calls("c1")));
      run.move("dispatch");
      await expect(owner.step(run.move("dispatch"), { lease })).rejects.toMatchObject(CONFLICT);
      await expect(owner.toolResult("r1", "c1", result("c1"), { lease })).rejects.toMatchObject(CONFLICT);
    },
  );
});

describe("a log that only one process may use", () => {
  it("keeps drivers of that process apart, for as long as it takes", async () => {
    const recorder = runRecorder(memoryAppendStore());
    const lease = await begun(recorder);
    expect(lease).not.toHaveProperty("durationMs");
    await recorder.renew(lease);
    await expect(recorder.claim("r1")).rejects.toMatchObject({ ...CONFLICT, details: { found: { untilMs: null } } });
    await recorder.release(lease);
    await recorder.claim("r1");
  });

  it("gives a run to the next process at once: the one that it finds in the log is gone", async () => {
    const log = memoryAppendStore();
    const killed = runRecorder(log);
    const run = drivenRun("r1");
    const lease = await begun(killed, run);
    const next = runRecorder(log);
    await begun(next, drivenFrom((await next.load("r1"))?.state as never));
    await expect(killed.step(run.move("dispatch"), { lease })).rejects.toMatchObject(CONFLICT);
    expect(await entriesOf(log)).toEqual(["lease", "step", "lease", "step"]);
  });
});

describe("a log that fails", () => {
  it("does not keep a released run from its own process; for others the lease runs out", async () => {
    const { clock, log, recorder } = sharedLog();
    const owner = recorder(failAt(log, 2).subject);
    const lease = await begun(owner);
    await expect(owner.release(lease)).rejects.toMatchObject({ code: "store_failed" });
    await expect(recorder().claim("r1")).rejects.toMatchObject(CONFLICT);
    await owner.claim("r1");
    await clock.advance(60_000);
    await recorder().claim("r1");
  });

  it.each(["before", "after"] as const)(
    "leaves an owner in doubt about its first write (%s it was done) and its next one tells",
    async (when) => {
      const { log, recorder } = sharedLog();
      const owner = recorder(failAt(log, 1, { when }).subject);
      const run = drivenRun("r1");
      const lease = await owner.claim("r1");
      await expect(owner.step(run.state, { lease })).rejects.toMatchObject({ code: "store_failed" });
      await owner.step(run.move("dispatch"), { lease });
      await expect(recorder().claim("r1")).rejects.toMatchObject(CONFLICT);
      const first = when === "before" ? [] : ["lease", "step"];
      const second = when === "before" ? ["lease", "step"] : ["step"];
      expect(await entriesOf(log)).toEqual([...first, ...second]);
    },
  );

  it("does not let an owner that was in doubt release the run of somebody who recorded it meanwhile", async () => {
    const { clock, log, recorder } = sharedLog();
    const late = recorder(failAt(log, 2).subject);
    const run = drivenRun("r1");
    const lease = await begun(late, run);
    await expect(late.step(run.move("dispatch"), { lease })).rejects.toMatchObject({ code: "store_failed" });
    await clock.advance(60_000);
    const other = recorder();
    const byHand = drivenFrom((await other.load("r1"))?.state as never);
    await other.step(byHand.move("dispatch"));
    await late.release(lease);
    await other.step(byHand.move("parse"));
  });

  it("does not let somebody whose claim came to nothing release the run of another", async () => {
    const { log, recorder } = sharedLog();
    const late = recorder(failAt(log, 2, { methods: ["read"] }).subject);
    const lease = await late.claim("r1");
    await begun(recorder());
    await late.load("r1");
    await expect(late.load("r1")).rejects.toMatchObject({ code: "store_failed" });
    await late.release(lease);
    await expect(recorder().claim("r1")).rejects.toMatchObject(CONFLICT);
  });

  it("does not let an owner back in who was in doubt and taken over", async () => {
    const { clock, log, recorder } = sharedLog();
    const late = recorder(failAt(log, 2).subject);
    const run = drivenRun("r1");
    const lease = await begun(late, run);
    await expect(late.step(run.move("dispatch"), { lease })).rejects.toMatchObject({ code: "store_failed" });
    await clock.advance(60_000);
    const next = recorder();
    await begun(next, drivenFrom((await next.load("r1"))?.state as never));
    await expect(late.step(run.move("dispatch"), { lease })).rejects.toMatchObject(CONFLICT);
  });
});

describe("what is kept in mind of runs that are owned", () => {
  it("is kept however many others there are, and takes no room from them", async () => {
    const { log, recorder } = sharedLog();
    const owner = recorder();
    const owned = drivenRun("r1");
    const lease = await begun(owner, owned);
    const others = Array.from({ length: 4_096 }, (_, i) => drivenRun(`other ${i}`));
    for (const other of others) await owner.step(other.move("dispatch"));
    const read = vi.spyOn(log, "read");
    for (const other of others) await owner.step(other.move("parse"));
    await owner.step(drivenRun("one more").move("dispatch"));
    expect(read).toHaveBeenCalledOnce();
    await owner.step(owned.move("dispatch"), { lease });
    expect(read).toHaveBeenCalledOnce();
  });

  it("is nothing once the run has ended and was released", async () => {
    const { log, recorder } = sharedLog();
    const owner = recorder();
    const run = drivenRun("r1");
    const lease = await begun(owner, run);
    await owner.step(run.move("done"), { lease });
    await owner.release(lease);
    const read = vi.spyOn(log, "read");
    await owner.step(run.move("dispatch"));
    expect(read).toHaveBeenCalled();
  });

  it("is what its claim has read: loading it then reads nothing again", async () => {
    const { log, recorder } = sharedLog();
    const [first, next] = [recorder(), recorder()];
    const run = drivenRun("r1");
    await first.release(await begun(first, run));
    await next.claim("r1");
    const read = vi.spyOn(log, "read");
    expect((await next.load("r1"))?.state).toEqual(run.state);
    expect(read).not.toHaveBeenCalled();
    expect((await next.load("r1"))?.state).toEqual(run.state);
    expect(read).toHaveBeenCalled();
  });
});

it("the options of leases are checked at once", () => {
  for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5" as never]) {
    expect(() => runRecorder(memoryAppendStore(), { leaseMs })).toThrow(TypeError);
  }
});

it("a lease holds for half a minute where nothing else is said", async () => {
  const { log, clock } = sharedLog();
  expect((await runRecorder(log, { clock }).claim("r1")).durationMs).toBe(30_000);
});
