import { execFile } from "node:child_process";
import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BlobStore, isTinyAgentsError } from "@tinyagents/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { backendOn } from "../src/backend.js";
import { type Files, nodeFiles } from "../src/files.js";
import { failingFiles, type Step } from "./support/failing-files.js";
import { filesBelow, newFolder, openStore, text } from "./support/folder.js";

const run = promisify(execFile);
const STEPS: readonly Step[] = ["open", "write", "sync", "link", "rename", "makeFolder", "syncFolder"];
const KEY = ["a", "b"];

describe("a write that the disk refuses at any step (ST-07, ST-09, STO-07)", () => {
  it("leaves the record as it was and nothing beside it, or is done", async () => {
    for (const first of [true, false]) {
      for (let after = 0, refused = 1; refused > 0; after++) {
        const folder = await newFolder();
        const { files, fail } = failingFiles();
        const store = openStore({ folder, sync: "always" }, files);
        await store.put(["other"], text("there"));
        const kept = first ? undefined : await store.put(KEY, text("kept"));
        fail(STEPS, { after });
        const outcome = await store.put(KEY, text("new")).catch((error: unknown) => error);
        refused = outcome instanceof Error ? 1 : 0;
        fail(STEPS, { times: 0 });
        if (refused > 0) {
          expect(isTinyAgentsError(outcome, "store_failed") && !outcome.retryable, String(outcome)).toBe(true);
          const what = `after step ${after + 1} failed`;
          expect((await store.get(KEY))?.version, what).toBe(kept);
          expect((await filesBelow(folder)).length, what).toBe(first ? 1 : 2);
        }
        const version = await store.put(KEY, text("next"), {
          ifVersion: refused > 0 ? (kept ?? null) : (outcome as string),
        });
        expect((await openStore({ folder }).get(KEY))?.version).toBe(version);
        expect((await filesBelow(folder)).length).toBe(2);
      }
    }
  }, 60_000);

  it("takes a record away whole or not at all", async () => {
    for (let after = 0, refused = true; refused; after++) {
      const { files, fail } = failingFiles();
      const store = openStore({ folder: await newFolder(), sync: "always" }, files);
      await store.put(KEY, text("kept"));
      fail(STEPS, { after });
      refused = (await store.delete(KEY).catch((error: unknown) => error)) !== true;
      fail(STEPS, { times: 0 });
      const record = await store.get(KEY);
      expect(record === undefined || record.value.type === "text").toBe(true);
      if (!refused) expect(record).toBeUndefined();
    }
  });

  it("tells what may be over in a moment, and what may not be done at all", async () => {
    const { files, fail } = failingFiles();
    const store = openStore({ folder: await newFolder() }, files);
    for (const [code, retryable] of [
      ["EMFILE", true],
      ["EACCES", false],
    ] as const) {
      fail(["open"], { code });
      const told = { code: "store_failed", retryable, cause: expect.objectContaining({ code }) };
      await expect(store.put(KEY, text("x"))).rejects.toMatchObject(told);
    }
  });

  it("tells of a place that is no folder, and goes on when it is one", async () => {
    const above = await newFolder();
    const { files } = failingFiles();
    let isReady = false;
    const makeRoot = (path: string) => (isReady ? files.makeRoot(path) : Promise.reject(new Error("not mounted")));
    const store = openStore({ folder: join(above, "later") }, { ...files, makeRoot });
    await expect(store.get(KEY)).rejects.toMatchObject({ code: "store_failed" });
    isReady = true;
    expect(await store.get(KEY)).toBeUndefined();
  });

  it("refuses a key whose path is too long for the file system, for every call", async () => {
    const store = openStore({ folder: await newFolder() });
    const long = Array.from({ length: 60 }, () => "n".repeat(100));
    const refused = { code: "invalid_request", message: expect.stringContaining("key") };
    await expect(store.put(long, text("x"))).rejects.toMatchObject(refused);
    await expect(store.get(long)).rejects.toMatchObject(refused);
    await expect(store.delete(long)).rejects.toMatchObject(refused);
  });
});

describe("a disk that is full (ST-07)", () => {
  it("refuses a blob whole, keeps what it has, and takes writes again when there is room", async ({ skip }) => {
    const folder = await newFolder();
    const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=600k", "tmpfs", folder]).then(
      () => true,
      () => false,
    );
    if (!mounted) return skip("this user may not mount a tmpfs");
    onTestFinished(async () => void (await run("umount", [folder])));
    const { store, close } = backendOn(failingFiles().files, { folder });
    onTestFinished(close);
    await store.putBlob(KEY, [new Uint8Array(100_000).fill(1)]);
    const large = Array.from({ length: 10 }, () => new Uint8Array(100_000));
    const refused = await store.putBlob(KEY, large).catch((error: unknown) => error);
    expect(isTinyAgentsError(refused, "store_failed") && refused.message).toContain("ENOSPC");
    expect((await store.getBlob(KEY))?.size).toBe(100_000);
    await store.putBlob(KEY, large.slice(0, 4));
    await store.putBlob(["b"], large.slice(0, 1));
    expect((await store.getBlob(KEY))?.size).toBe(400_000);
    await close();
  });
});

describe("what a writer leaves (ST-09)", () => {
  it("is nothing, after writes, deletes, conflicts, failures of sources and a close", async () => {
    const folder = await newFolder();
    const { store, close } = backendOn(failingFiles().files, { folder, sync: "os" });
    for (let i = 0; i < 5; i++) await store.put(KEY, text(String(i)));
    await store.put(["gone", "with", "folders"], text("x"));
    await store.delete(["gone", "with", "folders"]);
    await store.put(KEY, text("x"), { ifVersion: null }).catch(() => undefined);
    await store.putBlob(KEY, ["no bytes" as never]).catch(() => undefined);
    const slow = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(5);
      await store.put(["raced"], text("faster"));
    };
    await store.putBlob(["raced"], slow(), { ifVersion: null }).catch(() => undefined);
    await close();
    expect((await filesBelow(folder)).map((path) => path.split("/@/")[0])).toEqual(["a/b", "raced"]);
    expect((await readdir(folder)).sort()).toEqual(["@work", "a", "raced"]);
    expect(await readdir(join(folder, "@work"))).toEqual([]);
    expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o700);
  });

  it("when it was killed is taken away by the next, at every step: also beside a record", async () => {
    for (const step of ["write", "link", "rename"] as const) {
      for (const first of [true, false]) {
        const folder = await newFolder();
        const kept = first ? undefined : await openStore({ folder }).put(KEY, text("kept"));
        const { files, reached } = stoppedAfter(step);
        void openStuck(folder, files).putBlob(KEY, [new Uint8Array(100_000)]);
        await reached;
        const work = join(folder, "@work");
        // As if it had been another process, which is no more: no process has so high a number.
        for (const name of await readdir(work))
          await rename(join(work, name), join(work, name.replace(`-${process.pid}-`, "-4194305-")));
        const next = openStore({ folder });
        await next.put(["z"], text("x"));
        expect((await next.get(KEY))?.version).toBe(kept);
        expect(await filesBelow(folder)).toHaveLength(first ? 1 : 2);
      }
    }
  });

  it("on another machine is left to it for a day", async () => {
    const folder = await newFolder();
    const other = join(folder, "@work", "0123456789ab-1-0123456789ab");
    await mkdir(other, { recursive: true });
    await openStore({ folder }).put(KEY, text("x"));
    expect(await readdir(join(folder, "@work"))).toContain("0123456789ab-1-0123456789ab");
    await run("touch", ["-d", "2 days ago", other]);
    await openStore({ folder }).put(KEY, text("x"));
    expect(await readdir(join(folder, "@work"))).not.toContain("0123456789ab-1-0123456789ab");
  });
});

/** A store that is never closed, as that of a killed process. */
function openStuck(folder: string, files: Files): BlobStore {
  return backendOn(files, { folder, sync: "os" }).store;
}

/** Files of a process that comes to nothing more after a step of a write, and when it has got there. */
function stoppedAfter(step: "write" | "link" | "rename"): { readonly files: Files; readonly reached: Promise<void> } {
  let arrive = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const stop = (): Promise<never> => {
    arrive();
    return new Promise(() => undefined);
  };
  if (step === "link")
    return { reached, files: { ...nodeFiles, link: async (from, to) => nodeFiles.link(from, to).then(stop) } };
  if (step === "rename") return { reached, files: { ...nodeFiles, rename: stop } };
  const open: Files["open"] = async (path, mode) => {
    const file = await nodeFiles.open(path, mode);
    if (mode === "create") onTestFinished(() => file.close());
    return mode === "read" ? file : { ...file, write: async (bytes, at) => file.write(bytes, at).then(stop) };
  };
  return { reached, files: { ...nodeFiles, open } };
}
