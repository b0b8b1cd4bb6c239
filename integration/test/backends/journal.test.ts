import type { AgentEvent, AppendStore, EventJournal, JournalEntry } from "@tinyagents/core";
import { manualClock, TinyAgentsError } from "@tinyagents/core";
import { currentEntries, eventJournal, type JournalTrouble } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completed, event, note, resumed, started } from "./events.js";
import { onBackends } from "./on-backends.js";

/** What an entry is, in a word: `0:r1/1`. */
function word(entry: JournalEntry): string {
  return `${entry.offset}:${entry.type === "gap" ? `gap of ${entry.lost}` : entry.event.id}`;
}

async function words(journal: EventJournal, query: Partial<Parameters<EventJournal["read"]>[0]> = {}) {
  return (await journal.read({ rootRunId: "r1", ...query })).entries.map(word);
}

/** In a second attempt. */
const AGAIN = { attempt: 2 } as const;

async function tell(journal: EventJournal, ...events: readonly ReturnType<typeof note>[]): Promise<void> {
  for (const one of events) journal.sink().emit(one);
  await journal.flush();
}

onBackends("an event journal (OBS-01)", (opened) => {
  it("gives the events of a root run and of those below it in their order, also after the place was opened again", async () => {
    const child = { runId: "r1/c1", rootRunId: "r1" };
    await tell(eventJournal(opened().backend.log), started(1), note(1, child), note(2), note(2, child));
    const journal = eventJournal((await opened().reopen()).log);
    expect(await words(journal)).toEqual(["0:r1/1", "1:r1/c1/1", "2:r1/2", "3:r1/c1/2"]);
    await tell(journal, completed(3));
    expect(await words(journal, { from: 3 })).toEqual(["3:r1/c1/2", "4:r1/3"]);
    const { entries } = await journal.read({ rootRunId: "r1", from: 4 });
    expect(entries[0]).toEqual({ type: "event", offset: 4, event: completed(3) });
  });

  it("is read in steps, and filtered by run and type, with an offset to go on from", async () => {
    const journal = eventJournal(opened().backend.log);
    const child = { runId: "c", rootRunId: "r1" };
    await tell(journal, started(1), ...[2, 3, 4].map((seq) => note(seq)), note(1, child), completed(5));
    const first = await journal.read({ rootRunId: "r1", limit: 2 });
    expect([first.entries.map(word), first.next, first.more]).toEqual([["0:r1/1", "1:r1/2"], 2, true]);
    const rest = await journal.read({ rootRunId: "r1", limit: 4, from: first.next });
    expect([rest.entries.length, rest.next, rest.more]).toEqual([4, 6, false]);
    expect(await words(journal, { runId: "c" })).toEqual(["4:c/1"]);
    expect(await words(journal, { types: ["run.started", "run.completed"] })).toEqual(["0:r1/1", "5:r1/5"]);
    expect(await journal.read({ rootRunId: "nobody" })).toEqual({ entries: [], next: 0, more: false });
    await expect(journal.read({ rootRunId: "r1", limit: 0 })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(journal.read({ rootRunId: "" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is followed from any point: history, then what comes, to the end of the root run", async () => {
    const journal = eventJournal(opened().backend.log);
    await tell(journal, started(1), note(2));
    const readers = [0, 1, 2, 3].map(async (from) => {
      const got: string[] = [];
      for await (const entry of journal.follow({ rootRunId: "r1", from, untilEnd: true, pollMs: 5 }))
        got.push(word(entry));
      return got;
    });
    await tell(journal, note(3));
    await tell(journal, note(4), completed(5));
    const all = ["0:r1/1", "1:r1/2", "2:r1/3", "3:r1/4", "4:r1/5"];
    expect(await Promise.all(readers)).toEqual([all, all.slice(1), all.slice(2), all.slice(3)]);
    for (const from of [0, 4, 5, 9]) {
      const late: string[] = [];
      for await (const entry of journal.follow({ rootRunId: "r1", from, untilEnd: true })) late.push(word(entry));
      expect(late).toEqual(all.slice(from));
    }
  });

  it("is followed past an end after which the run went on", async () => {
    const journal = eventJournal(opened().backend.log);
    const failed = event(2, "run.failed", {
      error: new TinyAgentsError("network", "Gone.", { details: {} }).toJSON(),
    });
    await tell(journal, started(1), failed, resumed(2), note(3, AGAIN), completed(4, AGAIN));
    const got: string[] = [];
    for await (const entry of journal.follow({ rootRunId: "r1", untilEnd: true })) got.push(word(entry));
    expect(got.at(-1)).toBe("4:r1/4");
  });

  it("is followed past an end that was told by whoever had lost the run to another", async () => {
    const { log } = opened().backend;
    const [overtaken, owner] = [eventJournal(log), eventJournal(log)];
    const lost = event(
      4,
      "run.failed",
      { error: new TinyAgentsError("conflict", "Lost.", { details: {} } as never).toJSON() },
      { attempt: 2 },
    );
    const OWN = { attempt: 3 } as const;
    await tell(overtaken, started(1), note(2));
    await tell(owner, resumed(2, 3), note(3, OWN));
    // Its start is told late as well.
    await tell(overtaken, resumed(2), note(3, AGAIN), lost);
    await expect(overtaken.compact("r1", { payloads: true })).rejects.toMatchObject({ code: "conflict" });
    const readers = [0, 1, 5, 7].map(async (from) => {
      const got: string[] = [];
      for await (const entry of owner.follow({ rootRunId: "r1", from, untilEnd: true, pollMs: 5 }))
        got.push(word(entry));
      return got.at(-1);
    });
    await tell(owner, completed(4, OWN));
    expect(await Promise.all(readers)).toEqual(readers.map(() => "7:r1/4"));
    await owner.compact("r1", { payloads: true });
    await tell(overtaken, resumed(2));
    const late: string[] = [];
    for await (const entry of owner.follow({ rootRunId: "r1", from: 8, untilEnd: true })) late.push(word(entry));
    expect(late).toEqual(["8:r1/2.1"]);
  });

  it("lists its runs, whatever their ids are made of, and takes away one alone (SE-04, SE-06)", async () => {
    const { log } = opened().backend;
    const journal = eventJournal(log);
    const ids = ["*", "%", "a", "a/b", "a/../b", "__proto__", "constructor", "' OR 1=1", "b\u0000", "a%2Fb"];
    for (const id of ids) await tell(journal, note(1, { runId: id, rootRunId: id }));
    await log.append("journalist/x", [1]);
    expect([...(await journal.runs())].sort()).toEqual([...ids].sort());
    expect([...(await journal.runs({ prefix: "a" }))].sort()).toEqual(["a", "a%2Fb", "a/../b", "a/b"]);
    const one = await journal.runs({ limit: 3 });
    const others = await journal.runs({ after: one[2] });
    expect([...one, ...others].sort()).toEqual([...ids].sort());
    expect(await journal.delete("*")).toBe(true);
    expect(await journal.delete("*")).toBe(false);
    expect((await journal.runs()).length).toBe(ids.length - 1);
    expect(await words(journal, { rootRunId: "a" })).toEqual(["0:a/1"]);
  });

  it("is made smaller once its run has ended: what stays keeps its offset, and it can be done again", async () => {
    const journal = eventJournal(opened().backend.log);
    const delta = (part: number) => event(2, "tool.delta", { callId: "c", tool: "t", payload: { delta: 1 } }, { part });
    const call = event(2, "tool.started", {
      callId: "c",
      tool: "t",
      modelCallId: "m",
      validation: "schema",
      payload: { args: { word: "said" } },
    } as never);
    await tell(journal, started(1), call, delta(1), delta(2), note(3));
    await expect(journal.compact("r1", { payloads: true })).rejects.toMatchObject({ code: "conflict" });
    await tell(journal, completed(4));
    await journal.compact("r1", { types: ["tool.delta"] });
    const kept = ["0:r1/1", "1:r1/2", "4:r1/3", "5:r1/4"];
    expect(await words(journal)).toEqual(kept);
    expect(await words(journal, { from: 2, limit: 1 })).toEqual(["4:r1/3"]);
    expect(JSON.stringify(await journal.read({ rootRunId: "r1" }))).toContain("said");

    const again = eventJournal((await opened().reopen()).log);
    await again.compact("r1", { payloads: true, before: 1 });
    expect(await words(again)).toEqual(kept);
    expect(JSON.stringify(await again.read({ rootRunId: "r1" }))).not.toContain("said");
    await tell(again, resumed(4), completed(5, AGAIN));
    expect(await words(again)).toEqual([...kept, "6:r1/4.1", "7:r1/5"]);
    const followed: string[] = [];
    for await (const entry of again.follow({ rootRunId: "r1", from: 5, untilEnd: true })) followed.push(word(entry));
    expect(followed).toEqual(["5:r1/4", "6:r1/4.1", "7:r1/5"]);
    await expect(again.compact("r1", { types: ["run.completed"] })).rejects.toMatchObject({ code: "invalid_request" });
    expect(await again.runs()).toEqual(["r1"]);
    await again.delete("r1");
    expect(await opened().backend.log.streams("journal")).toEqual([]);
  });
});

describe("a journal that is made smaller by a process that is killed", () => {
  it.each(["before", "after"] as const)(
    "loses nothing that it keeps, whatever write was the last: %s it is done",
    async (when) => {
      for (let write = 1; ; write++) {
        const log = memoryAppendStore();
        const journal = eventJournal(log);
        await tell(journal, started(1), note(2), note(3), completed(4));
        const dying = failAt(log, write, { when, stayDown: true });
        const done = await eventJournal(dying.subject)
          .compact("r1", { types: ["custom"] })
          .then(
            () => true,
            () => false,
          );
        const stays = (await words(journal)).filter((one) => one === "0:r1/1" || one === "3:r1/4");
        expect(stays).toEqual(["0:r1/1", "3:r1/4"]);
        await journal.compact("r1", { types: ["custom"] });
        expect(await words(journal)).toEqual(stays);
        if (done) return;
      }
    },
  );
});

/** A log that takes nothing while it is down. */
function fragile(log = memoryAppendStore()) {
  const state = { down: false, lostAnswers: 0, appends: 0 };
  const append: AppendStore["append"] = async (stream, values, options) => {
    if (state.down)
      throw new TinyAgentsError("store_failed", "Down.", { details: { store: "s", operation: "append" } });
    state.appends++;
    const offset = await log.append(stream, values, options);
    if (state.lostAnswers-- > 0) throw new Error("no answer");
    return offset;
  };
  return { state, log: { ...log, append } satisfies AppendStore };
}

describe("writing to a journal (EVT-12)", () => {
  it("holds nobody up, and writes together what was told together", async () => {
    const { log, state } = fragile();
    const journal = eventJournal(log);
    for (let seq = 1; seq <= 200; seq++) journal.sink().emit(note(seq));
    expect(state.appends).toBe(0);
    await journal.flush();
    expect(state.appends).toBe(1);
    expect((await words(journal)).length).toBe(200);
  });

  it("tries again what failed, and writes nothing twice when only the answer was lost", async () => {
    const { log, state } = fragile();
    const clock = manualClock();
    const troubles: JournalTrouble[] = [];
    const journal = eventJournal(log, { clock, onTrouble: (trouble) => troubles.push(trouble) });
    state.lostAnswers = 2;
    journal.sink().emit(note(1));
    journal.sink().emit(note(2));
    await clock.advance(1_000);
    await tell(journal, note(3));
    expect(await words(journal)).toEqual(["0:r1/1", "1:r1/2", "2:r1/3"]);
    expect(troubles.map((trouble) => trouble.type)).toEqual(["write_failed", "write_failed"]);
  });

  it("keeps what it cannot write, says so, and goes on with the next event or flush", async () => {
    const { log, state } = fragile();
    const clock = manualClock();
    const journal = eventJournal(log, { clock, attempts: 2 });
    state.down = true;
    journal.sink().emit(note(1));
    await clock.advance(60_000);
    expect(clock.timers).toBe(0);
    const flushed = journal.flush();
    flushed.catch(() => {});
    await clock.advance(60_000);
    await expect(flushed).rejects.toMatchObject({ code: "store_failed", message: "Down." });
    state.down = false;
    await tell(journal, note(2));
    expect(await words(journal)).toEqual(["0:r1/1", "1:r1/2"]);
  });

  it("loses what comes when too much waits, tells it, and says where once it writes again", async () => {
    const { log, state } = fragile();
    const clock = manualClock();
    const troubles: JournalTrouble[] = [];
    const journal = eventJournal(log, {
      clock,
      attempts: 1,
      maxWaiting: 2,
      onTrouble(trouble) {
        troubles.push(trouble);
        throw new Error("whoever is told must not break it");
      },
    });
    state.down = true;
    for (let seq = 1; seq <= 5; seq++) journal.sink().emit(note(seq));
    await journal.flush().catch(() => {});
    state.down = false;
    await journal.flush();
    await tell(journal, note(6), note(7));
    expect(await words(journal)).toEqual(["0:r1/1", "1:r1/2", "2:gap of 3", "3:r1/6", "4:r1/7"]);
    expect((await journal.read({ rootRunId: "r1", runId: "r1", from: 2, limit: 1 })).entries).toEqual([
      { type: "gap", offset: 2, lost: 3, fromMs: 3, toMs: 5 },
    ]);
    expect(troubles.filter(({ type }) => type === "events_lost")).toEqual([
      { type: "events_lost", rootRunId: "r1", lost: 1, recorded: false },
      { type: "events_lost", rootRunId: "r1", lost: 3, recorded: true },
    ]);
  });

  it("withholds alone what the log refuses, and what is no JSON", async () => {
    const inner = memoryAppendStore();
    const append: AppendStore["append"] = async (stream, values, options) => {
      if (JSON.stringify(values).includes("n13"))
        throw new TinyAgentsError("invalid_request", "Too unlucky.", { details: {} });
      return inner.append(stream, values, options);
    };
    const journal = eventJournal({ ...inner, append });
    const odd = event(21, "custom", { name: "odd", payload: (() => 1) as never });
    await tell(journal, ...Array.from({ length: 20 }, (_, index) => note(index + 1)), odd);
    const { entries } = await journal.read({ rootRunId: "r1" });
    expect(entries.map(word)).toEqual(Array.from({ length: 21 }, (_, index) => `${index}:r1/${index + 1}`));
    expect(entries.filter(({ type }) => type === "withheld")).toEqual([
      { type: "withheld", offset: 12, reason: "refused", event: placeOf(13) },
      { type: "withheld", offset: 20, reason: "refused", event: placeOf(21) },
    ]);
  });

  it("reads what a filter lets through in few steps, however few are asked for", async () => {
    const log = memoryAppendStore();
    const journal = eventJournal(log);
    const child = { runId: "c", rootRunId: "r1" };
    await tell(journal, ...Array.from({ length: 900 }, (_, index) => note(index + 1)), note(1, child), completed(901));
    const limits: (number | undefined)[] = [];
    const watched = eventJournal({
      ...log,
      read(stream, range) {
        limits.push(range?.limit);
        return log.read(stream, range);
      },
    });
    for (const filter of [{ runId: "c" }, { types: ["run.completed"] }, {}] as const)
      expect((await watched.read({ rootRunId: "r1", limit: 1, ...filter })).entries.length).toBe(1);
    expect(limits).toEqual([1_000, 1_000, 1]);
  });

  it("gives the same sink for the same options, so that nested runs tell nothing twice", () => {
    const journal = eventJournal(memoryAppendStore());
    expect(journal.sink({ payloads: true })).toBe(journal.sink({ payloads: true, deltas: false }));
    expect(journal.sink({ payloads: true })).not.toBe(journal.sink());
    expect(journal.sink({ deltas: true })).toMatchObject({ deltas: true, payloads: false });
  });

  it("refuses options that cannot be", () => {
    for (const options of [{ prefix: "" }, { prefix: "a/" }, { attempts: 0 }, { maxWaiting: 0.5 }])
      expect(() => eventJournal(memoryAppendStore(), options)).toThrow(TypeError);
  });
});

function placeOf(seq: number) {
  return {
    id: `r1/${seq}`,
    seq,
    attempt: 1,
    timeMs: seq,
    type: "custom",
    runId: "r1",
    rootRunId: "r1",
    component: "tester",
  };
}

describe("what a journal stores of secrets (OBS-07, SE-08)", () => {
  const CANARY = "canary-8c1f52";

  it("is nothing, wherever they stood, while ids and times stay", async () => {
    const log = memoryAppendStore();
    const journal = eventJournal(log, { secrets: [CANARY] });
    const told = {
      ...event(7, "custom", { name: "x", payload: { text: `it is ${CANARY}`, apiKey: "other", list: [CANARY] } }),
      tags: [CANARY],
      metadata: { token: `Bearer ${"a".repeat(20)}` },
    };
    await tell(journal, told);
    const stored = JSON.stringify(await log.read("journal/r1"));
    expect(stored).not.toContain(CANARY);
    expect(stored).not.toContain("Bearer a");
    expect(stored).not.toContain("other");
    expect((await journal.read({ rootRunId: "r1" })).entries[0]).toMatchObject({ event: { id: "r1/7", timeMs: 7 } });
  });

  it("is nothing where taking them out fails: that it happened is all that is said", async () => {
    const log = memoryAppendStore();
    const journal = eventJournal(log, {
      redact: (told) => {
        if (told.seq === 2) throw new Error(CANARY);
        return { ...told, id: "forged", attempt: 9, timeMs: 0 };
      },
    });
    await tell(journal, note(1), event(2, "custom", { name: CANARY, payload: CANARY }), note(3));
    expect(JSON.stringify(await log.read("journal/r1"))).not.toContain(CANARY);
    expect((await journal.read({ rootRunId: "r1" })).entries).toEqual([
      { type: "event", offset: 0, event: note(1) },
      { type: "withheld", offset: 1, reason: "redaction", event: placeOf(2) },
      { type: "event", offset: 2, event: note(3) },
    ]);
  });
});

describe("entries that were damaged (DG-04)", () => {
  it.each([
    ["no object", 7, "corrupt_data", "journal/r1 at offset 0"],
    ["of a newer format", { v: 2 }, "version_mismatch", "journal/r1 at offset 0"],
    ["of no known type", { v: 1, type: "x" }, "corrupt_data", "journal/r1 at offset 0.type"],
    ["without an event", { v: 1, type: "event" }, "corrupt_data", "journal/r1 at offset 0.event"],
    ["without data", { v: 1, type: "event", event: { ...placeOf(1), v: 1 } }, "corrupt_data", "offset 0.event.data"],
    ["without a place", { v: 1, type: "withheld", reason: "redaction", event: {} }, "corrupt_data", "event.id"],
    [
      "of no attempt",
      { v: 1, type: "withheld", event: { ...placeOf(1), attempt: "2" }, reason: "refused" },
      "corrupt_data",
      "event.attempt",
    ],
    ["without a reason", { v: 1, type: "withheld", event: placeOf(1) }, "corrupt_data", "offset 0.reason"],
    ["without a count", { v: 1, type: "gap" }, "corrupt_data", "offset 0.lost"],
  ])("are refused, with their place: %s", async (_, value, code, place) => {
    const log = memoryAppendStore();
    await log.append("journal/r1", [value]);
    const journal = eventJournal(log);
    await expect(journal.read({ rootRunId: "r1" })).rejects.toMatchObject({
      code,
      details: { place: expect.stringContaining(place) },
    });
  });
});

describe("entries of before there were attempts", () => {
  it("are of the first", async () => {
    const log = memoryAppendStore();
    const { attempt: _, ...event } = note(1);
    await log.append("journal/r1", [{ v: 1, type: "event", event } as never]);
    const { entries } = await eventJournal(log).read({ rootRunId: "r1" });
    expect(entries).toEqual([{ type: "event", offset: 0, event: note(1) }]);
  });
});

describe("what still holds of a journal", () => {
  const entriesOf = (...events: readonly AgentEvent[]): JournalEntry[] =>
    events.map((one, offset) => ({ type: "event", offset, event: one }));
  const held = (...events: readonly AgentEvent[]) => currentEntries(entriesOf(...events)).map(word);
  const named = (...events: readonly AgentEvent[]) =>
    currentEntries(entriesOf(...events)).map((entry) =>
      entry.type === "gap" ? "" : `${entry.event.id} in ${entry.event.attempt}`,
    );
  const begun = (seq: number, attempt = 1) =>
    event(seq, "tool.started", { callId: "a", tool: "t", modelCallId: "m", validation: "passed" }, { attempt });

  it("is all of it where no run went back", () => {
    expect(held(started(1), note(2, { part: 1 }), note(3), resumed(3), note(4, AGAIN))).toHaveLength(5);
  });

  it("is what a run told after it went back, and what it had told before that point", () => {
    const child = { runId: "c", rootRunId: "r1" };
    const before = [started(1), note(2), note(1, child), note(3), note(3, { part: 1 })];
    expect(held(...before, resumed(2), note(3, AGAIN), completed(4, AGAIN))).toEqual([
      "0:r1/1",
      "1:r1/2",
      "2:c/1",
      "5:r1/2.1",
      "6:r1/3",
      "7:r1/4",
    ]);
  });

  it("has no two events of one id and attempt, also where a call is not run again", () => {
    const names = named(started(1), begun(2), note(3), resumed(1), note(2, AGAIN));
    expect(names).toEqual(["r1/1 in 1", "r1/2 in 1", "r1/1.1 in 2", "r1/2 in 2"]);
  });

  it("is nothing of what somebody who had lost the run tells late, but for what came before that", () => {
    const late = [note(2), begun(3), note(4), completed(5)];
    const entries = held(started(1), resumed(2), begun(3, 2), note(4, AGAIN), ...late);
    expect(entries).toEqual(["0:r1/1", "1:r1/2.1", "2:r1/3", "3:r1/4", "4:r1/2"]);
  });

  it("goes by the order of the journal where nobody could tell attempts apart", () => {
    expect(held(started(1), note(2), note(3), resumed(1, 1), note(2))).toEqual(["0:r1/1", "3:r1/1.1", "4:r1/2"]);
  });

  it("never depends on how often a run was cut off, nor on how late its events got into the journal", () => {
    const cuts = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 6 });
    fc.assert(
      fc.property(cuts, fc.array(fc.nat()), (back, picks) => {
        const attempts = attemptsOf(back);
        const names = named(...attempts.flat());
        expect(new Set(names).size).toBe(names.length);
        const numbers = names.filter((name) => !name.includes(".")).map((name) => Number.parseInt(name.slice(3), 10));
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        expect(named(...interleaved(attempts, picks)).sort()).toEqual(names.sort());
      }),
    );
  });

  /** The events of a run that goes back by so many again and again, and then on by so many, one list for each attempt. */
  function attemptsOf(cuts: readonly (readonly [back: number, on: number])[]): readonly (readonly AgentEvent[])[] {
    const attempts: AgentEvent[][] = [[started(1)]];
    for (const [back, on] of cuts) {
      const attempt = attempts.length + 1;
      const from = Math.max(1, (attempts.at(-1)?.at(-1)?.seq ?? 1) - back);
      const notes = Array.from({ length: on }, (_, index) => note(from + 1 + index, { attempt }));
      attempts.push([resumed(from, attempt), ...notes]);
    }
    return attempts;
  }

  /** The same events, those of each list in their order. */
  function interleaved<T>(lists: readonly (readonly T[])[], picks: readonly number[]): readonly T[] {
    const left = lists.map((list) => [...list]);
    const taken: T[] = [];
    for (const pick of picks) taken.push(...(left[pick % left.length]?.splice(0, 1) ?? []));
    return [...taken, ...left.flat()];
  }
});
