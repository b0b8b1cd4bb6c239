import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@tinyagents/conformance";
import type { AppendStore, CheckpointStore, CheckpointThread } from "@tinyagents/core";
import { checkpointStore } from "@tinyagents/persistence";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { memoryBackend } from "@tinyagents/store-memory";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";

const THREAD: CheckpointThread = { threadId: "t", namespace: "" };
const LARGE = "a large channel that does not change ".repeat(10_000);
/** What a step itself has to say, bytes: the change of a small channel, and what its task wrote. */
const SMALL = "x".repeat(500);
/** As much as a row or what a task left may have beside what is in it, bytes: ids, places, metadata, the backend's own. */
const AROUND = 600;

/** Steps from one to another, each a checkpoint and what a task left. The first holds everything. */
async function steps(checkpoints: CheckpointStore, from: number, to: number): Promise<void> {
  for (let step = from; step < to; step++) {
    const checkpointId = `c${step}`;
    const parentId = step === 0 ? null : `c${step - 1}`;
    const changes = step === 0 ? { large: LARGE, small: SMALL } : { small: SMALL };
    const row = {
      v: 1,
      ...THREAD,
      checkpointId,
      parentId,
      baseId: "c0",
      step,
      createdAtMs: 0,
      metadata: {},
      changes,
    } as const;
    await checkpoints.append(row, { expectedHead: parentId });
    await checkpoints.putWrites({ ...THREAD, checkpointId, taskId: "task", writes: [SMALL] });
  }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true })) bytes += (await stat(join(folder, entry))).size;
  return bytes;
}

async function newFolder(): Promise<string> {
  const { path, remove } = temporaryFolder("growth");
  onTestFinished(remove);
  return path;
}

describe("what checkpoints store (DG-01, DG-02)", () => {
  it("is the same for each step, however long the thread and however large what does not change", async () => {
    const { log } = memoryBackend();
    const sizes: number[] = [];
    const counting: AppendStore = {
      ...log,
      append(stream, values, options) {
        sizes.push(JSON.stringify(values).length);
        return log.append(stream, values, options);
      },
    };
    await steps(checkpointStore(counting), 0, 500);
    const perStep = Array.from({ length: 500 }, (_, step) => Number(sizes[2 * step]) + Number(sizes[2 * step + 1]));
    expect(perStep[0]).toBeLessThan(LARGE.length + 3 * SMALL.length + 2 * AROUND);
    for (const bytes of perStep.slice(1)) expect(bytes).toBeLessThan(2 * SMALL.length + 2 * AROUND);
    expect(Math.max(...perStep.slice(1)) - Math.min(...perStep.slice(1))).toBeLessThan(30);
  });

  it("is read from where it stands: an older checkpoint takes what it is made of, and a page of older ones itself", async () => {
    const { log } = memoryBackend();
    let read = 0;
    const counting: AppendStore = {
      ...log,
      async read(stream, range) {
        const records = await log.read(stream, range);
        read += records.length;
        return records;
      },
    };
    const readBy = async (work: () => Promise<unknown>): Promise<number> => {
      read = 0;
      await work();
      return read;
    };
    const checkpoints = checkpointStore(counting);
    await steps(checkpoints, 0, 1_000);
    const older = (): Promise<unknown> => checkpoints.load(THREAD, { checkpointId: "c3" });
    expect(await readBy(older)).toBeLessThan(300);
    expect(await readBy(() => checkpoints.list(THREAD, { before: "c20", limit: 5 }))).toBeLessThan(40);
    expect(await readBy(() => checkpoints.load(THREAD, { checkpointId: "nobody's" }))).toBe(1);
    expect(await readBy(() => checkpoints.list(THREAD, { before: "nobody's" }))).toBe(0);
    const { length } = await checkpoints.list(THREAD, { before: "c20" });
    expect(length).toBe(20);
  });

  for (const [name, open] of [
    ["sqlite", (folder: string) => sqliteBackend({ path: join(folder, "a.db"), synchronous: "off" })],
    ["jsonl", (folder: string) => jsonlBackend({ folder, sync: "os" })],
  ] as const) {
    it(`takes at most twice its own bytes on the disk, step for step (${name})`, async () => {
      const folder = await newFolder();
      const sizes: number[] = [];
      for (const [from, to] of [
        [0, 10],
        [10, 210],
        [210, 410],
      ] as const) {
        const backend = await open(folder);
        await steps(checkpointStore(backend.log), from, to);
        await backend.close();
        sizes.push(await bytesIn(folder));
      }
      const [first = 0, second = 0, third = 0] = sizes;
      const own = 200 * (2 * SMALL.length + 2 * AROUND);
      expect(first).toBeLessThan(2 * LARGE.length);
      expect(second - first).toBeLessThan(2 * own);
      expect(third - second).toBeLessThan(1.2 * (second - first));
    });
  }
});
