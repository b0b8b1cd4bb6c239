import { manualClock } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type Files, nodeFiles } from "../src/files.js";
import { fileBackend } from "../src/index.js";
import { RecordReader } from "../src/record-folder.js";
import { KeyWalk } from "../src/walk.js";
import { filesBelow, newFolder, openStore, text } from "./support/folder.js";

describe("what is held in memory (STO-07)", () => {
  it("is one piece at a time of a blob of 200 MB, on its way in and out", async () => {
    let held = 0;
    let most = 0;
    const files: Files = {
      ...nodeFiles,
      async open(path, mode) {
        const file = await nodeFiles.open(path, mode);
        const counting = async <T>(bytes: Uint8Array, work: Promise<T>): Promise<T> => {
          held += bytes.byteLength;
          most = Math.max(most, held);
          try {
            return await work;
          } finally {
            held -= bytes.byteLength;
          }
        };
        return {
          ...file,
          write: (bytes, at) => counting(bytes, file.write(bytes, at)),
          read: (into, at) => counting(into, file.read(into, at)),
        };
      },
    };
    const store = openStore({ folder: await newFolder() }, files);
    const piece = new Uint8Array(1024 * 1024).fill(5);
    let taken = 0;
    const source = function* (): Generator<Uint8Array> {
      for (; taken < 200; taken++) {
        expect(held).toBe(0);
        yield piece;
      }
    };
    await store.putBlob(["large"], source());
    let size = 0;
    for await (const one of (await store.getBlob(["large"]))?.chunks ?? []) {
      expect(held).toBe(0);
      size += one.length;
    }
    expect([size, taken]).toEqual([200 * 1024 * 1024, 200]);
    expect(most).toBeLessThanOrEqual(1024 * 1024);
  }, 60_000);

  it("is some names of a folder with many, which are still listed in order", async () => {
    const folder = await newFolder();
    const store = openStore({ folder });
    const names = Array.from({ length: 40 }, (_, index) => `${(index * 17) % 40}`);
    for (const name of names) await store.put(["k", name], text(name));
    const walk = new KeyWalk(nodeFiles, folder, new RecordReader(nodeFiles, folder), 3);
    const keys = async (query: Partial<Parameters<KeyWalk["keys"]>[0]>): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const key of walk.keys({ prefix: ["k"], descending: false, ...query }))
        found.push(key.at(-1) as string);
      return found.filter((name) => name !== "k");
    };
    const ordered = names.toSorted();
    expect(await keys({})).toEqual(ordered);
    expect(await keys({ descending: true })).toEqual(ordered.toReversed());
    expect(await keys({ after: ["k", "2"] })).toEqual(ordered.filter((name) => name > "2"));
    expect(await keys({ after: ["j"] })).toEqual(ordered);
    expect(await keys({ after: ["l"] })).toEqual([]);
  });
});

describe("keys (STO-07, PF-03)", () => {
  it("may be parts of each other, and each is listed at its place", async () => {
    const store = openStore({ folder: await newFolder() });
    const long = "n".repeat(100);
    const keys = [["a"], ["a", "b"], ["a", long], ["a", `${long}x`], ["a", `${long}x`, "c"], ["ab"]];
    for (const key of keys.toReversed()) await store.put(key, text("x"));
    const listed = async (order: "ascending" | "descending") =>
      (await store.list({ prefix: [], order })).items.map(({ key }) => key);
    expect(await listed("ascending")).toEqual(keys);
    expect(await listed("descending")).toEqual(keys.toReversed());
    await store.delete(["a"]);
    expect((await store.list({ prefix: ["a", `${long}x`] })).items).toHaveLength(2);
  });

  it("are looked for below their prefix alone", async () => {
    const folder = await newFolder();
    const seen = new Set<string>();
    const files: Files = {
      ...nodeFiles,
      entries(path) {
        seen.add(path.slice(folder.length));
        return nodeFiles.entries(path);
      },
    };
    const store = openStore({ folder }, files);
    for (const key of [["a", "1"], ["a", "2"], ["b", "1"], ["c"]]) await store.put(key, text("x"));
    await store.list({ prefix: ["a"], limit: 1 });
    expect([...seen]).toEqual(["/a", "/a/1"]);
  });
});

describe("records whose time is over (STO-07)", () => {
  it("are taken off the disk by whoever meets them", async () => {
    const folder = await newFolder();
    const clock = manualClock();
    const store = openStore({ folder, clock });
    for (const name of ["a", "b"]) await store.put([name], text(name), { ttlMs: 10 });
    await clock.advance(10);
    expect(await store.get(["a"])).toBeUndefined();
    expect((await store.list({ prefix: [] })).items).toEqual([]);
    expect(await filesBelow(folder)).toEqual([]);
  });
});

describe("options (STO-07)", () => {
  it("that cannot be are a TypeError at once", () => {
    for (const options of [{ folder: "" }, { folder: 5 }, { folder: "a\0" }, { folder: "a", sync: "never" }])
      expect(() => fileBackend(options as never)).toThrow(TypeError);
  });
});
