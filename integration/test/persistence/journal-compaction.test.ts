import { type AppendStore, type EventJournal, manualClock } from "@tinyagents/core";
import { eventJournal } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { completed, event, note, started } from "../backends/events.js";

/** So many go from one place to the other at a time. */
const COPIED_AT_ONCE = 500;
const MANY = 1_200;

/** Ids of the events, and their offsets. */
async function told(journal: EventJournal): Promise<readonly string[]> {
  const { entries } = await journal.read({ rootRunId: "r1", limit: 10_000 });
  return entries.map((entry) => `${entry.offset}:${entry.type === "gap" ? "gap" : entry.event.id}`);
}

async function tell(journal: EventJournal, ...events: readonly ReturnType<typeof note>[]): Promise<void> {
  for (const one of events) journal.sink({ payloads: true }).emit(one);
  await journal.flush();
}

/** A journal of a run that has ended. */
async function ended(log: AppendStore, notes = 3): Promise<EventJournal> {
  const journal = eventJournal(log);
  await tell(
    journal,
    started(1),
    ...Array.from({ length: notes }, (_, index) => note(index + 2)),
    completed(notes + 2),
  );
  return journal;
}

describe("making a journal smaller again and again (OBS-01)", () => {
  it("keeps what was kept, and no more than one copy of it", async () => {
    const log = memoryAppendStore();
    const journal = await ended(log);
    const before = await told(journal);
    for (let times = 0; times < 12; times++) await journal.compact("r1", { payloads: true });
    expect(await told(journal)).toEqual(before);
    expect(await log.streams("journal")).toHaveLength(2);
  });

  it("can be done again by the next, whatever write was the last of the tenth", async () => {
    for (let write = 1; ; write++) {
      const log = memoryAppendStore();
      const journal = await ended(log);
      const before = await told(journal);
      for (let times = 0; times < 9; times++) await journal.compact("r1", {});
      const dying = failAt(log, write, { when: "before", stayDown: true });
      const [outcome] = await Promise.allSettled([eventJournal(dying.subject).compact("r1", {})]);
      await journal.compact("r1", {});
      expect(await told(journal)).toEqual(before);
      if (outcome?.status === "fulfilled") return;
    }
  });

  it.each(["before", "after"] as const)(
    "loses nothing of what was kept before, whatever write was the last: %s it is done",
    async (when) => {
      for (let write = 1; ; write++) {
        const log = memoryAppendStore();
        const journal = await ended(log, MANY);
        const before = await told(journal);
        await journal.compact("r1", {});
        const dying = failAt(log, write, { when, stayDown: true });
        const outcome = await Promise.allSettled([eventJournal(dying.subject).compact("r1", {})]);
        expect(await told(journal)).toEqual(before);
        if (outcome[0].status === "fulfilled") return;
      }
    },
  );

  it("is done by one of two at once; the other is told, and nothing is there twice", async () => {
    const journal = await ended(memoryAppendStore());
    const before = await told(journal);
    const outcomes = await Promise.allSettled([journal.compact("r1", {}), journal.compact("r1", {})]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = outcomes.find(({ status }) => status === "rejected");
    expect(refused).toMatchObject({ reason: { code: "conflict" } });
    expect(await told(journal)).toEqual(before);
  });

  it("leaves what is told meanwhile as it is", async () => {
    const log = memoryAppendStore();
    const journal = await ended(log);
    let isTold = false;
    const read: AppendStore["read"] = async (stream, range) => {
      // What is copied is read in smaller pages than what is looked at.
      if (!isTold && range?.limit === COPIED_AT_ONCE) {
        isTold = true;
        await tell(journal, event(6, "custom", { name: "late", payload: "a late word" }));
      }
      return log.read(stream, range);
    };
    const before = await told(journal);
    await eventJournal({ ...log, read }).compact("r1", { payloads: true });
    expect(isTold).toBe(true);
    expect(await told(journal)).toEqual([...before, `${before.length}:r1/6`]);
    expect(JSON.stringify(await journal.read({ rootRunId: "r1" }))).toContain("a late word");
  });

  it("is not noticed by who reads what it replaces, whenever that is", async () => {
    for (let atRead = 1; ; atRead++) {
      const log = memoryAppendStore();
      const journal = await ended(log);
      await journal.compact("r1", {});
      const before = await told(journal);
      let reads = 0;
      const read: AppendStore["read"] = async (stream, range) => {
        if (++reads === atRead) await journal.compact("r1", {});
        return log.read(stream, range);
      };
      expect(await told(eventJournal({ ...log, read }))).toEqual(before);
      if (reads < atRead) return;
    }
  });

  it("takes the payloads of what has any, and leaves what was withheld or lost", async () => {
    const log = memoryAppendStore();
    const journal = eventJournal(log, { maxWaiting: 3 });
    const odd = event(2, "custom", { name: "odd", payload: (() => 1) as never });
    await tell(journal, started(1), odd, event(3, "custom", { name: "said", payload: "a word" }), note(4));
    await tell(journal, completed(5));
    const kinds = async () => (await journal.read({ rootRunId: "r1" })).entries.map(({ type }) => type);
    const before = await kinds();
    expect(before).toEqual(["event", "withheld", "event", "gap", "event"]);
    await journal.compact("r1", { payloads: true });
    expect(await kinds()).toEqual(before);
    expect(JSON.stringify(await journal.read({ rootRunId: "r1" }))).not.toContain("a word");
  });

  it("keeps how the run began and ended, also before the offset up to which all else goes", async () => {
    const journal = await ended(memoryAppendStore());
    await journal.compact("r1", { before: 1_000 });
    expect(await told(journal)).toEqual(["0:r1/1", "4:r1/5"]);
  });
});

describe("following a journal to the end of its run (OBS-01, OBS-04)", () => {
  const child = { runId: "c", rootRunId: "r1" };
  const follow = async (journal: EventJournal, query: { readonly types?: readonly ["custom"] }) => {
    const got: string[] = [];
    for await (const entry of journal.follow({ rootRunId: "r1", untilEnd: true, ...query }))
      if (entry.type !== "gap") got.push(entry.event.id);
    return got;
  };

  it("ends with what others told after the run had ended", async () => {
    const journal = eventJournal(memoryAppendStore());
    await tell(journal, started(1), completed(2), note(1, child));
    expect(await follow(journal, {})).toEqual(["r1/1", "r1/2", "c/1"]);
  });

  it("gives what a filter lets through, and ends as without it", async () => {
    const journal = eventJournal(memoryAppendStore());
    await tell(journal, started(1), note(2), note(1, child), completed(3));
    expect(await follow(journal, { types: ["custom"] })).toEqual(["r1/2", "c/1"]);
  });

  it("ends also where what came after the end was dropped", async () => {
    const journal = eventJournal(memoryAppendStore());
    await tell(journal, started(1), completed(2), note(1, child));
    const following = journal.follow({ rootRunId: "r1", untilEnd: true });
    const got = [(await following.next()).value?.offset, (await following.next()).value?.offset];
    await journal.compact("r1", { types: ["custom"] });
    for (const from of [undefined, 2])
      for await (const { offset } of journal.follow({ rootRunId: "r1", from, untilEnd: true })) got.push(offset);
    for await (const { offset } of following) got.push(offset);
    expect(got).toEqual([0, 1, 0, 1]);
  });

  it("misses nothing of a journal that is made smaller before it was read", async () => {
    const clock = manualClock();
    const { watch: _, ...asked } = memoryAppendStore();
    const journal = eventJournal(asked);
    await tell(journal, started(1));
    const following = journal.follow({ rootRunId: "r1", untilEnd: true, clock });
    const got: number[] = [];
    const done = (async () => {
      for await (const { offset } of following) got.push(offset);
    })();
    // It has read all that there is, and waits to ask again.
    await expect.poll(() => clock.timers).toBe(1);
    await tell(journal, note(2), completed(3));
    await journal.compact("r1", {});
    await clock.advance(1_000);
    expect(got).toEqual([0, 1, 2]);
    await done;
  });
});
