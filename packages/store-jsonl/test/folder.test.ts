import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isTinyAgentsError, type JsonValue, manualClock, type StoreValue } from "@tinyagents/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamFileName, streamOfFileName } from "../src/file-name.js";
import type { Files } from "../src/files.js";
import { type JsonlOptions, jsonlBackend } from "../src/index.js";
import { failingFiles } from "./support/failing-files.js";
import { newFolder, openBackend } from "./support/folder.js";

const LONG = "\u{1F600}".repeat(200);
const HOSTILE = [
  ...[
    "..",
    ".",
    "/",
    "\\",
    "a/b",
    "../b2/x",
    "/etc/passwd",
    "C:\\x",
    "..%2f..%2fx",
    "%2e%2e",
    "con",
    "NUL",
    "aux.txt",
    "a.",
    "a ",
  ],
  ...[
    "A",
    "a",
    "\u00e9",
    "e\u0301",
    "\u0000",
    "\ud800",
    "*",
    "?",
    "%",
    "__proto__",
    "constructor",
    "s-a.jsonl",
    ".hidden",
    LONG,
  ],
];

function text(value: string): StoreValue {
  return { type: "text", text: value };
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("names of streams as names of files (SE-01, SE-04, SE-06, STO-06)", () => {
  it("lead to a file of their own below the folder, whatever characters they have, and nowhere else", async () => {
    const parent = await newFolder();
    const folder = join(parent, "root");
    await mkdir(join(parent, "root2"));
    const { log } = openBackend({ folder, sync: "os" });
    for (const name of HOSTILE) await log.append(name, [name]);
    for (const name of HOSTILE) expect((await log.read(name)).map(({ value }) => value)).toEqual([name]);
    expect(await log.streams()).toEqual([...HOSTILE].sort());
    expect((await readdir(parent)).sort()).toEqual(["root", "root2"]);
    expect(await readdir(join(parent, "root2"))).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(["lock", "logs"]);
    const files = await readdir(join(folder, "logs"));
    expect(files.length).toBe(HOSTILE.length);
    for (const file of files) expect(file).toMatch(/^[sh]-[a-z0-9_%-]+\.jsonl$/);
    expect(await log.delete("*")).toBe(true);
    expect(await log.streams()).toHaveLength(HOSTILE.length - 1);
  });

  it("differ on file systems that take A for a, and lead back to the stream", () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const names = fc.array(fc.oneof(unit, fc.constantFrom("a", "A", "%", "u")), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(names, names, (one, other) => {
        const [first, second] = [one.join(""), other.join("")];
        const file = streamFileName(first);
        expect(file.length).toBeLessThan(200);
        const back = streamOfFileName(file);
        expect(back === "long" ? first : back?.stream).toBe(first);
        if (first !== second) expect(streamFileName(second).toLowerCase()).not.toBe(file.toLowerCase());
      }),
    );
  });

  it("are told from files that are none of ours, which are left alone", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "logs"));
    for (const name of ["notes.txt", "s-A.jsonl", "s-%61.jsonl", "s-.jsonl", "h-12.jsonl", "s-a.jsonl.bak", "mine.new"])
      await writeFile(join(folder, "logs", name), "mine");
    const { log } = openBackend({ folder });
    await log.append("b", [1]);
    expect(await log.streams()).toEqual(["b"]);
    expect(await readdir(join(folder, "logs"))).toHaveLength(8);
  });

  it("are waited at by nobody where a pipe stands that nobody writes to", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "logs"));
    const pipes = ["s-s.jsonl", `h-${"0".repeat(64)}.jsonl`].map((name) => join(folder, "logs", name));
    await promisify(execFile)("mkfifo", pipes);
    const { log } = openBackend({ folder });
    for (const call of [() => log.streams(), () => log.read("s")])
      await expect(call()).rejects.toMatchObject({ code: "store_failed" });
  });

  it("do not lead through symbolic links, for files and for folders", async () => {
    const outside = await newFolder();
    await writeFile(join(outside, "target"), "");
    const folder = await newFolder();
    await mkdir(join(folder, "logs"));
    await symlink(join(outside, "target"), join(folder, "logs", "s-s.jsonl"));
    await symlink(join(outside, "target"), join(folder, "store.jsonl"));
    const { log, store } = openBackend({ folder });
    for (const call of [
      () => log.append("s", [1]),
      () => log.read("s"),
      () => store.put(["k"], text("x")),
      () => store.get(["k"]),
    ])
      await expect(call()).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining("link") });
    const linked = await newFolder();
    await symlink(outside, join(linked, "logs"));
    const other = openBackend({ folder: linked });
    await expect(other.log.append("s", [1])).rejects.toMatchObject({ code: "store_failed" });
    expect(await readFile(join(outside, "target"), "utf8")).toBe("");
    expect(await readdir(outside)).toEqual(["target"]);
  });

  it("are checked against what a file says of itself", async () => {
    const folder = await newFolder();
    const first = openBackend({ folder });
    await first.log.append("a", [1]);
    await first.log.append(LONG, [1]);
    const logs = join(folder, "logs");
    await writeFile(join(logs, "s-b.jsonl"), await readFile(join(logs, "s-a.jsonl")));
    await expect(first.log.read("b")).rejects.toMatchObject({ details: { place: "logs/s-b.jsonl, line 1" } });
    const long = (await readdir(logs)).find((name) => name.startsWith("h-")) as string;
    await writeFile(join(logs, long), await readFile(join(logs, "s-a.jsonl")));
    await expect(first.log.streams()).rejects.toMatchObject({ details: { place: `logs/${long}, line 1` } });
  });
});

describe("what is in the files (STO-06, SE-05)", () => {
  it("is one record of JSON a line, readable by anything", async () => {
    const folder = await newFolder();
    const { log, store } = openBackend({ folder, clock: manualClock({ startMs: 5 }) });
    await log.append("s", ["a", { b: 1 }], { idempotencyKey: "k" });
    await store.put(["x", "y"], text("t"), { attributes: { n: 1 }, ttlMs: 10 });
    const read = async (name: string) =>
      (await readFile(join(folder, name), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as JsonValue);
    expect(await read("logs/s-s.jsonl")).toMatchObject([
      { format: "tinyagents.log", v: 1, stream: "s", start: 0 },
      { offset: 0, value: "a", key: "k", more: 1 },
      { offset: 1, value: { b: 1 } },
    ]);
    expect(await read("store.jsonl")).toMatchObject([
      { format: "tinyagents.store", v: 1 },
      { put: ["x", "y"], at: 5, expires: 15, attributes: { n: 1 }, text: "t" },
    ]);
  });

  it("comes back as data when it looks like a line of ours", async () => {
    const folder = await newFolder();
    const { log, store } = openBackend({ folder });
    const line = {
      format: "tinyagents.log",
      v: 9,
      truncate: 1,
      delete: ["k"],
      more: 3,
      crc: "00000000",
      keys: [["k", 0, "x"]],
    };
    await log.append("s", [line, `{"truncate":1,"crc":"00000000"}\n`]);
    await store.put(["k"], { type: "json", value: line }, { attributes: { more: 3, put: "x", crc: "00000000" } });
    const again = openBackend({ folder });
    expect((await again.log.read("s")).map(({ value }) => value)).toEqual([line, `{"truncate":1,"crc":"00000000"}\n`]);
    expect(await again.store.get(["k"])).toMatchObject({ value: { value: line }, attributes: { more: 3, put: "x" } });
  });
});

describe("files that are written anew (STO-06)", () => {
  it("keep all keyed records, versions and expiries, and lose what is gone", async () => {
    const folder = await newFolder();
    const clock = manualClock();
    const { store } = openBackend({ folder, clock, sync: "os" });
    const reader = openBackend({ folder, clock });
    await store.put(["kept"], text("kept"), { attributes: { a: 1 }, ttlMs: 1_000 });
    await store.put(["short"], text("short"), { ttlMs: 10 });
    await store.put(["deleted"], text("x"));
    const deleted = (await store.get(["deleted"]))?.version;
    await store.delete(["deleted"]);
    const before = await reader.store.list({ prefix: [] });
    expect(before.items.map(({ key }) => key[0])).toEqual(["kept", "short"]);
    await clock.advance(20);
    for (let i = 0; i < 60; i++) await store.put(["big"], { type: "bytes", bytes: new Uint8Array(10_000) });
    await expect.poll(async () => (await stat(join(folder, "store.jsonl"))).size).toBeLessThan(600_000);
    for (const one of [store, reader.store, openBackend({ folder, clock }).store]) {
      expect(await one.get(["kept"])).toEqual(before.items[0]);
      expect((await one.list({ prefix: [] })).items.map(({ key }) => key[0])).toEqual(["big", "kept"]);
    }
    expect(await readFile(join(folder, "store.jsonl"), "latin1")).not.toContain("deleted");
    expect(await reader.store.put(["deleted"], text("x"), { ifVersion: null })).not.toBe(deleted);
    await clock.advance(1_000);
    expect(await reader.store.get(["kept"])).toBeUndefined();
  });

  it("keep the records, offsets and keys of a log that was truncated", async () => {
    const folder = await newFolder();
    const { log } = openBackend({ folder, sync: "os" });
    const reader = openBackend({ folder });
    const value = (index: number) => `${index} ${"x".repeat(1_000)}`;
    for (let i = 0; i < 600; i++) await log.append("s", [value(i)], { idempotencyKey: `k${i}` });
    expect(await reader.log.head("s")).toBe(600);
    await log.truncate("s", { before: 590 });
    await expect.poll(async () => (await stat(join(folder, "logs/s-s.jsonl"))).size).toBeLessThan(100_000);
    for (const one of [log, reader.log, openBackend({ folder }).log]) {
      const records = await one.read("s");
      expect(records.map(({ offset }) => offset)).toEqual(Array.from({ length: 10 }, (_, index) => 590 + index));
      expect(records.every((record) => record.value === value(record.offset))).toBe(true);
      for (const i of [3, 595]) expect(await one.append("s", [value(i)], { idempotencyKey: `k${i}` })).toBe(i);
      await expect(one.append("s", ["other"], { idempotencyKey: "k3" })).rejects.toMatchObject({
        code: "invalid_request",
      });
    }
    expect(await reader.log.append("s", ["next"])).toBe(600);
    expect(await log.head("s")).toBe(601);
  });

  it("are taken away when a killed process left them half written", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "logs"));
    await writeFile(join(folder, "logs", "s-s.jsonl.new"), "half");
    await writeFile(join(folder, "store.jsonl.new"), "half");
    const { log } = openBackend({ folder });
    await log.append("other", [1]);
    expect((await filesBelow(folder)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});

describe("how much is done for a call (STO-06, PF-03)", () => {
  it("is one write and one sync for all appends that come together", async () => {
    const { files, steps } = failingFiles();
    const { log } = openBackend({ folder: await newFolder() }, files);
    await log.append("s", ["first"]);
    steps.length = 0;
    await Promise.all(Array.from({ length: 100 }, (_, index) => log.append("s", [index])));
    expect(steps.filter((step) => step === "write" || step === "sync")).toEqual(["write", "sync"]);
    expect(await log.head("s")).toBe(101);
  });

  it("opens few files at a time, however many streams are written to at once", async () => {
    const { files } = failingFiles();
    let open = 0;
    let most = 0;
    const counting: Files = {
      ...files,
      async open(path, mode) {
        const file = await files.open(path, mode);
        most = Math.max(most, ++open);
        const close = (): Promise<void> => {
          open--;
          return file.close();
        };
        return { ...file, close };
      },
    };
    const { log } = openBackend({ folder: await newFolder(), sync: "os" }, counting);
    const each = (value: number) =>
      Promise.all(Array.from({ length: 1_200 }, (_, index) => log.append(`s${index}`, [value])));
    for (const value of [0, 1]) await each(value);
    expect(most).toBeLessThan(100);
    expect(await log.head("s1199")).toBe(2);
    expect(open).toBeLessThan(65);
  });

  it("is no sync at all where the system decides", async () => {
    const { files, steps } = failingFiles();
    const { log, store } = openBackend({ folder: await newFolder(), sync: "os" }, files);
    for (let i = 0; i < 3; i++) await log.append("s", [i]);
    await store.put(["k"], text("x"));
    expect(steps.filter((step) => step.startsWith("sync"))).toEqual([]);
  });

  it("does not grow with the file: a reader reads what is new, and a page what is near it", async () => {
    const folder = await newFolder();
    const { log, store } = openBackend({ folder, sync: "os" });
    await log.append(
      "s",
      Array.from({ length: 20_000 }, (_, index) => ({ index, filler: "x".repeat(50) })),
    );
    const { files, steps } = failingFiles();
    const reader = openBackend({ folder }, files);
    expect(await reader.log.head("s")).toBe(20_000);
    await log.append("s", ["new"]);
    await store.put(["k"], text("x"));
    steps.length = 0;
    expect(await reader.log.read("s", { from: 19_999 })).toHaveLength(2);
    expect((await reader.log.read("s", { from: 9_000, limit: 1 }))[0]?.value).toMatchObject({ index: 9_000 });
    expect((await reader.log.read("s", { order: "descending", limit: 1 }))[0]?.value).toBe("new");
    expect(steps.filter((step) => step === "read").length).toBeLessThan(10);
  });

  it("stays small for 100,000 records of each kind", async () => {
    const folder = await newFolder();
    const { log, store } = openBackend({ folder, sync: "os" });
    const count = 100_000;
    const each = (work: (from: number) => Promise<unknown>) =>
      Promise.all(Array.from({ length: 100 }, (_, index) => work((index * count) / 100)));
    const indexes = (from: number) => Array.from({ length: count / 100 }, (_, index) => from + index);
    await each((from) => log.append("s", indexes(from)));
    await each((from) =>
      store.batch(indexes(from).map((index) => ({ type: "put", key: ["k", String(index)], value: text(`${index}`) }))),
    );
    const again = openBackend({ folder });
    expect(await again.log.head("s")).toBe(count);
    expect(await again.log.read("s", { from: 77_777, limit: 2 })).toEqual([
      { offset: 77_777, value: 77_777 },
      { offset: 77_778, value: 77_778 },
    ]);
    expect((await again.store.get(["k", "77777"]))?.value).toEqual(text("77777"));
    let cursor: string | undefined;
    let seen = 0;
    do {
      const page = await again.store.list({ prefix: ["k"], limit: 5_000, ...(cursor === undefined ? {} : { cursor }) });
      seen += page.items.length;
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toBe(count);
  }, 60_000);
});

describe("a call that is cancelled (STO-06)", () => {
  it("does not wait for another process any more, and does nothing", async () => {
    const folder = await newFolder();
    const { files } = failingFiles();
    let goOn: () => void = () => {};
    const halted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const holder = openBackend({ folder }, { ...files, rename: (...args) => halted.then(() => files.rename(...args)) });
    const holding = holder.log.append("s", ["first"]);
    const { log } = openBackend({ folder });
    await expect.poll(async () => (await readdir(join(folder, "lock"))).includes("1")).toBe(true);
    const controller = new AbortController();
    const waiting = log.append("s", ["second"], { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    goOn();
    expect(await holding).toBe(0);
    expect(await log.head("s")).toBe(1);
  });
});

describe("jsonlBackend (STO-06)", () => {
  it.each<[string, unknown]>([
    ["jsonlBackend: options: an object", undefined],
    ["jsonlBackend: options.folder: a path", {}],
    ["jsonlBackend: options.folder: a path", { folder: "" }],
    ["jsonlBackend: options.folder: a path", { folder: "a\0b" }],
    ['jsonlBackend: options.sync: "always" or "os"', { folder: "x", sync: "never" }],
    ["jsonlBackend: options.onRepair: a function", { folder: "x", onRepair: 1 }],
    ["jsonlBackend: options.lockWaitMs: a number of milliseconds", { folder: "x", lockWaitMs: -1 }],
    ["jsonlBackend: options.clock: a Clock", { folder: "x", clock: Date }],
    ["jsonlBackend: options.lockWaitMS: there is no such field", { folder: "x", lockWaitMS: 1 }],
  ])("refuses options that cannot be, at once: %s", (message, options) => {
    const open = () => jsonlBackend(options as JsonlOptions);
    expect(open).toThrow(TypeError);
    expect(open).toThrow(message);
  });

  it("makes its folder for its owner alone, and not before it is used", async () => {
    const folder = join(await newFolder(), "a", "b");
    const { log } = openBackend({ folder });
    await expect(lstat(folder)).rejects.toMatchObject({ code: "ENOENT" });
    await log.append("s", [1]);
    expect((await lstat(folder)).mode & 0o077).toBe(0);
    expect((await lstat(join(folder, "logs", "s-s.jsonl"))).mode & 0o077).toBe(0);
  });

  it("says what the system said, when its folder is a file", async () => {
    const folder = join(await newFolder(), "file");
    await writeFile(folder, "");
    const error: unknown = await openBackend({ folder })
      .log.append("s", [1])
      .catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "store_failed") && error.message).toContain("EEXIST");
  });

  it("calls back watchers for appends of its own and of others, and no more when they stopped or it is closed", async () => {
    const folder = await newFolder();
    const { log, close } = openBackend({ folder });
    const other = openBackend({ folder });
    let calls = 0;
    const stop = await log.watch?.("s", () => calls++);
    await log.append("s", [1]);
    await expect.poll(() => calls).toBeGreaterThan(0);
    const before = calls;
    await other.log.append("s", [2]);
    await expect.poll(() => calls, { timeout: 5_000 }).toBeGreaterThan(before);
    stop?.();
    await log.watch?.("t", () => calls++);
    await close();
    const after = calls;
    await other.log.append("s", [3]);
    await other.log.append("t", [3]);
    expect(calls).toBe(after);
  });
});
