import { describe, expect, it } from "vitest";
import { CommitQueue } from "./commit-queue.js";
import type { FolderLock } from "./folder-lock.js";
import type { Target } from "./target.js";

/** A lock that is free, unless a test says otherwise. */
function lockOf(parts: Partial<FolderLock> = {}): FolderLock {
  return {
    acquire: async (isWanted) => isWanted(),
    shouldYield: async () => false,
    isMine: async () => true,
    release: async () => {},
    close: async () => {},
    ...parts,
  };
}

interface Recorder extends Target<string, string> {
  /** The operations of each commit. */
  readonly commits: (readonly string[])[];
}

/** A target that answers each operation with itself, once the test lets it. */
function recorder(until: Promise<void> = Promise.resolve(), parts: Partial<Target<string, string>> = {}): Recorder {
  const commits: (readonly string[])[] = [];
  return {
    commits,
    async commit(operations) {
      commits.push(operations);
      await until;
      return operations.map((value) => (value === "bad" ? { error: new Error(value) } : { value }));
    },
    tidy: async () => {},
    letGo: async () => {},
    ...parts,
  };
}

function queueOn(lock: FolderLock, parts: { readonly opened?: () => Promise<void> } = {}): CommitQueue {
  return new CommitQueue({ lock, opened: async () => {}, begin: async () => {}, ...parts });
}

/** A promise that a test resolves. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("CommitQueue (STO-06, ST-09)", () => {
  it("writes what came together at once, each target in the order asked for, and tells each caller its own outcome", async () => {
    const queue = queueOn(lockOf());
    const [one, other] = [recorder(), recorder()];
    const outcomes = await Promise.allSettled([
      queue.submit(one, "a", { bytes: 1 }),
      queue.submit(other, "x", { bytes: 1 }),
      queue.submit(one, "bad", { bytes: 1 }),
      queue.submit(one, "b", { bytes: 1 }),
    ]);
    expect(one.commits).toEqual([["a", "bad", "b"]]);
    expect(other.commits).toEqual([["x"]]);
    expect(
      outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.message)),
    ).toEqual(["a", "x", "bad", "b"]);
  });

  it("writes what came meanwhile next, and no more at once than is good, unless one operation is larger", async () => {
    const queue = queueOn(lockOf());
    const { opened, open } = gate();
    const target = recorder(opened);
    const first = queue.submit(target, "first", { bytes: 1 });
    await expect.poll(() => target.commits.length).toBe(1);
    const mega = 1024 * 1024;
    const sizes: readonly [string, number][] = [
      ["a", 5 * mega],
      ["b", 3 * mega],
      ["c", 1],
      ["huge", 50 * mega],
      ["d", 1],
    ];
    const rest = sizes.map(([operation, bytes]) => queue.submit(target, operation, { bytes }));
    open();
    await Promise.all([first, ...rest]);
    expect(target.commits).toEqual([["first"], ["a", "b"], ["c"], ["huge"], ["d"]]);
  });

  it("takes away what is given up while it waits, and nothing else", async () => {
    const { opened, open } = gate();
    const queue = queueOn(lockOf({ acquire: (isWanted) => opened.then(isWanted) }));
    const target = recorder();
    const controller = new AbortController();
    const kept = queue.submit(target, "kept", { bytes: 1 });
    const gone = queue.submit(target, "gone", { bytes: 1, signal: controller.signal });
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: "cancelled" });
    open();
    expect(await kept).toBe("kept");
    expect(await queue.submit(target, "later", { bytes: 1 })).toBe("later");
    expect(target.commits).toEqual([["kept"], ["later"]]);
  });

  it("wants the lock no more when all that waited was given up, and wants it again for what comes later", async () => {
    const { opened, open } = gate();
    const wanted: boolean[] = [];
    const acquire: FolderLock["acquire"] = async (isWanted) => {
      await opened;
      wanted.push(isWanted());
      return isWanted();
    };
    const queue = queueOn(lockOf({ acquire }));
    const target = recorder();
    const controller = new AbortController();
    const gone = queue.submit(target, "gone", { bytes: 1, signal: controller.signal });
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: "cancelled" });
    open();
    await expect.poll(() => wanted).toEqual([false]);
    expect(queue.isUsing(target)).toBe(false);
    expect(await queue.submit(target, "later", { bytes: 1 })).toBe("later");
    expect(target.commits).toEqual([["later"]]);
  });

  it("does whole what was begun, though it is given up then", async () => {
    const { opened, open } = gate();
    const queue = queueOn(lockOf());
    const target = recorder(opened);
    const controller = new AbortController();
    const begun = queue.submit(target, "begun", { bytes: 1, signal: controller.signal });
    await expect.poll(() => target.commits.length).toBe(1);
    controller.abort();
    open();
    expect(await begun).toBe("begun");
  });

  it("uses a target from when there is work for it until it was let go", async () => {
    const [committed, letGo] = [gate(), gate()];
    const queue = queueOn(lockOf());
    let isLetGo = false;
    const slowly = (): Promise<void> => {
      isLetGo = true;
      return letGo.opened;
    };
    const [target, other] = [recorder(committed.opened, { letGo: slowly }), recorder()];
    const work = queue.submit(target, "a", { bytes: 1 });
    expect([queue.isUsing(target), queue.isUsing(other)]).toEqual([true, false]);
    await expect.poll(() => target.commits.length).toBe(1);
    expect(queue.isUsing(target)).toBe(true);
    committed.open();
    await work;
    await expect.poll(() => isLetGo).toBe(true);
    expect(queue.isUsing(target)).toBe(true);
    letGo.open();
    await queue.close();
    expect(queue.isUsing(target)).toBe(false);
  });

  for (const [what, parts, lock] of [
    ["the folders cannot be made", { opened: () => Promise.reject(new Error("no")) }, lockOf()],
    ["the lock cannot be had", {}, lockOf({ acquire: () => Promise.reject(new Error("no")) })],
  ] as const) {
    it(`fails all that waits when ${what}`, async () => {
      const queue = queueOn(lock, parts);
      const target = recorder();
      const work = ["a", "b"].map((operation) => queue.submit(target, operation, { bytes: 9_000_000 }));
      for (const { status } of await Promise.allSettled(work)) expect(status).toBe("rejected");
      expect(target.commits).toEqual([]);
      await queue.close();
    });
  }
});
