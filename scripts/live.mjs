// Asks the real servers: runs each provider's `*.live.test.ts` with the keys that the environment has, and prints a line
// for each. Usage: node scripts/live.mjs [PROVIDER...]    Costs money. Fails only when a test failed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMain } from "./lib/report.mjs";
import { capture, tool } from "./lib/run.mjs";
import { listFiles, readPackages, root } from "./lib/workspace.mjs";

const LONGEST_MS = 30 * 60_000;
const LONGEST_REASON = 300;

/** The packages with live tests, by the name of their provider; those of `wanted` alone, where some are named. */
export function livePackages(wanted = [], packages = readPackages()) {
  const live = packages
    .filter(({ at }) => listFiles(join(at, "test")).some((file) => file.endsWith(".live.test.ts")))
    .map(({ dir, at }) => ({ provider: dir.replace(/^packages\/(provider-)?/, ""), at }));
  const unknown = wanted.filter((name) => !live.some(({ provider }) => provider === name));
  if (unknown.length > 0) {
    const known = live.map(({ provider }) => provider).join(", ");
    throw new Error(`no live tests of ${unknown.join(", ")}; there are: ${known}`);
  }
  return wanted.length === 0 ? live : live.filter(({ provider }) => wanted.includes(provider));
}

/**
 * What came of one provider's tests.
 * @param report vitest's JSON report; nothing when there is none, and then `output` tells why.
 * @returns {{ provider: string, status: "passed" | "failed" | "skipped", passed: number, failed: number,
 *   skipped: number, latencyMs: number | undefined, reasons: string[] }} `latencyMs`: the median of tests that passed.
 */
export function rowOf(provider, report, output = "") {
  if (report === undefined) return failedToRun(provider, output);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (status) => tests.filter((test) => test.status === status);
  const passed = of("passed");
  const failed = of("failed");
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const skipped = tests.filter((test) => !["passed", "failed"].includes(test.status));
  const failures = [
    ...broken.map(({ message }) => firstLine(message ?? "a test file could not be loaded")),
    ...failed.map(({ title, failureMessages }) => `${title}: ${firstLine(failureMessages[0] ?? "")}`),
  ];
  const counts = { passed: passed.length, failed: failed.length + broken.length, skipped: skipped.length };
  const status = counts.failed > 0 ? "failed" : counts.passed > 0 ? "passed" : "skipped";
  const reasons = status === "skipped" ? reasonsToSkip(skipped) : failures;
  return { provider, status, ...counts, latencyMs: median(passed.map(({ duration }) => duration ?? 0)), reasons };
}

function failedToRun(provider, output) {
  const reasons = [
    firstLine(
      output
        .trim()
        .split("\n")
        .findLast((line) => line.trim() !== "") ?? "vitest said nothing",
    ),
  ];
  return { provider, status: "failed", passed: 0, failed: 1, skipped: 0, latencyMs: undefined, reasons };
}

/** A live suite says in its title why it is skipped. */
function reasonsToSkip(tests) {
  const reasons = tests.map(({ ancestorTitles = [] }) => {
    const said = ancestorTitles.map((title) => /\(skipped: (.+)\)$/.exec(title)?.[1]);
    return said.find((reason) => reason !== undefined) ?? "no test says why";
  });
  return reasons.length === 0 ? ["there is no test"] : [...new Set(reasons)];
}

function firstLine(text) {
  const [line = ""] = text.split("\n");
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}...` : line;
}

function median(numbers) {
  return numbers.length === 0
    ? undefined
    : Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]);
}

/** The rows as a table: provider, what came of it, latency of a test, reason. Further reasons stand below. */
export function formatMatrix(rows) {
  const cells = rows.flatMap((row) => {
    const [first = "", ...more] = row.reasons;
    const latency = row.latencyMs === undefined ? "-" : `${row.latencyMs} ms`;
    return [[row.provider, resultOf(row), latency, first], ...more.map((reason) => ["", "", "", reason])];
  });
  const table = [["provider", "result", "latency", "reason"], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((line) => line[column].length)));
  return table
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function resultOf({ status, passed, failed, skipped }) {
  if (status === "skipped") return "skipped";
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return parts.join(", ");
}

async function runLive({ provider, at }) {
  const folder = mkdtempSync(join(tmpdir(), "tinyagents-live-"));
  const file = join(folder, "report.json");
  try {
    const config = ["--config", join(root, "vitest.live.config.ts"), "--root", at];
    const report = ["--reporter=json", `--outputFile=${file}`];
    const { output } = await capture(tool("vitest"), ["run", ...config, ...report], { cwd: at, timeoutMs: LONGEST_MS });
    return rowOf(provider, existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asks one provider after the other, prints the table, and gives the exit code. */
async function main(wanted) {
  let packages;
  try {
    packages = livePackages(wanted);
  } catch (error) {
    console.error(error.message);
    return 2;
  }
  const rows = [];
  for (const one of packages) rows.push(await runLive(one));
  console.log(formatMatrix(rows));
  return exitCodeOf(rows);
}

/** 0 when nothing failed: what is skipped does not count. */
export function exitCodeOf(rows) {
  return rows.some(({ status }) => status === "failed") ? 1 : 0;
}

if (isMain(import.meta)) process.exitCode = await main(process.argv.slice(2));
