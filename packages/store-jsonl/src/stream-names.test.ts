import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder, upTo } from "../test/support/folder.js";
import { type Files, nodeFiles } from "./files.js";
import { StreamNames } from "./stream-names.js";

const LONG_AGO = new Date("2020-01-01");
let folder: string;
let readings: number;
let files: Files;

beforeEach(async () => {
  folder = join(await newFolder(), "logs");
  await mkdir(folder);
  readings = 0;
  files = {
    ...nodeFiles,
    names(path) {
      readings++;
      return nodeFiles.names(path);
    },
  };
});

async function addStreams(...names: readonly string[]): Promise<void> {
  for (const name of names) await writeFile(join(folder, `s-${name}.jsonl`), "");
}

/** As if nobody had changed the folder since then. */
function lastChangedAt(at: Date): Promise<void> {
  return utimes(folder, at, at);
}

describe("StreamNames (STO-06, PF-03)", () => {
  it("reads a folder that nobody changes once for all of its pages", async () => {
    const names = upTo(10).map((index) => `s${index}`);
    await addStreams(...names, "other");
    await lastChangedAt(LONG_AGO);
    const streams = new StreamNames(files, folder);
    const found: string[] = [];
    for (let after: string | undefined; ; after = found.at(-1)) {
      const page = await streams.page({ prefix: "s", limit: 3, ...(after === undefined ? {} : { after }) });
      found.push(...page);
      if (page.length < 3) break;
    }
    expect(found).toEqual(names);
    expect(readings).toBe(1);
  });

  it("gives the names of a prefix that are behind another, wherever that is", async () => {
    await addStreams("a", "b-1", "b-2", "b", "c");
    await lastChangedAt(LONG_AGO);
    const streams = new StreamNames(files, folder);
    const page = (prefix: string, after: string) => streams.page({ prefix, after, limit: 2 });
    expect(await page("b", "a")).toEqual(["b", "b-1"]);
    expect(await page("b", "b")).toEqual(["b-1", "b-2"]);
    expect(await page("b", "b-1x")).toEqual(["b-2"]);
    expect(await page("b", "c")).toEqual([]);
    expect(await page("x", "")).toEqual([]);
  });

  it("sees what came and went meanwhile", async () => {
    await addStreams("a", "b");
    await lastChangedAt(LONG_AGO);
    const streams = new StreamNames(files, folder);
    const all = () => streams.page({ prefix: "", limit: 10 });
    expect(await all()).toEqual(["a", "b"]);
    await addStreams("c");
    expect(await all()).toEqual(["a", "b", "c"]);
    await rm(join(folder, "s-a.jsonl"));
    expect(await all()).toEqual(["b", "c"]);
    await rm(folder, { recursive: true });
    expect(await all()).toEqual([]);
  });

  it("does not go by a folder that was changed just now: a change right behind it may leave the same time", async () => {
    const now = new Date();
    await addStreams("a");
    await lastChangedAt(now);
    const streams = new StreamNames(files, folder);
    const all = () => streams.page({ prefix: "", limit: 10 });
    expect(await all()).toEqual(["a"]);
    await rm(join(folder, "s-a.jsonl"));
    await addStreams("b");
    await lastChangedAt(now);
    expect(await all()).toEqual(["b"]);
  });

  it("sees another folder that took its place", async () => {
    await addStreams("a");
    await lastChangedAt(LONG_AGO);
    const streams = new StreamNames(files, folder);
    expect(await streams.page({ prefix: "", limit: 10 })).toEqual(["a"]);
    const before = `${folder}-before`;
    await nodeFiles.rename(folder, before);
    await mkdir(folder);
    await addStreams("b");
    await lastChangedAt(LONG_AGO);
    expect(await streams.page({ prefix: "", limit: 10 })).toEqual(["b"]);
  });
});
