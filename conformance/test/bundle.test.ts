import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { bundle, findEsbuild } from "../src/process/bundle.js";

it("files of a bundle know their own addresses, and keep what they say of them (CNF-04)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tinyagents-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [one, other, outfile] = ["one.ts", "other.ts", "bundle.mjs"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(one, 'export const at: string = import.meta.url; export const said = "import.meta.url";');
  writeFileSync(
    other,
    'import { at, said } from "./one.ts"; console.log(JSON.stringify([at, said, import.meta.url]));',
  );
  const esbuild = findEsbuild(import.meta.filename);
  if (esbuild === undefined) throw new Error("esbuild is expected here");
  await bundle(esbuild, { contents: 'import "./other.ts";', resolveDir: folder, outfile, conditions: [] });
  expect(JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8" }))).toEqual([
    pathToFileURL(one).href,
    "import.meta.url",
    pathToFileURL(other).href,
  ]);
});
