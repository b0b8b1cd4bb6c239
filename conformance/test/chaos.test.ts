import { type ChaosSubject, runChaos } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import type { JournalFault } from "./journal-faults.js";
import { journalSubject } from "./journal-subject.js";

const LONG_MS = 240_000;

/** What is wrong, and what is said of it. */
const FAULTS: { readonly [F in JournalFault]?: RegExp } = {
  acknowledges_first: /after \d+ kills: /,
  loses_the_last: /after \d+ kills: /,
  halves_appends: /was not acknowledged\. Without it: .*With it: |of shared/,
  halves_batches: /was not acknowledged\. Without it: .*With it: /,
  merges_a_torn_record: /after \d+ kills: /,
  repeats_when_opened: /after \d+ kills: /,
  does_not_open: /after \d+ kills: (the place does not open|another process): EEXIST/,
  acknowledges_supersteps_first: /thread of lane|checkpoint .* is not there|thread that all move|another process: /,
  halves_supersteps: /superstep\) was not acknowledged.* what restores .* changes|what restores .*changes/,
  forgets_tasks: /Without it: what restores .* tasks|what led to it after/,
  writes_tasks_last: /what led to it after .* is not/,
  forks_threads: /the checkpoints of the thread that all move/,
  forgets_owners: /without the number of its owner: an error conflict is expected/,
  halves_copies: /copy was not acknowledged\): the checkpoints that are listed/,
  keeps_owners_of_copies: /the copy of the thread of lane \d refuses who has no number/,
  swallows_late_tasks: /what a task of lane \d left after a checkpoint that has a child: an error conflict is expected/,
};

describe("killed processes (CNF-04, CNF-06, CKP-01, CKP-03, DG-11, DG-13, DG-14, ST-07, ST-09)", () => {
  it("cost a sound backend nothing that it acknowledged", { timeout: LONG_MS }, async () => {
    const report = await runChaos(journalSubject(), { kills: 8, seed: 3 });
    expect(report).toMatchObject({ subject: "journal", seed: 3, ok: true, kills: 8, killedOpening: 2 });
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report.failure).toBeUndefined();
  });

  it("go on on new places, each taken away, where one place may have few of them", { timeout: LONG_MS }, async () => {
    const { create, ...subject }: ChaosSubject = journalSubject();
    const made: string[] = [];
    const removed: string[] = [];
    const counted: typeof create = async () => {
      const place = await create();
      const name = JSON.stringify(place.ref);
      made.push(name);
      const remove = async (): Promise<void> => {
        await place.remove?.();
        removed.push(name);
      };
      return { ...place, remove };
    };
    const options = { kills: 5, places: 2, killsPerPlace: 2 };
    const report = await runChaos({ ...subject, create: counted }, options);
    expect(report).toMatchObject({ ok: true, kills: 5 });
    // One to see what is claimed, and three to kill on.
    expect(new Set(made).size).toBe(4);
    expect(removed.toSorted()).toEqual(made.toSorted());
  });

  for (const [fault, message] of Object.entries(FAULTS)) {
    it(`show the fault: ${fault}`, { timeout: LONG_MS }, async () => {
      const report = await runChaos(journalSubject(fault as JournalFault), { kills: 100 });
      expect(report).toMatchObject({ ok: false, failure: expect.stringMatching(message) });
      expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
    });
  }

  it("are refused where there is nothing to prove, or nobody can open the place", async () => {
    const { name, create } = journalSubject();
    await expect(runChaos({ name, create })).rejects.toThrow("the subject lacks a module, openAt");
    await expect(runChaos(journalSubject(), { kills: 0 })).rejects.toThrow("kills: a whole number above 0");
    await expect(runChaos(journalSubject(), { killsPerPlace: 0.5 })).rejects.toThrow("killsPerPlace: a whole number");
    await expect(runChaos(journalSubject(), { seed: 0.5 })).rejects.toThrow("seed: a whole number");
  });
});
