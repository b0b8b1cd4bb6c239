import { mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoreRecord } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { fileOf, newFolder, openStore, text } from "./support/folder.js";

const KEY = ["a"];

/** Writes the file of a record anew, changed. */
async function change(path: string, change: (bytes: Buffer) => Uint8Array): Promise<void> {
  await writeFile(path, change(await readFile(path)));
}

function flipped(at: (bytes: Buffer) => number) {
  return (bytes: Buffer): Buffer => {
    const place = at(bytes);
    bytes[place] = (bytes[place] as number) ^ 1;
    return bytes;
  };
}

describe("a file that is damaged is told, by its name, and never read as less (DG-04, STO-07)", () => {
  const damages: { readonly [name: string]: (bytes: Buffer) => Uint8Array } = {
    "a bit of the first line": flipped(() => 3),
    "a bit of the sum of the head": flipped(() => 40),
    "a bit of the attributes": flipped((bytes) => bytes.indexOf("kind")),
    "a bit of the value": flipped((bytes) => bytes.length - 5),
    "the last byte": (bytes) => bytes.subarray(0, -1),
    "the value": (bytes) => bytes.subarray(0, bytes.lastIndexOf("\n") + 1),
    "half of the head": (bytes) => bytes.subarray(0, 120),
    everything: () => new Uint8Array(),
    "one byte too many": (bytes) => Buffer.concat([bytes, Buffer.from("x")]),
  };
  for (const [name, damage] of Object.entries(damages)) {
    it(name, async () => {
      const folder = await newFolder();
      const store = openStore({ folder });
      await store.put(KEY, { type: "bytes", bytes: new Uint8Array(500).fill(7) }, { attributes: { kind: "report" } });
      const file = await fileOf(folder, "a");
      await change(file, damage);
      const told = { code: "corrupt_data", details: { place: file.slice(folder.length + 1) } };
      await expect(store.get(KEY)).rejects.toMatchObject(told);
      await expect(store.list({ prefix: [] })).rejects.toMatchObject(told);
      const read = async (): Promise<number> => {
        let size = 0;
        for await (const piece of (await store.getBlob(KEY))?.chunks ?? []) size += piece.length;
        return size;
      };
      await expect(read()).rejects.toMatchObject(told);
      // Whoever knows better can write over it, or take it away.
      await store.put(KEY, text("anew"));
      expect((await store.get(KEY))?.value).toEqual(text("anew"));
      await change(await fileOf(folder, "a"), damage);
      expect(await store.delete(KEY)).toBe(true);
      expect(await store.get(KEY)).toBeUndefined();
    });
  }

  it("a file that becomes shorter while it is read", async () => {
    const folder = await newFolder();
    const store = openStore({ folder });
    await store.putBlob(KEY, [new Uint8Array(3_000_000)]);
    const file = await fileOf(folder, "a");
    const read = async (): Promise<void> => {
      for await (const _ of (await store.getBlob(KEY))?.chunks ?? []) await truncate(file, 1_000_000);
    };
    await expect(read()).rejects.toMatchObject({ code: "corrupt_data" });
  });

  it("a file that is gone, that is of another record, or one of two", async () => {
    const folder = await newFolder();
    const store = openStore({ folder });
    const told = { code: "corrupt_data" };
    for (const name of ["a", "b", "c"]) await store.put([name], text(name));
    await rm(await fileOf(folder, "a"));
    await expect(store.get(["a"])).rejects.toMatchObject(told);
    await rm(join(folder, "b"), { recursive: true });
    await rename(join(folder, "c"), join(folder, "b"));
    await expect(store.get(["b"])).rejects.toMatchObject({
      ...told,
      message: expect.stringContaining("another record"),
    });
    await mkdir(join(dirname(dirname(await fileOf(folder, "b"))), "0".repeat(24)));
    await expect(store.get(["b"])).rejects.toMatchObject({ ...told, message: expect.stringContaining("2 versions") });
  });

  it("a file of a newer format", async () => {
    const folder = await newFolder();
    const store = openStore({ folder });
    await store.put(KEY, text("x"));
    const file = await fileOf(folder, "a");
    await change(file, (bytes) => Buffer.from(bytes.toString("latin1").replace("file 001", "file 002"), "latin1"));
    const details = { place: file.slice(folder.length + 1), expected: 1, found: 2 };
    await expect(store.get(KEY)).rejects.toMatchObject({ code: "version_mismatch", details });
  });
});

describe("data that looks like a file of ours (SE-05)", () => {
  it("comes back as data", async () => {
    const folder = await newFolder();
    const store = openStore({ folder });
    await store.put(KEY, text("x"));
    const bytes = new Uint8Array(await readFile(await fileOf(folder, "a")));
    await store.put(["b"], { type: "bytes", bytes });
    await store.put(["c"], { type: "json", value: { type: "bytes", size: 0, key: ["a"] } });
    const values = (await store.list({ prefix: [] })).items.map(({ value }: StoreRecord) => value);
    expect(values).toEqual([
      text("x"),
      { type: "bytes", bytes },
      { type: "json", value: { type: "bytes", size: 0, key: ["a"] } },
    ]);
  });
});
