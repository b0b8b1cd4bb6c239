import { type AppendStore, type JsonValue, userMessage } from "@tinyagents/core";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it, vi } from "vitest";
import { answer, calls, copy, drivenFrom, drivenRun, result } from "./states.js";

async function entriesOf(log: AppendStore, stream = "runs/r1"): Promise<{ readonly [key: string]: JsonValue }[]> {
  return (await log.read(stream)).map(({ value }) => value as { readonly [key: string]: JsonValue });
}

/** What another process sees. */
function loaded(log: AppendStore, runId = "r1") {
  return runRecorder(log).load(runId);
}

describe("what is recorded", () => {
  it("knows nothing of a run that was never recorded, and keeps nothing of having been asked", async () => {
    const log = memoryAppendStore();
    expect(await runRecorder(log).load("r1")).toBeUndefined();
    expect(await log.streams()).toEqual([]);
  });

  it("gives back the last state, whole, at every step and at the end", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    const steps = [
      () => run.move("dispatch"),
      () => run.move("parse", calls("c1", "c2")),
      () => run.move("tools"),
      () => run.move("dispatch", result("c1"), result("c2")),
      () => run.move("done", answer("Done.")),
    ];
    for (const step of steps) {
      await recorder.step(step());
      expect((await loaded(log))?.state).toEqual(run.state);
    }
    expect((await loaded(log))?.state.phase).toBe("done");
  });

  it("keeps a copy: what happens to the live state later changes nothing", async () => {
    const log = memoryAppendStore();
    const run = drivenRun("r1");
    await runRecorder(log).step(run.move("dispatch"));
    const before = copy(run.state);
    run.move("parse", answer("never recorded"));
    expect((await loaded(log))?.state).toEqual(before);
  });

  it("records each message once, however many steps there are", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    await recorder.step(run.move("dispatch"));
    for (let i = 0; i < 20; i++) {
      await recorder.step(run.move("dispatch", answer(`answer ${i}`)));
      await recorder.step(run.move("parse"));
    }
    const entries = await entriesOf(log);
    expect(entries.map(({ messages }) => (messages as JsonValue[]).length).reduce((sum, count) => sum + count)).toBe(
      21,
    );
    expect(entries.every(({ state }) => !Object.hasOwn(state as object, "messages"))).toBe(true);
    expect((await loaded(log))?.state).toEqual(run.state);
  });

  it("writes entries of constant size, so that a run of twice the length takes twice the space", async () => {
    const sizeOf = async (turns: number): Promise<number> => {
      const log = memoryAppendStore();
      const recorder = runRecorder(log, { ids: { next: () => "w" } });
      const run = drivenRun("r1");
      for (let i = 0; i < turns; i++) await recorder.step(run.move("dispatch", answer("an answer")));
      return JSON.stringify(await log.read("runs/r1")).length;
    };
    expect((await sizeOf(400)) / (await sizeOf(200))).toBeLessThan(2.05);
  });

  it("records a history anew from where it was changed, by a new list or in place", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    await recorder.step(run.move("dispatch", answer("1"), answer("2"), answer("3"), answer("4")));
    run.state.messages = run.state.messages.toSpliced(1, 2, answer("1 and 2"));
    await recorder.step(run.move("dispatch"));
    expect((await loaded(log))?.state).toEqual(run.state);
    run.state.messages[2] = answer("changed in place");
    await recorder.step(run.move("dispatch", answer("5")));
    expect((await loaded(log))?.state).toEqual(run.state);
    run.state.messages.length = 2;
    await recorder.step(run.move("dispatch"));
    expect((await loaded(log))?.state).toEqual(run.state);
    expect((await entriesOf(log)).map(({ from }) => from)).toEqual([0, 1, 2, 2]);
  });

  it("records only what is new of a state that was copied through JSON between two steps", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    let run = drivenRun("r1");
    for (let i = 0; i < 3; i++) {
      await recorder.step(run.move("dispatch", answer(`${i}`)));
      run = drivenFrom(JSON.parse(JSON.stringify(run.state)));
    }
    expect((await entriesOf(log)).map(({ from }) => from)).toEqual([0, 2, 3]);
  });
});

describe("tool results", () => {
  it("are there as soon as they were recorded, until the next step has them in its state", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    await recorder.step(run.move("tools", calls("c1", "c2")));
    await recorder.toolResult("r1", "c1", result("c1"));
    expect([...((await loaded(log))?.toolResults ?? [])]).toEqual([["c1", result("c1")]]);
    await recorder.step(run.move("dispatch", result("c1"), result("c2")));
    expect((await loaded(log))?.toolResults.size).toBe(0);
  });

  it("may come at once: none is lost and none conflicts with another", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const ids = Array.from({ length: 20 }, (_, i) => `c${i}`);
    await recorder.step(drivenRun("r1").move("tools", calls(...ids)));
    await Promise.all(ids.map((id) => recorder.toolResult("r1", id, result(id))));
    const recorded = (await loaded(log))?.toolResults;
    expect([...(recorded?.keys() ?? [])]).toEqual(ids);
  });

  it("are refused for a run of which no state is recorded, since nobody could load them", async () => {
    const log = memoryAppendStore();
    const refused = Promise.resolve(runRecorder(log).toolResult("r1", "c1", result("c1")));
    await expect(refused).rejects.toMatchObject({ code: "invalid_request", runId: "r1" });
    expect(await log.streams()).toEqual([]);
  });

  it("do not belong to another call of a name that is dangerous as a key (SE-04)", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    await recorder.step(drivenRun("__proto__").move("tools", calls("__proto__", "constructor")));
    await recorder.toolResult("__proto__", "__proto__", result("__proto__"));
    const recorded = await loaded(log, "__proto__");
    expect(recorded?.toolResults.get("__proto__")).toEqual(result("__proto__"));
    expect(recorded?.toolResults.get("constructor")).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe("runs beside each other", () => {
  it("keep to themselves, whatever their ids are made of (SE-06)", async () => {
    const log = memoryAppendStore();
    const ids = ["a", "a/b", "a%2Fb", "*", "%", "__proto__", "../a", " "];
    const recorder = runRecorder(log);
    await Promise.all(ids.map((id) => recorder.step(drivenRun(id, `input of ${id}`).move("dispatch"))));
    for (const id of ids) {
      const messages = (await loaded(log, id))?.state.messages;
      expect(messages).toEqual([userMessage(`input of ${id}`)]);
    }
    expect((await log.streams("runs/")).length).toBe(ids.length);
  });

  it("never share a stream with runs under another prefix", async () => {
    const log = memoryAppendStore();
    await runRecorder(log, { prefix: "a/b" }).step(drivenRun("c").move("dispatch"));
    expect(await runRecorder(log, { prefix: "a" }).load("b/c")).toBeUndefined();
    expect(await runRecorder(log, { prefix: "a/b" }).load("c")).toBeDefined();
  });

  it("are refused without an id or a prefix", async () => {
    await expect(runRecorder(memoryAppendStore()).load("")).rejects.toMatchObject({ code: "invalid_request" });
    expect(() => runRecorder(memoryAppendStore(), { prefix: "" })).toThrow(TypeError);
  });
});

describe("two writers of one run", () => {
  it("let one go on and give the other a conflict that says so", async () => {
    const log = memoryAppendStore();
    const first = runRecorder(log);
    const run = drivenRun("r1");
    await first.step(run.move("dispatch"));
    const second = runRecorder(log);
    const taken = drivenFrom((await second.load("r1"))?.state as never);
    await second.step(taken.move("parse", answer("by the second")));
    const late = Promise.resolve(first.step(run.move("parse", answer("by the first"))));
    await expect(late).rejects.toMatchObject({
      code: "conflict",
      runId: "r1",
      details: { resource: "runs/r1", expected: 1, found: 2 },
      message: expect.stringContaining('Somebody else has recorded run "r1"'),
    });
    expect((await loaded(log))?.state.messages.at(-1)).toEqual(answer("by the second"));
  });

  it("keep the loser out, results included, until it loads the run again", async () => {
    const log = memoryAppendStore();
    const first = runRecorder(log);
    await first.step(drivenRun("r1").move("tools", calls("c1", "c2")));
    const second = runRecorder(log);
    await second.load("r1");
    await second.toolResult("r1", "c1", result("c1"));
    const both = ["c1", "c2"].map((id) => first.toolResult("r1", id, result(id, "by the loser")));
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe("rejected");
    expect((await entriesOf(log)).length).toBe(2);
    expect((await first.load("r1"))?.toolResults.get("c1")).toEqual(result("c1"));
    await first.toolResult("r1", "c2", result("c2"));
    expect((await entriesOf(log)).length).toBe(3);
  });

  it("in one process cannot both go on from one pause", async () => {
    const recorder = runRecorder(memoryAppendStore());
    const run = drivenRun("r1");
    await recorder.step(run.move("paused"));
    run.state.phase = "tools";
    const [one, other] = [drivenFrom(copy(run.state)), drivenFrom(copy(run.state))];
    await recorder.step(one.state);
    await expect(recorder.step(other.state)).rejects.toMatchObject({ code: "conflict" });
    await recorder.step(one.move("dispatch"));
    await expect(recorder.step(other.move("dispatch"))).rejects.toMatchObject({ code: "conflict" });
    await recorder.step(one.move("done"));
  });

  it("include a new run under an id that was used before", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    await recorder.step(run.move("dispatch"));
    await recorder.step(run.move("done"));
    for (const writer of [recorder, runRecorder(log)]) {
      await expect(writer.step(drivenRun("r1", "Another").state)).rejects.toMatchObject({ code: "conflict" });
    }
    expect((await loaded(log))?.state.phase).toBe("done");
  });
});

describe("what is kept in mind", () => {
  it.each(["done", "failed", "paused"] as const)(
    "is nothing after a run is %s: the log is read when it goes on",
    async (phase) => {
      const log = memoryAppendStore();
      const read = vi.spyOn(log, "read");
      const recorder = runRecorder(log);
      const run = drivenRun("r1");
      await recorder.step(run.move("dispatch"));
      await recorder.step(run.move(phase, answer("so far")));
      const before = read.mock.calls.length;
      await recorder.step(run.move("dispatch", answer("and on")));
      expect(read.mock.calls.length).toBeGreaterThan(before);
      const atRest = read.mock.calls.length;
      await recorder.step(run.move("parse"));
      expect(read.mock.calls.length).toBe(atRest);
      expect((await entriesOf(log)).map(({ from }) => from)).toEqual([0, 1, 2, 3]);
      expect((await loaded(log))?.state).toEqual(run.state);
    },
  );

  it("is bounded: a run that was left long ago is read again when it goes on", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const left = drivenRun("left");
    await recorder.step(left.move("dispatch"));
    const others = Array.from({ length: 4_096 }, (_, i) => drivenRun(`r${i}`));
    for (const other of others) await recorder.step(other.move("dispatch"));
    const read = vi.spyOn(log, "read");
    for (const other of others) await recorder.step(other.move("parse"));
    expect(read).not.toHaveBeenCalled();
    await recorder.step(left.move("parse", answer("back")));
    expect(read).toHaveBeenCalled();
    expect((await loaded(log, "left"))?.state).toEqual(left.state);
  });
});

describe("a log that fails", () => {
  it("hands its error on, and takes the next step when it is up again", async () => {
    const log = memoryAppendStore();
    for (const when of ["before", "after"] as const) {
      const recorder = runRecorder(failAt(log, 2, { when }).subject);
      const run = drivenRun(when);
      await recorder.step(run.move("dispatch"));
      await expect(recorder.step(run.move("parse", answer("1")))).rejects.toMatchObject({ code: "store_failed" });
      await recorder.step(run.move("dispatch", answer("2")));
      expect((await loaded(log, when))?.state).toEqual(run.state);
    }
  });

  it("lets a write whose answer was lost be repeated without harm", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(failAt(log, 2, { when: "after" }).subject);
    const run = drivenRun("r1");
    await recorder.step(run.move("dispatch"));
    const repeated = run.move("parse", answer("1"));
    await expect(recorder.step(repeated)).rejects.toMatchObject({ code: "store_failed" });
    await recorder.step(repeated);
    expect((await loaded(log))?.state).toEqual(run.state);
  });

  it("does not let somebody who was taken over meanwhile back in", async () => {
    const log = memoryAppendStore();
    const first = runRecorder(failAt(log, 2).subject);
    const run = drivenRun("r1");
    await first.step(run.move("dispatch"));
    await expect(first.step(run.move("parse"))).rejects.toMatchObject({ code: "store_failed" });
    const second = runRecorder(log);
    await second.step(drivenFrom((await second.load("r1"))?.state as never).move("parse", answer("second")));
    await expect(first.step(run.move("dispatch"))).rejects.toMatchObject({ code: "conflict" });
    await expect(first.toolResult("r1", "c1", result("c1"))).rejects.toMatchObject({ code: "conflict" });
    expect((await entriesOf(log)).length).toBe(2);
  });

  it("can repeat an append on its own: the same key never comes with other values", async () => {
    const log = memoryAppendStore();
    const twice: AppendStore = {
      ...log,
      async append(stream, values, options) {
        await log.append(stream, values, options);
        return log.append(stream, values, options);
      },
    };
    const recorder = runRecorder(twice);
    const run = drivenRun("r1");
    await recorder.step(run.move("tools", calls("c1")));
    await recorder.toolResult("r1", "c1", result("c1"));
    await recorder.step(run.move("done", result("c1")));
    expect((await entriesOf(log)).length).toBe(3);
  });

  it("goes on after a state that the log refused, since nothing was written", async () => {
    const log = memoryAppendStore();
    const recorder = runRecorder(log);
    const run = drivenRun("r1");
    await recorder.step(run.move("dispatch"));
    run.state.middleware = { bad: Number.NaN };
    const refused = Promise.resolve(recorder.step(run.move("parse")));
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("state.middleware.bad") });
    run.state.middleware = {};
    await recorder.step(run.move("dispatch"));
    expect((await loaded(log))?.state).toEqual(run.state);
  });
});
