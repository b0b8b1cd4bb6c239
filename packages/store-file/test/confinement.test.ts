import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Files, nodeFiles } from "../src/files.js";
import { fileOf, filesBelow, newFolder, openStore, text } from "./support/folder.js";

describe("nothing outside the folder is reached (SE-01, STO-07)", () => {
  it("by any name: a sibling whose name starts alike, another drive, a path upwards", async () => {
    const above = await newFolder();
    await mkdir(join(above, "b2"));
    await writeFile(join(above, "b2", "x"), "secret");
    const store = openStore({ folder: join(above, "b") });
    for (const name of ["../b2/x", "..", "/etc/passwd", "..\\b2\\x", "%2e%2e/b2/x", "C:\\x", "b2\0"]) {
      for (const key of [[name], ["..", "b2", name], [name, "x"]]) {
        expect(await store.get(key)).toBeUndefined();
        await store.put(key, text("mine"));
        expect((await store.get(key))?.value).toEqual(text("mine"));
        expect(await store.delete(key)).toBe(true);
      }
    }
    expect(await readdir(above)).toEqual(["b", "b2"]);
    expect(await filesBelow(join(above, "b2"))).toEqual(["x"]);
  });

  it("through a link in the place of any folder on the way, or of the file", async () => {
    const above = await newFolder();
    const folder = join(above, "store");
    const store = openStore({ folder });
    await store.put(["a", "b", "c"], text("kept"));
    const file = await fileOf(folder, "a/b/c");
    const outside = join(above, "outside");
    for (let path = file; path !== folder; path = dirname(path)) {
      await rm(outside, { recursive: true, force: true });
      await cp(path, outside, { recursive: true });
      const before = await filesBelow(above);
      await rename(path, `${path}.real`);
      await symlink(outside, path);
      const name = { code: "corrupt_data", details: { place: expect.stringMatching(/^a/) } };
      await expect(store.get(["a", "b", "c"]), path).rejects.toMatchObject(name);
      await expect(store.getBlob(["a", "b", "c"])).rejects.toMatchObject(name);
      await expect(store.list({ prefix: [] })).rejects.toMatchObject(name);
      if (path !== file) {
        await expect(store.put(["a", "b", "c"], text("new"))).rejects.toMatchObject(name);
        await expect(store.delete(["a", "b", "c"])).rejects.toMatchObject(name);
      }
      await rm(path);
      await rename(`${path}.real`, path);
      expect((await filesBelow(above)).filter((one) => !one.includes("@work"))).toEqual(before);
    }
    expect((await store.get(["a", "b", "c"]))?.value).toEqual(text("kept"));
  });

  it("through a link that is put there between the look and the reading", async () => {
    const above = await newFolder();
    const [folder, outside] = [join(above, "store"), join(above, "outside")];
    const writer = openStore({ folder });
    await writer.put(["a"], text("inside"));
    const file = await fileOf(folder, "a");
    await cp(join(folder, "a"), outside, { recursive: true });
    const swapping: Files = {
      ...nodeFiles,
      async open(path, mode) {
        if (path !== file) return nodeFiles.open(path, mode);
        await rename(join(folder, "a"), join(folder, "hidden"));
        await symlink(outside, join(folder, "a"));
        const opened = await nodeFiles.open(path, mode);
        await rm(join(folder, "a"));
        await rename(join(folder, "hidden"), join(folder, "a"));
        return opened;
      },
    };
    await expect(openStore({ folder }, swapping).get(["a"])).rejects.toMatchObject({ code: "corrupt_data" });
  });

  it("while the folder itself may be a link, and other files in it are nobody's keys", async () => {
    const above = await newFolder();
    await mkdir(join(above, "real"));
    await symlink(join(above, "real"), join(above, "link"));
    const store = openStore({ folder: join(above, "link") });
    await store.put(["a"], text("x"));
    await writeFile(join(above, "real", ".DS_Store"), "x");
    await writeFile(join(above, "real", "notes.txt"), "x");
    expect((await store.list({ prefix: [] })).items.map(({ key }) => key)).toEqual([["a"]]);
    expect(await readFile(await fileOf(join(above, "real"), "a"), "utf8")).toMatch(/\nx$/);
  });
});
