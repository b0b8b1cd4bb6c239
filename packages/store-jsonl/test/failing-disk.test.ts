import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type AppendStore, isTinyAgentsError, type JsonValue, type StoreValue } from "@tinyagents/core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Files } from "../src/files.js";
import { failingFiles, type Step } from "./support/failing-files.js";
import { newFolder, openBackend } from "./support/folder.js";

const run = promisify(execFile);

async function valuesOf(log: AppendStore): Promise<readonly JsonValue[]> {
  return (await log.read("s")).map(({ value }) => value);
}

function text(value: string): StoreValue {
  return { type: "text", text: value };
}

describe("a write that the disk refuses (ST-07, ST-09, STO-06)", () => {
  for (const [step, partBytes] of [
    ["write", 0],
    ["write", 30],
    ["write", 70],
    ["sync", 0],
  ] as const) {
    it(`is taken back when it fails at ${step} after ${partBytes} bytes, and the next is as if it had not been`, async () => {
      const folder = await newFolder();
      const { files, fail } = failingFiles();
      const { log, store, repairs } = openBackend({ folder }, files);
      await log.append("s", ["first"]);
      const kept = await store.put(["k"], text("first"));
      const sizes = async () =>
        Promise.all(["logs/s-s.jsonl", "store.jsonl"].map(async (name) => (await stat(join(folder, name))).size));
      const before = await sizes();

      fail(step, { partBytes, times: 1 });
      const refused = { code: "store_failed", retryable: false, details: { store: "JSONL log", operation: "append" } };
      await expect(log.append("s", ["lost"], { idempotencyKey: "k" })).rejects.toMatchObject(refused);
      fail(step, { partBytes, times: 1 });
      await expect(store.put(["k"], text("lost"), { ifVersion: kept })).rejects.toMatchObject({ code: "store_failed" });

      expect(await sizes()).toEqual(before);
      expect(await valuesOf(log)).toEqual(["first"]);
      expect((await store.get(["k"]))?.version).toBe(kept);
      expect(await log.append("s", ["next"], { idempotencyKey: "k", expectedOffset: 1 })).toBe(1);
      const next = await store.put(["k"], text("next"), { ifVersion: kept });
      const other = openBackend({ folder });
      expect(await valuesOf(other.log)).toEqual(["first", "next"]);
      expect((await other.store.get(["k"]))?.version).toBe(next);
      expect(repairs).toEqual([]);
    });
  }

  for (const step of ["open", "write", "sync", "rename", "syncFolder"] as const) {
    it(`makes no stream and no record when it was the first, and fails at ${step}`, async () => {
      const folder = await newFolder();
      const { files, fail } = failingFiles();
      const { log, store } = openBackend({ folder }, files);
      expect(await log.streams()).toEqual([]);
      const path = step === "syncFolder" ? /./ : /\.jsonl/;
      fail(step, { partBytes: 10, path });
      await expect(log.append("s", ["lost", "too"])).rejects.toMatchObject({ code: "store_failed" });
      fail(step, { partBytes: 10, path });
      await expect(store.put(["k"], text("lost"))).rejects.toMatchObject({ code: "store_failed" });
      expect(await log.streams()).toEqual([]);
      expect(await log.head("s")).toBe(0);
      expect(await store.get(["k"])).toBeUndefined();
      expect(await log.append("s", ["next"], { expectedOffset: 0 })).toBe(0);
      await store.put(["k"], text("next"), { ifVersion: null });
      expect(await valuesOf(openBackend({ folder }).log)).toEqual(["next"]);
    });
  }

  it("fails all that share it, and none that came after it", async () => {
    const { files, fail } = failingFiles();
    const { log } = openBackend({ folder: await newFolder() }, files);
    await log.append("s", ["first"]);
    fail("sync");
    const together = await Promise.allSettled(["a", "b", "c"].map((value) => log.append("s", [value])));
    expect(together.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await log.append("s", ["next"])).toBe(1);
    expect(await valuesOf(log)).toEqual(["first", "next"]);
  });

  it("goes by what is in the file when the write can not even be taken back", async () => {
    const folder = await newFolder();
    const { files, fail } = failingFiles();
    const { log, repairs } = openBackend({ folder }, files);
    await log.append("s", ["first"]);
    fail("write", { partBytes: 25 });
    fail("truncate");
    await expect(log.append("s", ["lost"])).rejects.toMatchObject({ code: "store_failed" });
    expect(await valuesOf(log)).toEqual(["first"]);
    expect(await log.append("s", ["next"])).toBe(1);
    expect(repairs).toEqual([{ file: "logs/s-s.jsonl", line: 3, bytes: 25 }]);
    expect(await valuesOf(openBackend({ folder }).log)).toEqual(["first", "next"]);
  });

  it("is noticed by another store that had read what was taken back", async () => {
    const folder = await newFolder();
    const { files, fail } = failingFiles();
    const { log } = openBackend({ folder }, files);
    const reader = openBackend({ folder });
    await log.append("s", ["first"]);
    const seen: (readonly JsonValue[])[] = [];
    const peeking: Files = {
      ...files,
      async open(path, mode) {
        const file = await files.open(path, mode);
        const sync = async (): Promise<void> => {
          seen.push(await valuesOf(reader.log));
          await file.sync();
        };
        return { ...file, sync };
      },
    };
    const writer = openBackend({ folder }, peeking);
    fail("sync");
    await expect(writer.log.append("s", ["lost"])).rejects.toMatchObject({ code: "store_failed" });
    expect(seen).toEqual([["first", "lost"], ["first"]]);
    await writer.log.append("s", ["next"]);
    expect(await valuesOf(reader.log)).toEqual(["first", "next"]);
    expect(await reader.log.head("s")).toBe(2);
  });

  it("is retryable where it may be over in a moment", async () => {
    const { files } = failingFiles();
    const busy = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    const failing = { ...files, facts: () => Promise.reject(busy) };
    const { log } = openBackend({ folder: await newFolder() }, failing);
    await expect(log.read("s")).rejects.toMatchObject({ code: "store_failed", retryable: true, cause: busy });
  });

  it("keeps the old file when a compaction fails at any step, and tells nobody that a write failed", async () => {
    for (const step of ["open", "write", "sync", "rename"] satisfies Step[]) {
      const folder = await newFolder();
      const { files, fail } = failingFiles();
      const { store } = openBackend({ folder, sync: "always" }, files);
      const large = "x".repeat(100_000);
      for (let i = 0; i < 5; i++) await store.put(["k"], text(`${large}${i}`));
      fail(step, { path: /\.new$|store\.jsonl$/, times: 1 });
      if (step !== "rename") fail(step, { path: /\.new$/, times: 1 });
      const version = await store.put(["k"], text("last"));
      expect((await store.get(["k"]))?.version).toBe(version);
      expect((await openBackend({ folder }).store.get(["k"]))?.value).toEqual(text("last"));
    }
  });
});

describe("a disk that is full (ST-07)", () => {
  it("refuses writes whole, keeps what it has, and takes writes again when there is room", async ({ skip }) => {
    const folder = await newFolder();
    const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", folder]).then(
      () => true,
      () => false,
    );
    if (!mounted) return skip("this user may not mount a tmpfs");
    onTestFinished(async () => void (await run("umount", [folder])));
    const { log, store, close } = openBackend({ folder });
    onTestFinished(close);
    await store.put(["large"], { type: "bytes", bytes: new Uint8Array(60_000) });
    const kept: JsonValue[] = [];
    let refused: unknown;
    for (let i = 0; i < 100 && refused === undefined; i++) {
      const value = `${i} ${"é".repeat(5_000)}`;
      await log.append("s", [value]).then(
        () => kept.push(value),
        (error: unknown) => {
          refused = error;
        },
      );
    }
    expect(isTinyAgentsError(refused, "store_failed") && refused.message).toContain("ENOSPC");
    expect(await valuesOf(log)).toEqual(kept);
    const bytes = await readFile(join(folder, "logs/s-s.jsonl"));
    expect(bytes.at(-1), "the last byte is the end of a line").toBe(0x0a);
    await log.append("other", ["x"]).catch(() => undefined);
    await run("mount", ["-o", "remount,size=2m", folder]);
    expect(await log.append("s", ["next"])).toBe(kept.length);
    expect(await valuesOf(log)).toEqual([...kept, "next"]);
    await close();
  });
});
