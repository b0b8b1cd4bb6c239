import type { AppendStore, CheckpointRow, CheckpointStore, CheckpointThread } from "@tinyagents/core";
import { checkpointStore } from "@tinyagents/persistence";
import { memoryBackend } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";

const THREAD: CheckpointThread = { threadId: "t", namespace: "" };
const STEPS = 6;

function row(step: number): CheckpointRow {
  return {
    v: 1,
    ...THREAD,
    checkpointId: `c${step}`,
    parentId: step === 0 ? null : `c${step - 1}`,
    baseId: step < 4 ? "c0" : "c4",
    step,
    createdAtMs: 0,
    metadata: {},
    changes: { said: step },
  };
}

/** A run that tries each write again, as often as it takes. Gives what was written when it was told that all went well. */
async function run(checkpoints: CheckpointStore, onFailure: () => CheckpointStore): Promise<void> {
  let store = checkpoints;
  const insist = async (write: (store: CheckpointStore) => Promise<unknown>): Promise<void> => {
    for (let tries = 0; ; tries++) {
      try {
        await write(store);
        return;
      } catch (error) {
        expect(error).toMatchObject({ code: "store_failed" });
        expect(tries).toBe(0);
        store = onFailure();
      }
    }
  };
  await insist((to) => to.claim(THREAD, 1));
  for (let step = 0; step < STEPS; step++) {
    const terms = { expectedHead: step === 0 ? null : `c${step - 1}`, fence: 1 };
    await insist((to) => to.append(row(step), terms));
    const checkpointId = `c${step}`;
    await insist((to) =>
      Promise.all(
        ["a", "b", "c"].map((taskId) =>
          to.putWrites({ ...THREAD, checkpointId, taskId, writes: [step, taskId] }, { fence: 1 }),
        ),
      ),
    );
    await insist((to) =>
      to.putWrites({ ...THREAD, checkpointId, taskId: "a", control: { asked: step } }, { fence: 1 }),
    );
  }
  await insist((to) => to.prune(THREAD, { keep: 1 }));
}

/** The entries of the log, by what they are, each checkpoint with what follows it; which task was first is left to chance. */
async function storedIn(log: AppendStore): Promise<readonly (readonly string[])[]> {
  const records = await log.read("checkpoints/t/");
  const stored = records.map(({ value }) => {
    const {
      type,
      row: kept,
      task,
    } = value as {
      readonly type: string;
      readonly row?: { readonly checkpointId: string };
      readonly task?: { readonly taskId: string; readonly control?: object };
    };
    return [type, kept?.checkpointId ?? task?.taskId ?? "", ...(task?.control === undefined ? [] : ["asked"])].join(
      " ",
    );
  });
  const starts = [...stored.keys()].filter((at) => stored[at]?.startsWith("checkpoint"));
  return starts.map((start, n) => stored.slice(start, starts[n + 1]).sort());
}

/** What a run leaves that nothing failed in. */
const WHOLE = [4, 5].map((step) => [
  `checkpoint c${step}`,
  ...(step === 5 ? ["prune "] : []),
  "task a",
  "task a asked",
  "task b",
  "task c",
]);

describe("a log that fails at each write in turn (CKP-02, DG-13, ST-04)", () => {
  for (const when of ["before", "after"] as const) {
    for (const next of ["the same store", "a new one"] as const) {
      it(`loses, repeats and halves nothing when it fails ${when} the write, and ${next} goes on`, async () => {
        const counted = failAt(memoryBackend().log, Number.POSITIVE_INFINITY);
        await run(checkpointStore(counted.subject), () => expect.unreachable());
        expect(counted.writes).toBe(STEPS * 4 + 3);
        for (let n = 1; n <= counted.writes; n++) {
          const { log } = memoryBackend();
          const failing = failAt(log, n, { when });
          const store = checkpointStore(failing.subject);
          await run(store, () => (next === "a new one" ? checkpointStore(log) : store));
          expect(failing.failed, `write ${n}`).toBe(true);
          expect(await storedIn(log), `after write ${n} failed`).toEqual(WHOLE);
          const chain = await checkpointStore(log).load(THREAD);
          expect(chain?.rows).toEqual([row(4), row(5)]);
          expect(chain?.tasks.toSorted((one, other) => (one.taskId < other.taskId ? -1 : 1))).toEqual([
            { taskId: "a", writes: [5, "a"], control: { asked: 5 } },
            { taskId: "b", writes: [5, "b"] },
            { taskId: "c", writes: [5, "c"] },
          ]);
        }
      });
    }
  }

  it("leaves a copy that was stopped without anything to restore, to be deleted and made again", async () => {
    const counted = failAt(memoryBackend().log, Number.POSITIVE_INFINITY);
    await run(checkpointStore(counted.subject), () => expect.unreachable());
    const before = counted.writes;
    const inner = { ...row(0), namespace: "in" };
    await checkpointStore(counted.subject).append(inner, { expectedHead: null });
    await checkpointStore(counted.subject).copyThread("t", "copy");
    const writes = counted.writes - before - 1;
    expect(writes).toBeGreaterThan(4);
    for (let n = 1; n <= writes; n++) {
      const { log } = memoryBackend();
      const store = checkpointStore(log);
      await run(store, () => expect.unreachable());
      await store.append(inner, { expectedHead: null });
      const copy = { threadId: "copy", namespace: "" };
      const failed = checkpointStore(failAt(log, n).subject).copyThread("t", "copy");
      await expect(failed).rejects.toMatchObject({ code: "store_failed" });
      expect(await store.load(copy)).toBeUndefined();
      expect(await store.list(copy)).toEqual([]);
      expect(await store.list(copy, { before: "c5" })).toEqual([]);
      const inside = await store.load({ ...copy, namespace: "in" });
      expect(inside?.rows ?? []).toEqual(inside === undefined ? [] : [{ ...inner, threadId: "copy" }]);
      expect((await store.threads()).items).toEqual(n === 1 ? ["t"] : ["copy", "t"]);
      if (n > 1) {
        await expect(store.claim(copy, 9)).rejects.toMatchObject({ code: "conflict" });
        await expect(store.copyThread("t", "copy")).rejects.toMatchObject({ code: "conflict" });
        expect(await store.deleteThread("copy")).toBe(true);
      }
      await store.copyThread("t", "copy");
      expect((await store.load(copy))?.headId).toBe("c5");
      expect((await store.load({ ...copy, namespace: "in" }))?.headId).toBe("c0");
    }
  });
});

describe("a log that hangs (CKP-02)", () => {
  it("keeps nobody who has stopped waiting, and the lineage goes on", async () => {
    const { log } = memoryBackend();
    let hang = false;
    const hanging: AppendStore = {
      ...log,
      append: (stream, values, options) =>
        hang
          ? new Promise((_, reject) => options?.signal?.addEventListener("abort", () => reject(options.signal?.reason)))
          : log.append(stream, values, options),
    };
    const store = checkpointStore(hanging);
    await store.append(row(0), { expectedHead: null });
    hang = true;
    const [first, second] = [new AbortController(), new AbortController()];
    const put = (taskId: string, { signal }: AbortController): Promise<void> =>
      store.putWrites({ ...THREAD, checkpointId: "c0", taskId, writes: [] }, {}, { signal });
    const puts = [put("a", first), put("b", second), put("c", second)];
    const appended = store.append(row(1), { expectedHead: "c0" }, { signal: second.signal });
    second.abort();
    for (const stopped of [puts[1], puts[2], appended])
      await expect(stopped).rejects.toMatchObject({ code: "cancelled" });
    first.abort();
    await expect(puts[0]).rejects.toMatchObject({ code: "cancelled" });
    hang = false;
    await store.append(row(1), { expectedHead: "c0" });
    expect((await store.load(THREAD))?.headId).toBe("c1");
  });
});
