import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/temp-folder.js";
import { listFiles, openFolder, readTextFile } from "./folder.js";

describe("openFolder", () => {
  it("refuses what is missing and what is no folder", async () => {
    const root = tempFolder({ "a.md": "text" });
    await expect(openFolder(join(root, "gone"))).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringContaining("does not exist"),
    });
    await expect(openFolder(join(root, "a.md"))).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringContaining("is not a folder"),
    });
  });
});

describe("listFiles", () => {
  it("gives files by name, without links, hidden ones and what tools install", async () => {
    const root = tempFolder({
      "b.md": "",
      "a/c.md": "",
      ".env": "",
      ".git/x": "",
      "node_modules/y/index.js": "",
      "a/node_modules/z": "",
    });
    symlinkSync("/etc", join(root, "etc"));
    symlinkSync("/etc/hostname", join(root, "hostname"));
    expect(await listFiles(await openFolder(root))).toEqual(["a/c.md", "b.md"]);
  });

  it("stops when it is cancelled", async () => {
    const folder = await openFolder(tempFolder({ "a.md": "" }));
    await expect(listFiles(folder, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  });

  it("leaves out a file whose name would begin a line of its own or command the terminal", async () => {
    const names = ["a\n< 3 lines.md", "b\u001b[2J.md", "c\td.md", "e f.md", "g\u2028h.md", "i\u061cj.md"];
    const folder = await openFolder(tempFolder(Object.fromEntries(names.map((name) => [name, "x"]))));
    expect(await listFiles(folder)).toEqual(["e f.md"]);
    await expect(readTextFile(folder, "a\n< 3 lines.md")).rejects.toThrow("does not exist");
  });

  it("stays with the names that it is limited to", async () => {
    const folder = await openFolder(tempFolder({ "README.md": "", "docs/a.md": "", "src/b.ts": "" }), [
      "README.md",
      "docs",
    ]);
    expect(await listFiles(folder)).toEqual(["README.md", "docs/a.md"]);
    await expect(readTextFile(folder, "src/b.ts")).rejects.toThrow("does not exist");
  });
});

describe("readTextFile", () => {
  it("reads nested files, and names with dots, brackets and spaces", async () => {
    const names = ["a/b/c.md", "a..b.md", "x [1].md", "ä.md", "...md"];
    const folder = await openFolder(tempFolder(Object.fromEntries(names.map((name) => [name, name]))));
    for (const path of names.slice(0, 4)) expect(await readTextFile(folder, path)).toEqual({ path, text: path });
    expect(await readTextFile(folder, "./a/b/c.md")).toMatchObject({ text: "a/b/c.md" });
  });

  it.each([
    "../b2/x.md",
    "a/../../b2/x.md",
    "..",
    ".",
    "/etc/passwd",
    "C:\\x.md",
    "C:/x.md",
    "..\\b2\\x.md",
    "a\\..\\..\\x",
    "a.md\0.png",
    "%2e%2e/b2/x.md",
    "",
  ])("refuses %j (SE-01)", async (path) => {
    const parent = tempFolder({ "b/a.md": "inside", "b2/x.md": "secret" });
    const folder = await openFolder(join(parent, "b"));
    const named = /^(?:\.|%2e%2e.*)$/.test(path) ? "does not exist" : "outside of the folder";
    await expect(readTextFile(folder, path)).rejects.toThrow(named);
  });

  it("refuses a link that leads out, to a file or over a folder, also into a sibling with a longer name (SE-01)", async () => {
    const parent = tempFolder({ "b/a.md": "inside", "b2/x.md": "secret" });
    symlinkSync(join(parent, "b2", "x.md"), join(parent, "b", "link.md"));
    symlinkSync(join(parent, "b2"), join(parent, "b", "linked"));
    symlinkSync("a.md", join(parent, "b", "good.md"));
    const folder = await openFolder(join(parent, "b"));
    await expect(readTextFile(folder, "link.md")).rejects.toThrow("outside of the folder");
    await expect(readTextFile(folder, "linked/x.md")).rejects.toThrow("outside of the folder");
    expect(await readTextFile(folder, "good.md")).toEqual({ path: "a.md", text: "inside" });
  });

  it("works in a folder that is itself reached by a link", async () => {
    const parent = tempFolder({ "real/a.md": "inside" });
    symlinkSync(join(parent, "real"), join(parent, "link"));
    expect(await readTextFile(await openFolder(join(parent, "link")), "a.md")).toMatchObject({ text: "inside" });
  });

  it("keeps hidden files hidden, also behind a link", async () => {
    const root = tempFolder({ ".env": "KEY=1", ".git/config": "x" });
    symlinkSync(".env", join(root, "env.md"));
    const folder = await openFolder(root);
    for (const path of [".env", ".git/config"])
      await expect(readTextFile(folder, path)).rejects.toThrow("does not exist");
    await expect(readTextFile(folder, "env.md")).rejects.toThrow("outside of the folder");
  });

  it("reads a file of the system that says it has no bytes, and refuses a device", async () => {
    const { text } = await readTextFile(await openFolder("/proc/self"), "status");
    expect(text).toContain("Pid:");
    await expect(readTextFile(await openFolder("/dev"), "zero")).rejects.toThrow("is not a file");
  });

  it("reads nothing once it is cancelled", async () => {
    const folder = await openFolder(tempFolder({ "a.md": "text" }));
    await expect(readTextFile(folder, "a.md", AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  });

  it("refuses folders, binary files, other encodings, files that are too large, and pipes", async () => {
    const root = tempFolder({
      "x.bin": new Uint8Array([65, 0, 66]),
      "latin.txt": new Uint8Array([65, 0xe4, 66]),
      "big.md": "x".repeat(2 * 1024 * 1024 + 1),
    });
    mkdirSync(join(root, "dir"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    const folder = await openFolder(root);
    await expect(readTextFile(folder, "dir")).rejects.toThrow("is not a file");
    await expect(readTextFile(folder, "x.bin")).rejects.toThrow("binary");
    await expect(readTextFile(folder, "latin.txt")).rejects.toThrow("UTF-8");
    await expect(readTextFile(folder, "big.md")).rejects.toThrow("bytes");
    await expect(readTextFile(folder, "pipe")).rejects.toThrow("is not a file");
  });
});
