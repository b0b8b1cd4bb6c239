// Packs every public package as it would be published and looks at the result: its manifest, publint, and attw.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { isMain, report } from "./lib/report.mjs";
import { capture, tool } from "./lib/run.mjs";
import { readPackages } from "./lib/workspace.mjs";

const EXPECTED_FILES = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "dist/index.js", "dist/index.d.ts"];

async function pack(one, into) {
  const { code, output } = await capture(tool("pnpm"), ["pack", "--json", "--pack-destination", into], { cwd: one.at });
  if (code !== 0) throw new Error(`pnpm pack failed:\n${output}`);
  const { filename, files } = JSON.parse(output.slice(output.indexOf("{")));
  const { output: manifest } = await capture("tar", ["-xzOf", filename, "package/package.json"]);
  return { filename, files: files.map((file) => file.path), text: manifest, manifest: JSON.parse(manifest) };
}

function checkContents({ files, text }) {
  const missing = EXPECTED_FILES.filter((file) => !files.includes(file)).map((file) => `lacks ${file}`);
  const sources = files
    .filter((file) => file.startsWith("src/") || file.includes(".test."))
    .map((file) => `ships ${file}`);
  const leftovers = ["@tinyagents/source", "./src/"].filter((word) => dependable(text).includes(word));
  return [...missing, ...sources, ...leftovers.map((word) => `its manifest still has ${word}`)];
}

/** The part of a manifest that consumers read: development fields aside. */
function dependable(text) {
  const { devDependencies: _dev, publishConfig: _publish, scripts: _scripts, ...rest } = JSON.parse(text);
  return JSON.stringify(rest);
}

async function checkWithPublint({ filename, manifest }) {
  const tarball = readFileSync(filename);
  const { messages } = await publint({
    pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length) },
    strict: true,
  });
  return messages.map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`);
}

async function checkWithAttw({ filename }) {
  const { code, output } = await capture(tool("attw"), [
    filename,
    "--profile",
    "esm-only",
    "--format",
    "ascii",
    "--no-color",
  ]);
  return code === 0 ? [] : [`attw:\n${output.trim()}`];
}

if (isMain(import.meta)) {
  const into = mkdtempSync(join(tmpdir(), "tinyagents-pack-"));
  const packages = readPackages().filter((one) => one.isPublic);
  const problems = [];
  for (const one of packages) {
    const packed = await pack(one, into);
    const found = [...checkContents(packed), ...(await checkWithPublint(packed)), ...(await checkWithAttw(packed))];
    problems.push(...found.map((problem) => `${one.name}: ${problem}`));
  }
  rmSync(into, { recursive: true, force: true });
  report(problems, `packed packages: ${packages.length} looked at with publint and attw`);
}
