import { appendFile, copyFile, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AppendStore, isTinyAgentsError, type JsonValue } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { forEachOf, newFolder, openBackend, upTo } from "./support/folder.js";

const LOG = "logs/s-s.jsonl";
const STORE = "store.jsonl";
/** Characters of one to four bytes, so that ends fall inside them. */
const APPENDS: readonly (readonly JsonValue[])[] = [["é\u{1F600}"], ["a", { b: "ö" }, "€"], ["ende"]];

interface FilledLog {
  readonly file: string;
  /** How many records are whole when the file is so many bytes long. */
  readonly wholeAt: (size: number) => number;
  /** Whether an append, or the first line, ends there. */
  readonly wholeLinesEnd: (size: number) => boolean;
}

async function filledLog(): Promise<FilledLog> {
  const folder = await newFolder();
  const { log, close } = openBackend({ folder, sync: "os" });
  const file = join(folder, LOG);
  const ends: { readonly size: number; readonly records: number }[] = [];
  for (const values of APPENDS) {
    const first = await log.append("s", values);
    ends.push({ size: (await readFile(file)).byteLength, records: first + values.length });
  }
  await close();
  const firstLine = (await readFile(file)).indexOf("\n") + 1;
  return {
    file,
    wholeAt: (size) => ends.filter((end) => end.size <= size).at(-1)?.records ?? 0,
    wholeLinesEnd: (size) => size === firstLine || ends.some((end) => end.size === size),
  };
}

async function valuesOf(log: AppendStore): Promise<readonly JsonValue[]> {
  return (await log.read("s")).map(({ value }) => value);
}

/** A folder of its own with the first bytes of a file. */
async function cutCopy(file: string, name: string, size: number): Promise<string> {
  const folder = await newFolder();
  const copy = join(folder, name);
  await mkdir(dirname(copy), { recursive: true });
  await copyFile(file, copy);
  await truncate(copy, size);
  return folder;
}

describe("the torn end of a log (ST-07, STO-06)", () => {
  it("costs no whole record, is cut off and told, and swallows no later record, wherever it is torn", async () => {
    const { file, wholeAt, wholeLinesEnd } = await filledLog();
    const all = APPENDS.flat();
    const total = (await readFile(file)).byteLength;
    await forEachOf(upTo(total + 1), async (size) => {
      const folder = await cutCopy(file, LOG, size);
      const { log, repairs, close } = openBackend({ folder, sync: "os" });
      const whole = all.slice(0, wholeAt(size));
      expect(await valuesOf(log), `read of ${size} bytes`).toEqual(whole);
      expect(repairs, "reading changes nothing").toEqual([]);
      expect(await log.append("s", ["next"]), `append to ${size} bytes`).toBe(whole.length);
      expect(await valuesOf(log), `read after an append to ${size} bytes`).toEqual([...whole, "next"]);
      expect(repairs, `repairs of ${size} bytes`).toHaveLength(size === 0 || wholeLinesEnd(size) ? 0 : 1);
      await close();
      const again = openBackend({ folder, sync: "os" });
      expect(await valuesOf(again.log), `read of ${size} bytes, opened anew`).toEqual([...whole, "next"]);
    });
  }, 60_000);

  it("is told with its file, its first line and its length", async () => {
    const { file } = await filledLog();
    const folder = dirname(dirname(file));
    await appendFile(file, '{"offset":5,"val');
    const { log, repairs } = openBackend({ folder });
    await log.append("s", ["next"]);
    expect(repairs).toEqual([{ file: LOG, line: 7, bytes: 16 }]);
  });

  it("is not told when nothing is torn", async () => {
    const { file } = await filledLog();
    const { log, repairs } = openBackend({ folder: dirname(dirname(file)) });
    await log.append("s", ["next"]);
    expect(repairs).toEqual([]);
  });
});

describe("the torn end of keyed records (ST-07, ST-09)", () => {
  it("leaves each batch whole or not there, and every write before it, wherever it is torn", async () => {
    const folder = await newFolder();
    const { store, close } = openBackend({ folder, sync: "os" });
    const text = (value: string) => ({ type: "text", text: value }) as const;
    const states: { readonly size: number; readonly texts: readonly string[] }[] = [{ size: 0, texts: [] }];
    const file = join(folder, STORE);
    const note = async (texts: readonly string[]) => states.push({ size: (await readFile(file)).byteLength, texts });
    await store.put(["a"], text("é1"));
    await note(["é1"]);
    await store.batch([
      { type: "put", key: ["a"], value: text("€2") },
      { type: "put", key: ["b"], value: text("\u{1F600}") },
      { type: "put", key: ["c"], value: text("c") },
    ]);
    await note(["€2", "\u{1F600}", "c"]);
    await store.delete(["b"]);
    await note(["€2", "c"]);
    await close();
    await forEachOf(upTo((states.at(-1)?.size ?? 0) + 1), async (size) => {
      const torn = openBackend({ folder: await cutCopy(file, STORE, size), sync: "os" });
      const texts = async () =>
        (await torn.store.list({ prefix: [] })).items.map(({ value }) => value.type === "text" && value.text);
      const whole = states.filter((state) => state.size <= size).at(-1)?.texts ?? [];
      expect(await texts(), `list of ${size} bytes`).toEqual(whole);
      await torn.store.put(["z"], text("next"));
      expect(await texts(), `list after a put to ${size} bytes`).toEqual([...whole, "next"]);
    });
  }, 60_000);
});

describe("damage in the middle of a file (DG-04)", () => {
  it("is told with file and line, whichever byte is wrong, and nothing is lost or left out in silence", async () => {
    const good = await readFile((await filledLog()).file);
    const lastLine = good.lastIndexOf("\n", good.byteLength - 2) + 1;
    await forEachOf(upTo(lastLine), async (at) => {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 0x01;
      const folder = await newFolder();
      await mkdir(join(folder, "logs"));
      await writeFile(join(folder, LOG), bad);
      const { log } = openBackend({ folder, sync: "os" });
      const error: unknown = await log.read("s").catch((thrown: unknown) => thrown);
      if (!isTinyAgentsError(error, "corrupt_data")) throw new Error(`byte ${at} is wrong, and nobody is told`);
      const line = good.subarray(0, at).toString("latin1").split("\n").length;
      expect(error.details.place).toBe(`${LOG}, line ${line}`);
      await expect(log.append("s", ["x"])).rejects.toMatchObject({ code: "corrupt_data" });
      expect((await readFile(join(folder, LOG))).equals(bad), "the file is left as it is").toBe(true);
    });
  }, 60_000);

  it("is told when a whole line is missing, or two have changed places", async () => {
    const { file } = await filledLog();
    const folder = dirname(dirname(file));
    const lines = (await readFile(file, "utf8")).split("\n");
    for (const wrong of [lines.toSpliced(2, 1), [...lines.slice(0, 2), lines[5], ...lines.slice(2, 5), ""]]) {
      await writeFile(file, wrong.join("\n"));
      const { log, close } = openBackend({ folder });
      await expect(log.head("s")).rejects.toMatchObject({ code: "corrupt_data" });
      await close();
    }
  });

  it("is told of a last line that is whole and wrong: it may have been acknowledged", async () => {
    const { file } = await filledLog();
    await writeFile(file, (await readFile(file, "utf8")).replace("ende", "Ende"));
    const { log } = openBackend({ folder: dirname(dirname(file)) });
    await expect(log.read("s")).rejects.toMatchObject({ details: { place: `${LOG}, line 6` } });
  });

  it("is told of a keyed record, and is over when the file is put right", async () => {
    const folder = await newFolder();
    const { store } = openBackend({ folder });
    await store.put(["a"], { type: "text", text: "one" });
    await store.put(["b"], { type: "text", text: "two" });
    const file = join(folder, STORE);
    const good = await readFile(file, "utf8");
    await writeFile(file, good.replace("one", "0ne"));
    await expect(store.get(["a"])).rejects.toMatchObject({ details: { place: `${STORE}, line 2` } });
    await expect(store.put(["c"], { type: "text", text: "3" })).rejects.toMatchObject({ code: "corrupt_data" });
    await writeFile(file, good);
    expect((await store.get(["a"]))?.value).toEqual({ type: "text", text: "one" });
  });

  it("is version_mismatch for a file of a newer format, again and again", async () => {
    const folder = await newFolder();
    const { encodeLines, START } = await import("../src/line-group.js");
    await mkdir(join(folder, "logs"));
    const fields = '"format":"tinyagents.log","v":2,"stream":"s","start":0,"id":"x"';
    await writeFile(join(folder, LOG), encodeLines([{ fields, object: {} }], START).bytes);
    const { log } = openBackend({ folder });
    for (const call of [() => log.read("s"), () => log.head("s"), () => log.append("s", ["x"])])
      await expect(call()).rejects.toMatchObject({ code: "version_mismatch", details: { expected: 1, found: 2 } });
  });
});
