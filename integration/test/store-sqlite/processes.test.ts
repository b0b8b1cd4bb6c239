import { join } from "node:path";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type NodeProgram, nodeProgram, type Running } from "../support/node-program.js";
import type { ProgramOptions } from "./program.js";

let program: NodeProgram;
let path: string;

beforeEach(async () => {
  program = await nodeProgram(new URL("./program.ts", import.meta.url), { external: ["better-sqlite3"] });
  path = join(program.folder, "a.db");
});

afterEach(() => program.remove());

function start(name: string, rounds: number): Running {
  return program.start([JSON.stringify({ path, name, rounds } satisfies ProgramOptions)]);
}

describe("one SQLite file, written by several processes", () => {
  it("takes all writes of eight that begin at the same time, and no call fails (ST-01)", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const rounds = 20;
    await Promise.all(names.map((name) => start(name, rounds).finished()));

    const { store, log, close } = sqliteBackend({ path });
    const inOrder = Array.from({ length: rounds }, (_, round) => round);
    const all = (await log.read("all")).map(({ value }) => value as { readonly name: string; readonly round: number });
    expect(await log.head("all")).toBe(names.length * rounds);
    for (const name of names) {
      expect((await log.read(name)).map(({ value }) => value)).toEqual(inOrder);
      expect(all.filter((value) => value.name === name).map(({ round }) => round)).toEqual(inOrder);
      expect((await store.list({ prefix: [], where: { name } })).items).toHaveLength(10);
    }
    expect((await store.get(["count"]))?.value).toEqual({ type: "json", value: names.length * rounds });
    await close();
  });

  it("keeps what a process was told is kept when that process is killed (STO-09)", async () => {
    const running = [start("a", 100_000), start("b", 100_000)];
    for (const one of running) await one.wrote("10");
    for (const one of running) await one.kill();

    const { log, close } = sqliteBackend({ path });
    for (const [index, name] of ["a", "b"].entries()) {
      const kept = (await log.read(name, { limit: 100_000 })).map(({ value }) => String(value));
      const told = running[index]?.lines ?? [];
      expect(kept.slice(0, told.length)).toEqual(told);
    }
    await log.append("a", ["goes on"]);
    await close();
  });
});
