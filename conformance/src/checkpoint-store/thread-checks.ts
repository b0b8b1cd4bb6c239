import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import type { CheckpointStoreUnderTest } from "./subject.js";
import { appendAll, idsOf, left, line, row, THREAD, tasksOf, topic } from "./suite.js";

const threads = topic("threads");

const HOSTILE = [
  "__proto__",
  "constructor",
  "*",
  "%",
  "t%",
  "t/",
  "t/a",
  "../t",
  "t.",
  "t0",
  "'",
  '"',
  "\u0000",
  "\ud83d",
];

/** What every `CheckpointStore` promises of threads as a whole. */
export const threadChecks: readonly Check<CheckpointStoreUnderTest>[] = [
  threads("lists checkpoints without their changes, the newest first, in steps", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(5));
    await checkpoints.putWrites(left("c4", "a", { writes: [1] }));
    const all = await checkpoints.list(THREAD);
    assertEqual(
      all.map(({ checkpointId }) => checkpointId),
      ["c4", "c3", "c2", "c1", "c0"],
      "all",
    );
    const { changes: _, ...meta } = row("c3", "c2");
    assertEqual(all[1], meta, "what is told of one");
    const some = await checkpoints.list(THREAD, { before: "c3", limit: 2 });
    assertEqual(
      some.map(({ checkpointId }) => checkpointId),
      ["c2", "c1"],
      "two before c3",
    );
    assertEqual(await checkpoints.list(THREAD, { before: "c0" }), [], "those before the first");
    await assertFails(checkpoints.list(THREAD, { limit: 0 }), "invalid_request", "a limit of 0");
  }),
  threads("keeps graphs of a thread apart, and names them", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    for (const namespace of ["a", "a/b", "%"]) {
      const inner = line(2).map((one) => ({ ...one, namespace }));
      await appendAll(checkpoints, inner);
    }
    assertEqual([...(await checkpoints.namespaces("t"))].sort(), ["", "%", "a", "a/b"], "the graphs");
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0"], "the outermost");
    assertEqual(idsOf(await checkpoints.load({ ...THREAD, namespace: "a" })), ["c0", "c1"], "one inside");
    assertEqual((await checkpoints.threads()).items, ["t"], "the threads");
  }),
  threads("lists each thread once, in steps, also while others come", async ({ checkpoints }) => {
    const ids = Array.from({ length: 7 }, (_, at) => `t${at}`);
    for (const threadId of ids) {
      await checkpoints.append(row("c0", null, { threadId }), { expectedHead: null });
      await checkpoints.append(row("c0", null, { threadId, namespace: "in" }), { expectedHead: null });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 10; pages++) {
      const page = await checkpoints.threads({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      assert(page.items.length <= 2, `a page of at most 2 has ${page.items.length}`);
      seen.push(...page.items);
      if (pages === 1) await checkpoints.append(row("c0", null, { threadId: "late" }), { expectedHead: null });
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    assertEqual(seen.filter((id) => id !== "late").sort(), ids, "the threads");
    assert(new Set(seen).size === seen.length, `a thread is listed twice: ${seen.join(", ")}`);
    await assertFails(checkpoints.threads({ limit: 0 }), "invalid_request", "a limit of 0");
  }),
  threads("takes every hostile id as it is, and deletes only that thread", async ({ checkpoints }) => {
    const ids = ["t", ...HOSTILE];
    for (const threadId of ids) {
      const own = row("c0", null, { threadId, changes: threadId });
      await checkpoints.append(own, { expectedHead: null });
      await checkpoints.append({ ...own, namespace: threadId }, { expectedHead: null });
    }
    assertEqual([...(await checkpoints.threads()).items].sort(), [...ids].sort(), "the threads");
    const remaining = new Set(ids);
    for (const threadId of ids) {
      assertEqual(await checkpoints.deleteThread(threadId), true, `deleting ${JSON.stringify(threadId)}`);
      remaining.delete(threadId);
      assertEqual(await checkpoints.namespaces(threadId), [], `what is left of ${JSON.stringify(threadId)}`);
      assertEqual([...(await checkpoints.threads()).items].sort(), [...remaining].sort(), "the threads that are left");
      for (const other of remaining) {
        const chain = await checkpoints.load({ threadId: other, namespace: other });
        assertEqual(chain?.rows[0]?.changes, other, `${JSON.stringify(other)} beside ${JSON.stringify(threadId)}`);
      }
    }
  }),
  threads("starts anew with a thread that was deleted", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(2));
    await checkpoints.claim(THREAD, 5);
    await checkpoints.deleteThread("t");
    await checkpoints.append(row("c0", null, { changes: "new" }), { expectedHead: null });
    assertEqual(
      (await checkpoints.load(THREAD))?.rows.map(({ changes }) => changes),
      ["new"],
      "the changes",
    );
  }),
  threads("copies a thread whole, after which each goes its own way", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(3));
    await checkpoints.append(row("f1", "c0"), { expectedHead: "c2" });
    await checkpoints.putWrites(left("f1", "a", { writes: [1] }));
    await checkpoints.claim(THREAD, 2);
    await appendAll(
      checkpoints,
      line(1).map((one) => ({ ...one, namespace: "in" })),
    );
    await checkpoints.copyThread("t", "copy");
    const copy = { threadId: "copy", namespace: "" };
    const chain = await checkpoints.load(copy);
    assertEqual([idsOf(chain), tasksOf(chain)], [["c0", "f1"], { a: { writes: [1] } }], "the copy");
    assertEqual(chain?.rows[0]?.threadId, "copy", "whose row it is");
    assertEqual(idsOf(await checkpoints.load(copy, { checkpointId: "c2" })), ["c0", "c1", "c2"], "its other branch");
    assertEqual(idsOf(await checkpoints.load({ ...copy, namespace: "in" })), ["c0"], "its inner graph");
    await checkpoints.append(row("n", "f1", { threadId: "copy" }), { expectedHead: "f1" });
    assertEqual((await checkpoints.load(THREAD))?.headId, "f1", "the head of the first");
    await checkpoints.deleteThread("t");
    assertEqual(idsOf(await checkpoints.load(copy)), ["c0", "f1", "n"], "the copy alone");
  }),
  threads("refuses to copy over a thread, and to copy nothing", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(2));
    await checkpoints.append(row("c0", null, { threadId: "other" }), { expectedHead: null });
    await assertFails(checkpoints.copyThread("t", "other"), "conflict", "a thread that is there");
    await assertFails(checkpoints.copyThread("none", "new"), "invalid_request", "a thread that is not there");
    await assertFails(checkpoints.copyThread("t", "t"), "invalid_request", "itself");
    assertEqual(idsOf(await checkpoints.load({ threadId: "other", namespace: "" })), ["c0"], "the other thread");
  }),
  threads("drops what the newest checkpoints do not need, and nothing that they do", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(3));
    await checkpoints.append(row("c3", "c2", { baseId: "c3" }), { expectedHead: "c2" });
    await checkpoints.append(row("f2", "c1"), { expectedHead: "c3" });
    await checkpoints.append(row("c4", "c3", { baseId: "c3" }), { expectedHead: "f2" });
    const early = await checkpoints.prune(THREAD, { keep: 2 });
    const fork = await checkpoints.load(THREAD, { checkpointId: "f2" });
    assertEqual(idsOf(fork), ["c0", "c1", "f2"], "the fork, which is one of the newest two");
    await checkpoints.append(row("c5", "c4", { baseId: "c3" }), { expectedHead: "c4" });
    assertEqual(early + (await checkpoints.prune(THREAD, { keep: 2 })), 4, "how many go");
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c3", "c4", "c5"], "the way to the head");
    const listed = (await checkpoints.list(THREAD)).map(({ checkpointId }) => checkpointId);
    assertEqual(listed, ["c5", "c4", "c3"], "the checkpoints");
    assertEqual(await checkpoints.load(THREAD, { checkpointId: "f2" }), undefined, "the fork, whose base is gone");
    assertEqual(await checkpoints.prune(THREAD, { keep: 2 }), 0, "how many go the second time");
    await checkpoints.copyThread("t", "copy");
    const copy = await checkpoints.load({ threadId: "copy", namespace: "" });
    assertEqual(idsOf(copy), ["c3", "c4", "c5"], "a copy of what is left");
    await checkpoints.append(row("c6", "c5", { baseId: "c3" }), { expectedHead: "c5" });
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c3", "c4", "c5", "c6"], "the way, gone on with");
    await assertFails(checkpoints.prune(THREAD, { keep: 0 }), "invalid_request", "keeping none");
  }),
  threads(
    "begins no branch on what was dropped, and copies only what is left, with its ids",
    async ({ checkpoints }) => {
      await appendAll(checkpoints, line(2));
      await checkpoints.append(row("c2", "c1", { baseId: "c2" }), { expectedHead: "c1" });
      await checkpoints.append(row("f1", "c0"), { expectedHead: "c2" });
      await checkpoints.append(row("c3", "c2", { baseId: "c2" }), { expectedHead: "f1" });
      await checkpoints.prune(THREAD, { keep: 1 });
      const late = checkpoints.append(row("x", "c1"), { expectedHead: "c3" });
      await assertFails(late, "invalid_request", "a branch on one that was dropped");
      const again = checkpoints.append(row("c1", "c3", { baseId: "c2" }), { expectedHead: "c3" });
      await assertFails(again, "invalid_request", "the id of one that was dropped");
      await checkpoints.copyThread("t", "copy");
      const copy = { threadId: "copy", namespace: "" };
      const listed = (await checkpoints.list(copy)).map(({ checkpointId }) => checkpointId);
      assertEqual(listed, ["c3", "c2"], "the checkpoints of the copy");
      assertEqual(await checkpoints.load(copy, { checkpointId: "f1" }), undefined, "a fork whose base was dropped");
      const used = checkpoints.append(row("c2", "c3", { ...copy, changes: "other" }), { expectedHead: "c3" });
      await assertFails(used, "invalid_request", "an id that was copied");
    },
  ),
  threads("does nothing when it is cancelled before", async ({ checkpoints }) => {
    const signal = AbortSignal.abort();
    await appendAll(checkpoints, line(2));
    const calls = {
      append: () => checkpoints.append(row("c2", "c1"), { expectedHead: "c1" }, { signal }),
      putWrites: () => checkpoints.putWrites(left("c1", "a", { writes: [1] }), {}, { signal }),
      claim: () => checkpoints.claim(THREAD, 1, { signal }),
      load: () => checkpoints.load(THREAD, { signal }),
      list: () => checkpoints.list(THREAD, { signal }),
      threads: () => checkpoints.threads({ signal }),
      namespaces: () => checkpoints.namespaces("t", { signal }),
      deleteThread: () => checkpoints.deleteThread("t", { signal }),
      copyThread: () => checkpoints.copyThread("t", "copy", { signal }),
      prune: () => checkpoints.prune(THREAD, { keep: 1, signal }),
    };
    for (const [name, call] of Object.entries(calls)) await assertFails(call(), "cancelled", name);
    const chain = await checkpoints.load(THREAD);
    assertEqual([idsOf(chain), chain?.tasks], [["c0", "c1"], []], "what is there");
    assertEqual((await checkpoints.threads()).items, ["t"], "the threads");
  }),
  threads(
    "has it all when the place is opened again",
    async ({ checkpoints, reopen }) => {
      await appendAll(checkpoints, line(3));
      await checkpoints.putWrites(left("c2", "a", { writes: [1], control: { interrupt: "q" } }));
      await checkpoints.claim(THREAD, 2);
      const before = [await checkpoints.load(THREAD), await checkpoints.list(THREAD)];
      const { checkpoints: again } = await reopen();
      assertEqual([await again.load(THREAD), await again.list(THREAD)], before, "what is there");
      await assertFails(again.append(row("c3", "c2"), { expectedHead: "c2", fence: 1 }), "conflict", "an old owner");
      await assertFails(again.putWrites(left("c2", "a", { writes: [2] }), { fence: 2 }), "conflict", "other writes");
      const used = row("c1", "c2", { changes: "other" });
      await assertFails(again.append(used, { expectedHead: "c2", fence: 2 }), "invalid_request", "an id that was used");
      await again.append(row("c3", "c2"), { expectedHead: "c2", fence: 2 });
    },
    { needs: ["durable"] },
  ),
];
