import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { follow, type LogRecord } from "@tinyagents/core";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NodeProgram, nodeProgram, type Running } from "../support/node-program.js";
import type { Task } from "./program.js";

let program: NodeProgram;
let folders = 0;

beforeAll(async () => {
  program = await nodeProgram(new URL("./program.ts", import.meta.url));
});

afterAll(() => program.remove());

function newFolder(): string {
  return `${program.folder}/data-${folders++}`;
}

function start(folder: string, task: Task): Running {
  return program.start([JSON.stringify({ folder, task })]);
}

/** What processes were told is written: offsets by id. */
function acknowledged(processes: readonly Running[]): ReadonlyMap<string, number> {
  const lines = processes.flatMap(({ lines }) => lines).filter((line) => line.includes(" "));
  return new Map(lines.map((line) => [line.split(" ")[1] as string, Number(line.split(" ")[0])]));
}

/** Both records of each append, side by side. */
function idsOf(records: readonly LogRecord[]): readonly string[] {
  const values = records.map(({ value }) => value as { readonly id: string; readonly first: boolean });
  expect(values.map(({ first }) => first)).toEqual(values.map((_, index) => index % 2 === 0));
  const [firsts, seconds] = [true, false].map((wanted) => values.filter(({ first }) => first === wanted));
  expect(seconds?.map(({ id }) => id)).toEqual(firsts?.map(({ id }) => id));
  return firsts?.map(({ id }) => id) ?? [];
}

/** Stops a process while it holds the lock of its folder, and gives its id. */
async function stopInTheMiddle(process: Running, folder: string): Promise<number> {
  for (;;) {
    process.sleep();
    await pause(20);
    const numbers = (await readdir(`${folder}/lock`)).filter((name) => /^\d+$/.test(name)).map(Number);
    const last = Math.max(...numbers);
    if (last % 2 === 1) return (JSON.parse(await readFile(`${folder}/lock/${last}`, "utf8")) as { pid: number }).pid;
    process.wake();
    await pause(20);
  }
}

describe("processes that share a JSONL folder (STO-06, ST-08, ST-09)", () => {
  it("append to one stream, and each append has a place of its own, without gaps and side by side", async () => {
    const folder = newFolder();
    const processes = ["a", "b", "c"].map((name) =>
      start(folder, { type: "append", stream: "s", name, count: 200, atOnce: name === "a" ? 50 : 1 }),
    );
    for (const process of processes) await process.finished();
    const { log, close } = jsonlBackend({ folder });
    const records = await log.read("s", { limit: 10_000 });
    await close();
    expect(records.map(({ offset }) => offset)).toEqual(Array.from({ length: 1_200 }, (_, index) => index));
    const ids = idsOf(records);
    for (const [id, offset] of acknowledged(processes)) expect(ids[offset / 2]).toBe(id);
  });

  it("add to one number by reading and writing it over, and none of it is lost", async () => {
    const folder = newFolder();
    const processes = Array.from({ length: 3 }, () => start(folder, { type: "count", key: "n", count: 60 }));
    for (const process of processes) await process.finished();
    const { store, close } = jsonlBackend({ folder });
    expect((await store.get(["n"]))?.value).toEqual({ type: "json", value: 180 });
    await close();
  });

  it("are all read by one that follows", async () => {
    const folder = newFolder();
    const { log, close } = jsonlBackend({ folder });
    const writer = start(folder, { type: "append", stream: "s", name: "a", count: 100, atOnce: 3 });
    const seen: number[] = [];
    for await (const { offset } of follow(log, "s")) if (seen.push(offset) === 200) break;
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index));
    await writer.finished();
    await close();
  });
});

describe("processes that are killed while they write to a JSONL folder (STO-06, ST-07, ST-09)", () => {
  it("lose nothing that was acknowledged, leave no half of an append, and stop nobody else", async () => {
    const folder = newFolder();
    const survivor = start(folder, { type: "append", stream: "s", name: "survivor", count: 400, atOnce: 4 });
    const killed: Running[] = [];
    for (let i = 0; i < 8; i++) {
      const victim = start(folder, { type: "append", stream: "s", name: `victim${i}`, count: 100_000, atOnce: 100 });
      killed.push(victim);
      await victim.wrote("begin");
      await pause(30 + Math.random() * 120);
      await victim.kill();
    }
    await survivor.finished();
    const { log, close } = jsonlBackend({ folder });
    await log.append("s", [
      { id: "last", first: true },
      { id: "last", first: false },
    ]);
    const ids = idsOf(await log.read("s", { limit: 1_000_000 }));
    expect(new Set(ids).size).toBe(ids.length);
    const acks = acknowledged([survivor, ...killed]);
    for (const [id, offset] of acks) expect(ids[offset / 2]).toBe(id);
    expect([...acks.keys()].filter((id) => id.startsWith("survivor"))).toHaveLength(400);
    expect([...acks.keys()].some((id) => id.startsWith("victim"))).toBe(true);
    await close();
  });

  it("are named to others whose writes they stop, once those have waited for long enough; reads wait for nobody", async () => {
    const folder = newFolder();
    const holder = start(folder, { type: "append", stream: "s", name: "holder", count: 100_000, atOnce: 50 });
    await holder.wroteLines(10);
    const pid = await stopInTheMiddle(holder, folder);
    const { log, close } = jsonlBackend({ folder, lockWaitMs: 300 });
    await expect(log.append("s", ["refused"])).rejects.toMatchObject({
      code: "store_failed",
      retryable: true,
      message: expect.stringMatching(
        new RegExp(`not free for 300 ms: process ${pid} on .* has it. It is stopped: let it go on \\(SIGCONT\\)`),
      ),
    });
    expect((await log.read("s", { limit: 2 })).map(({ offset }) => offset)).toEqual([0, 1]);

    const patient = jsonlBackend({ folder, lockWaitMs: 600_000 });
    const controller = new AbortController();
    const waiting = [1, 2].map((value) => patient.log.append("s", [value], { signal: controller.signal }));
    await pause(50);
    controller.abort();
    for (const append of waiting) await expect(append).rejects.toMatchObject({ code: "cancelled" });
    await patient.close();

    holder.wake();
    const retried = await log.append("s", ["retried"]);
    const [found] = await log.read("s", { from: retried, limit: 1 });
    expect(found).toEqual({ offset: retried, value: "retried" });
    await holder.kill();
    await close();
  });

  it("are waited for while they are stopped, and go on where they were", async () => {
    const folder = newFolder();
    const sleeper = start(folder, { type: "append", stream: "s", name: "sleeper", count: 3_000, atOnce: 50 });
    await sleeper.wrote("begin");
    const { log, close } = jsonlBackend({ folder, lockWaitMs: 300 });
    let own = 0;
    for (let i = 0; i < 6; i++) {
      await pause(40);
      sleeper.sleep();
      const outcome = await log
        .append("s", [
          { id: `own-${i}`, first: true },
          { id: `own-${i}`, first: false },
        ])
        .then(
          () => "done",
          (error: { readonly code: string; readonly retryable: boolean }) => `${error.code} ${error.retryable}`,
        );
      expect(["done", "store_failed true"]).toContain(outcome);
      if (outcome === "done") own++;
      sleeper.wake();
    }
    await sleeper.finished();
    const ids = idsOf(await log.read("s", { limit: 100_000 }));
    expect(ids).toHaveLength(3_000 + own);
    for (const [id, offset] of acknowledged([sleeper])) expect(ids[offset / 2]).toBe(id);
    await close();
  });
});
