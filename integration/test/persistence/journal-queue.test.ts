import { type AppendStore, manualClock, TinyAgentsError } from "@tinyagents/core";
import { eventJournal, type JournalTrouble } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { describe, expect, it } from "vitest";
import { note } from "../backends/events.js";

const refusal = new TinyAgentsError("invalid_request", "Too much.", { details: {} });

/** A log that refuses some appends. */
function choosy(refuses: (values: readonly unknown[]) => boolean) {
  const log = memoryAppendStore();
  const state = { appends: 0 };
  const append: AppendStore["append"] = async (stream, values, options) => {
    state.appends++;
    if (refuses(values)) throw refusal;
    return log.append(stream, values, options);
  };
  return { state, log: { ...log, append } satisfies AppendStore };
}

describe("a log that refuses what a journal writes (EVT-12)", () => {
  it("is not asked for the same again and again: the journal says so", async () => {
    const { log, state } = choosy(() => true);
    const troubles: JournalTrouble["type"][] = [];
    const journal = eventJournal(log, { clock: manualClock(), onTrouble: ({ type }) => troubles.push(type) });
    journal.sink().emit(note(1));
    await expect(journal.flush()).rejects.toBe(refusal);
    // The event, and then that it is withheld.
    expect(state.appends).toBe(2);
    expect(troubles).toEqual(["event_withheld", "write_failed"]);
  });

  it("gets many at once again when it takes what comes after that", async () => {
    const { log, state } = choosy((values) => JSON.stringify(values).includes('"n13"'));
    const journal = eventJournal(log);
    for (let seq = 1; seq <= 500; seq++) journal.sink().emit(note(seq));
    await journal.flush();
    expect(state.appends).toBeLessThan(40);
  });

  it("says of each loss how much it was, also of one that comes while an earlier one waits to be written", async () => {
    const { log } = choosy((values) => values.length > 1);
    const troubles: JournalTrouble[] = [];
    const append: AppendStore["append"] = async (stream, values, options) => {
      const isFirst = JSON.stringify(values).includes('"n1"') && values.length === 1;
      if (isFirst) journal.sink().emit(note(3));
      return log.append(stream, values, options);
    };
    const journal = eventJournal({ ...log, append }, { maxWaiting: 1, onTrouble: (trouble) => troubles.push(trouble) });
    journal.sink().emit(note(1));
    journal.sink().emit(note(2));
    await journal.flush();
    const { entries } = await journal.read({ rootRunId: "r1" });
    const lost = entries.map((entry) => (entry.type === "gap" ? entry.lost : 0));
    expect(lost).toEqual([0, 1, 1]);
    const recorded = troubles.flatMap((one) => (one.type === "events_lost" && one.recorded ? [one.lost] : []));
    expect(recorded).toEqual([1, 1]);
  });
});
