import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { sweepFolders, temporaryFolder } from "./temporary-folder.js";

const root = temporaryFolder("test");
afterEach(() => root.remove());

/** The name of a folder as if a process had made it. */
function folderOf(pid: number): string {
  return basename(root.path).replace(`-${process.pid}-`, `-${pid}-`);
}

it("takes the folders of processes away that are gone, with all that is in them, and no others", () => {
  const gone = spawnSync(process.execPath, ["-e", ""]).pid;
  const elsewhere = folderOf(gone).replace(/of-[0-9a-f]{8}/, "of-00000000");
  const kept = [folderOf(process.pid), folderOf(process.ppid), elsewhere, `tinyagents-other-${gone}-x`];
  for (const name of [...kept, folderOf(gone)]) {
    mkdirSync(join(root.path, name));
    writeFileSync(join(root.path, name, "file"), "");
  }
  symlinkSync(join(root.path, folderOf(process.pid)), join(root.path, `${folderOf(gone)}-link`));
  sweepFolders(root.path);
  expect(readdirSync(root.path).sort()).toEqual([...kept, `${folderOf(gone)}-link`].sort());
  expect(existsSync(join(root.path, folderOf(process.pid), "file"))).toBe(true);
});

it("makes a new folder each time, which goes when it is told to", async () => {
  const [one, other] = [temporaryFolder("test"), temporaryFolder("test")];
  expect(one.path).not.toBe(other.path);
  expect([readdirSync(one.path), readdirSync(other.path)]).toEqual([[], []]);
  await one.remove();
  expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
  await other.remove();
});
