import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { isTinyAgentsError, type JsonValue } from "@tinyagents/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";
import { openFile } from "./support.js";

const KEY = ["thread", "1"];
const TEXT = { type: "text", text: "x" } as const;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Lets so many turns of the event loop pass. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("a file that another connection has locked (ST-01)", () => {
  it("is waited for, while everything else in the process goes on", async () => {
    const { backend, raw } = openFile();
    raw.exec("begin immediate");
    let done = false;
    const writing = backend.store.put(KEY, TEXT).then(() => {
      done = true;
    });
    await turns(20);
    expect(done).toBe(false);
    raw.exec("commit");
    await writing;
    expect(await backend.store.get(KEY)).toMatchObject({ value: TEXT });
  });

  it("can be read meanwhile", async () => {
    const { backend, raw } = openFile();
    await backend.log.append("s", ["before"]);
    raw.exec("begin immediate");
    const writing = backend.log.append("s", ["after"]);
    expect(await backend.log.read("s")).toEqual([{ offset: 0, value: "before" }]);
    raw.exec("commit");
    expect(await writing).toBe(1);
  });

  it("fails with a typed error that a repeat may help, when the time is over, and nothing is written", async () => {
    const { backend, raw } = openFile({ busyTimeoutMs: 20 });
    raw.exec("begin immediate");
    const errors = await Promise.all([
      failureOf(backend.store.put(KEY, TEXT)),
      failureOf(backend.log.append("s", [1])),
    ]);
    for (const error of errors) {
      expect(isTinyAgentsError(error, "store_failed")).toBe(true);
      expect(error).toMatchObject({ retryable: true });
    }
    expect(String(errors[0])).toContain("locked");
    raw.exec("commit");
    expect(await backend.store.get(KEY)).toBeUndefined();
    expect(await backend.log.head("s")).toBe(0);
  });

  it("fails at once where no wait is wanted", async () => {
    const { backend, raw } = openFile({ busyTimeoutMs: 0 });
    raw.exec("begin immediate");
    expect(await failureOf(backend.store.put(KEY, TEXT))).toMatchObject({ code: "store_failed", retryable: true });
    raw.exec("commit");
    await backend.store.put(KEY, TEXT);
  });

  it("does not keep a call that is cancelled, nor those behind it", async () => {
    const { backend, raw } = openFile();
    raw.exec("begin immediate");
    const stop = new AbortController();
    const stopped = failureOf(backend.store.put(KEY, TEXT, { signal: stop.signal }));
    const behind = backend.store.put(["other"], TEXT);
    await turns(3);
    stop.abort();
    expect(await stopped).toMatchObject({ code: "cancelled" });
    raw.exec("commit");
    await behind;
    expect(await backend.store.get(KEY)).toBeUndefined();
  });

  it("gets the writes in the order in which they were asked for", async () => {
    const { backend, raw } = openFile();
    raw.exec("begin immediate");
    const values: JsonValue[] = Array.from({ length: 50 }, (_, index) => index);
    const writing = values.map((value) => backend.log.append("s", [value]));
    await turns(3);
    raw.exec("commit");
    expect(await Promise.all(writing)).toEqual(values);
    expect((await backend.log.read("s")).map(({ value }) => value)).toEqual(values);
  });

  it("is let go of by a backend that is closed only after the writes that wait", async () => {
    const { backend, raw } = openFile();
    raw.exec("begin immediate");
    const writing = backend.store.put(KEY, TEXT);
    const closing = backend.close();
    await turns(3);
    raw.exec("commit");
    await Promise.all([writing, closing]);
    expect(raw.prepare("select count(*) as n from tinyagents_records").get()).toEqual({ n: 1 });
  });
});

/** Another thread's connection that writes to a new file, in the mode that SQLite begins with, until it is let go on. */
async function writerOfNewFile(): Promise<{ readonly path: string; goOnIn(ms: number): void }> {
  const { path: pathOf, remove } = databaseFolder();
  const path = pathOf("a.db");
  const driver = createRequire(import.meta.url).resolve("better-sqlite3");
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    const database = new (require(workerData.driver))(workerData.path);
    database.exec("begin immediate; create table mine (x)");
    parentPort.once("message", (ms) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      database.exec("commit");
      database.close();
    });
    parentPort.postMessage("writing");`,
    { eval: true, workerData: { driver, path } },
  );
  onTestFinished(async () => {
    await worker.terminate();
    await remove();
  });
  await new Promise((resolve) => worker.once("message", resolve));
  return { path, goOnIn: (ms) => worker.postMessage(ms) };
}

describe("a new file to which another process writes while it is opened (ST-01)", () => {
  it("is waited for, though SQLite itself does not", async () => {
    const { path, goOnIn } = await writerOfNewFile();
    goOnIn(100);
    const backend = sqliteBackend({ path });
    await backend.store.put(KEY, TEXT);
    expect((await backend.store.get(KEY))?.value).toEqual(TEXT);
    await backend.close();
  });

  it("fails with a typed error that a repeat may help, when the time is over", async () => {
    const { path } = await writerOfNewFile();
    const busy = expect.objectContaining({ code: "store_failed", retryable: true });
    expect(() => sqliteBackend({ path, busyTimeoutMs: 30 })).toThrow(busy);
    expect(() => sqliteBackend({ path, busyTimeoutMs: 0 })).toThrow(busy);
  });
});
