import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { HOSTILE_JSON } from "./hostile-json.js";
import type { CheckpointStoreUnderTest } from "./subject.js";
import { appendAll, idsOf, line, row, THREAD, topic } from "./suite.js";

const rows = topic("rows");

/** What every `CheckpointStore` promises of the rows it keeps. */
export const rowChecks: readonly Check<CheckpointStoreUnderTest>[] = [
  rows("knows nothing of a lineage that nobody has written", async ({ checkpoints }) => {
    assertEqual(await checkpoints.load(THREAD), undefined, "what restores it");
    assertEqual(await checkpoints.list(THREAD), [], "its checkpoints");
    assertEqual(await checkpoints.deleteThread("t"), false, "deleting it");
    assertEqual((await checkpoints.threads()).items, [], "the threads");
    assertEqual(await checkpoints.namespaces("t"), [], "its graphs");
  }),
  rows("gives a row back exactly, with the order of its keys", async ({ checkpoints }) => {
    for (const [at, changes] of HOSTILE_JSON.entries()) {
      const one = row("c0", null, { threadId: `t${at}`, metadata: { z: changes, a: [changes] }, changes });
      await checkpoints.append(one, { expectedHead: null });
      const [found] = (await checkpoints.load({ threadId: `t${at}`, namespace: "" }))?.rows ?? [];
      assertEqual(JSON.stringify(found?.changes), JSON.stringify(changes), `changes ${at}`);
      assertEqual(JSON.stringify(found?.metadata), JSON.stringify(one.metadata), `metadata ${at}`);
      assertEqual(found, one, `row ${at}`);
    }
  }),
  rows("restores the head from its base on, and nothing before it", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(3));
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "c1", "c2"], "the way to c2");
    await checkpoints.append(row("c3", "c2", { baseId: "c3" }), { expectedHead: "c2" });
    await checkpoints.append(row("c4", "c3", { baseId: "c3" }), { expectedHead: "c3" });
    const chain = await checkpoints.load(THREAD);
    assertEqual(idsOf(chain), ["c3", "c4"], "the way to c4");
    assertEqual(chain?.headId, "c4", "the head");
    await checkpoints.append(row("c5", "c4", { baseId: "c4" }), { expectedHead: "c4" });
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c4", "c5"], "the way to c5, on a base further on");
  }),
  rows("restores any earlier checkpoint, and says what the head is", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(4));
    const chain = await checkpoints.load(THREAD, { checkpointId: "c1" });
    assertEqual([idsOf(chain), chain?.headId], [["c0", "c1"], "c3"], "c1");
    assertEqual(await checkpoints.load(THREAD, { checkpointId: "c9" }), undefined, "one that is not there");
  }),
  rows("makes a fork the head, and leaves what it left as it was", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(4));
    await checkpoints.append(row("f2", "c1"), { expectedHead: "c3" });
    await checkpoints.append(row("f3", "f2"), { expectedHead: "f2" });
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "c1", "f2", "f3"], "the way to the fork");
    const old = await checkpoints.load(THREAD, { checkpointId: "c3" });
    assertEqual([idsOf(old), old?.headId], [["c0", "c1", "c2", "c3"], "f3"], "the old branch");
    await checkpoints.append(row("c4", "c3"), { expectedHead: "f3" });
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "c1", "c2", "c3", "c4"], "the old branch, gone on with");
  }),
  rows("refuses a row when another checkpoint is the head", async ({ checkpoints }) => {
    await assertFails(
      checkpoints.append(row("c1", null), { expectedHead: "c0" }),
      "conflict",
      "a head that is not there",
    );
    await appendAll(checkpoints, line(2));
    await assertFails(
      checkpoints.append(row("x", null), { expectedHead: null }),
      "conflict",
      "a head where none is expected",
    );
    const late = await assertFails(
      checkpoints.append(row("x", "c0"), { expectedHead: "c0" }),
      "conflict",
      "an old head",
    );
    assertEqual(
      [late.details.expected, late.details.found],
      ["c0", "c1"],
      "what the error says was expected and found",
    );
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "c1"], "the rows");
  }),
  rows("adds the head once, however often it is appended", async ({ checkpoints }) => {
    const [first, second] = line(2) as [ReturnType<typeof row>, ReturnType<typeof row>];
    await appendAll(checkpoints, [first, second]);
    await checkpoints.append(second, { expectedHead: "c0" });
    assertEqual((await checkpoints.list(THREAD)).length, 2, "how many checkpoints there are");
  }),
  rows("refuses an id that was used, a parent and a base that are not there", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(3));
    const cases = [
      [row("c2", "c1", { changes: "other" }), "the head's id with other changes"],
      [row("c0", "c2", { baseId: "c0", changes: "other" }), "the id of an older one"],
      [row("x", "c9"), "a parent that is not there"],
      [row("x", "c2", { baseId: "c9" }), "a base that is not there"],
      [row("x", "x", { baseId: "x" }), "itself as its parent"],
      [row("x", null), "no parent and another base", { baseId: "c0" }],
    ] as const;
    for (const [one, what, more] of cases)
      await assertFails(checkpoints.append({ ...one, ...more }, { expectedHead: "c2" }), "invalid_request", what);
    await checkpoints.append(row("f1", "c0"), { expectedHead: "c2" });
    const aside = row("x", "f1", { baseId: "c1" });
    await assertFails(checkpoints.append(aside, { expectedHead: "f1" }), "invalid_request", "a base on another branch");
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "f1"], "the rows");
  }),
  rows("refuses what is no row, and names the place", async ({ checkpoints }) => {
    const wrong = [
      ["threadId", ""],
      ["namespace", 5],
      ["checkpointId", ""],
      ["step", -1],
      ["step", 1.5],
      ["createdAtMs", Number.NaN],
      ["metadata", null],
      ["changes", undefined],
      ["changes", { at: new Date(0) }],
      ["v", 2],
    ] as const;
    for (const [field, value] of wrong) {
      const broken = { ...row("c0", null, { baseId: "c0" }), [field]: value } as never;
      const error = await assertFails(checkpoints.append(broken, { expectedHead: null }), "invalid_request", field);
      assert(error.message.includes(field), `the error for ${field} does not name it: ${error.message}`);
    }
    assertEqual(await checkpoints.load(THREAD), undefined, "what restores it");
  }),
  rows("copies what it is given, and shares nothing that it gives", async ({ checkpoints }) => {
    const changes = { list: [1] };
    const pending = checkpoints.append(row("c0", null, { changes }), { expectedHead: null });
    changes.list.push(2);
    await pending;
    const [first] = (await checkpoints.load(THREAD))?.rows ?? [];
    assertEqual(first?.changes, { list: [1] }, "the changes");
    (first as unknown as { changes: { list: number[] } }).changes.list.push(3);
    assertEqual((await checkpoints.load(THREAD))?.rows[0]?.changes, { list: [1] }, "the changes");
  }),
];
