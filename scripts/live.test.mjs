import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exitCodeOf, formatMatrix, livePackages, rowOf } from "./live.mjs";

function reportOf(...assertionResults) {
  return { testResults: [{ status: "passed", assertionResults }] };
}

const passed = (title, duration) => ({ title, status: "passed", duration, ancestorTitles: [] });

test("a provider whose tests passed has the median of their times", () => {
  const row = rowOf("openai", reportOf(passed("a", 900), passed("b", 100), passed("c", 300.4)));
  assert.deepEqual([row.status, row.passed, row.latencyMs, row.reasons], ["passed", 3, 300, []]);
});

test("a provider without a key is skipped, with the reason that its tests give", () => {
  const title = "Acme's own server (skipped: ACME_API_KEY is not set (or empty))";
  const skipped = { title: "answers", status: "skipped", ancestorTitles: [title] };
  const row = rowOf("acme", reportOf(skipped, skipped));
  assert.deepEqual(
    [row.status, row.latencyMs, row.reasons],
    ["skipped", undefined, ["ACME_API_KEY is not set (or empty)"]],
  );
  assert.equal(exitCodeOf([row]), 0);
});

test("a provider with one test that failed has failed, and the line says which", () => {
  const failed = { title: "calls a tool", status: "failed", failureMessages: ["Error: no call\n    at x.ts"] };
  const row = rowOf("openai", reportOf(passed("a", 5), failed));
  assert.deepEqual([row.status, row.passed, row.failed], ["failed", 1, 1]);
  assert.deepEqual(row.reasons, ["calls a tool: Error: no call"]);
  assert.equal(exitCodeOf([row]), 1);
});

test("a test file that cannot be loaded has failed", () => {
  const row = rowOf("openai", {
    testResults: [{ status: "failed", assertionResults: [], message: "Cannot find x\nat y" }],
  });
  assert.deepEqual([row.status, row.failed, row.reasons], ["failed", 1, ["Cannot find x"]]);
});

test("a run without a report has failed with what was said last", () => {
  const row = rowOf("openai", undefined, "starting\nout of memory\n\n");
  assert.deepEqual([row.status, row.reasons], ["failed", ["out of memory"]]);
  assert.equal(exitCodeOf([row]), 1);
});

test("the matrix has a line for each provider, and one for each further reason", () => {
  const failed = (title) => ({ title, status: "failed", failureMessages: ["Error: no"] });
  const skipped = { title: "x", status: "skipped", ancestorTitles: ["s (skipped: no server)"] };
  const rows = [
    rowOf("anthropic", reportOf(passed("a", 812))),
    rowOf("ollama", reportOf(skipped)),
    rowOf("openai", reportOf(passed("a", 5), failed("one"), failed("two"))),
  ];
  assert.deepEqual(formatMatrix(rows).split("\n"), [
    "provider   result              latency  reason",
    "anthropic  1 passed            812 ms",
    "ollama     skipped             -        no server",
    "openai     1 passed, 2 failed  5 ms     one: Error: no",
    "                                        two: Error: no",
  ]);
});

test("packages with live tests are found, and an unknown name is refused with those that there are", () => {
  const folder = mkdtempSync(join(tmpdir(), "tinyagents-live-test-"));
  try {
    for (const name of ["provider-a", "provider-b"]) mkdirSync(join(folder, name, "test"), { recursive: true });
    writeFileSync(join(folder, "provider-a", "test", "a.live.test.ts"), "");
    writeFileSync(join(folder, "provider-b", "test", "b.test.ts"), "");
    const packages = ["provider-a", "provider-b"].map((name) => ({ dir: `packages/${name}`, at: join(folder, name) }));
    assert.deepEqual(
      livePackages([], packages).map(({ provider }) => provider),
      ["a"],
    );
    assert.throws(() => livePackages(["b"], packages), /no live tests of b; there are: a/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
