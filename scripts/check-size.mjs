// Installs core and harness as an application does, and bundles a minimal agent for an edge worker. Prints how much both
// are, and fails above a budget. Needs the builds and npm's registry.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { isMain, report } from "./lib/report.mjs";
import { capture, tool } from "./lib/run.mjs";
import { readPackages } from "./lib/workspace.mjs";

const INSTALLED = ["@tinyagents/core", "@tinyagents/harness"];

/** What may not be exceeded, sizes in bytes. `bundle` is minified, without what is loaded only when it is needed. */
export const BUDGET = { packages: 9, installed: 3_000_000, bundle: 171 * 1_024 };

/** An agent with a tool behind a worker's `fetch`; which model it asks is not part of it. */
const MINIMAL_AGENT = `
import { tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = tool({ name: "get_weather", description: "Weather.", input, execute: ({ city }) => city });
export default {
  async fetch(request, { model }) {
    const run = await createAgent({ name: "assistant", model, tools: [weather] }).invoke(await request.text());
    return new Response(run.text);
  },
};
`;

/** The packages below a `node_modules`, however deep, and the bytes of all their files. */
export function measureInstalled(nodeModules) {
  const packages = packagesIn(nodeModules);
  return { packages: packages.map(({ name }) => name).sort(), bytes: bytesOf(nodeModules) };
}

function packagesIn(nodeModules) {
  if (!existsSync(nodeModules)) return [];
  return readdirSync(nodeModules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(nodeModules, name)).map((inner) => `${name}/${inner}`) : [name],
    )
    .flatMap((name) => [{ name }, ...packagesIn(join(nodeModules, name, "node_modules"))]);
}

function bytesOf(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path)
    .filter((name) => name !== ".package-lock.json")
    .reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** What is above its budget, one sentence each. */
export function overBudget(found, budget = BUDGET) {
  return Object.entries(budget)
    .filter(([name, most]) => found[name] > most)
    .map(([name, most]) => `${name}: ${found[name]} is more than the budget of ${most}`);
}

async function install(into) {
  const packages = readPackages().filter(({ name }) => INSTALLED.includes(name));
  const tarballs = [];
  for (const { at } of packages) tarballs.push(await pack(at, into));
  writeFileSync(join(into, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", ...tarballs];
  const { code, output } = await capture("npm", args, { cwd: into });
  if (code !== 0) throw new Error(`npm install failed:\n${output}`);
}

async function pack(at, into) {
  const { code, output } = await capture(tool("pnpm"), ["pack", "--json", "--pack-destination", into], { cwd: at });
  if (code !== 0) throw new Error(`pnpm pack failed:\n${output}`);
  return JSON.parse(output.slice(output.indexOf("{"))).filename;
}

/** The worker's own code, and what it loads when it first needs it. Both as one text each. */
async function bundleForEdge(from) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: MINIMAL_AGENT, resolveDir: from, sourcefile: "worker.js" },
    absWorkingDir: from,
    outdir: "out",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const atOnce = loadedAtOnce(metafile.outputs);
  const textOf = (wanted) =>
    outputFiles.filter(({ path }) => wanted(path.slice(from.length + 1))).map(({ contents }) => contents);
  return { eager: sizes(textOf((path) => atOnce.has(path))), lazy: sizes(textOf((path) => !atOnce.has(path))) };
}

/** The entry, and whatever it imports without waiting until it is needed. */
export function loadedAtOnce(outputs) {
  const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === "worker.js");
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind !== "dynamic-import") visit(next);
  };
  visit(entry);
  return found;
}

function sizes(contents) {
  const all = Buffer.concat(contents);
  return { bytes: all.length, gzipped: gzipSync(all).length };
}

const kilobytes = (bytes) => `${(bytes / 1_024).toFixed(1)} KB`;

if (isMain(import.meta)) {
  const folder = mkdtempSync(join(tmpdir(), "tinyagents-size-"));
  try {
    await install(folder);
    const installed = measureInstalled(join(folder, "node_modules"));
    const { eager, lazy } = await bundleForEdge(folder);
    console.log(`core + harness installed: ${(installed.bytes / 1e6).toFixed(2)} MB`);
    console.log(`  ${installed.packages.length} packages: ${installed.packages.join(", ")}`);
    console.log(
      `a minimal agent for an edge worker: ${kilobytes(eager.bytes)} minified, ${kilobytes(eager.gzipped)} gzip`,
    );
    console.log(`  loaded for a JSON Schema: ${kilobytes(lazy.bytes)} minified, ${kilobytes(lazy.gzipped)} gzip`);
    const found = { packages: installed.packages.length, installed: installed.bytes, bundle: eager.bytes };
    report(overBudget(found), "sizes: within budget");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
