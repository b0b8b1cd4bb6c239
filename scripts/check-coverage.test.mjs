import assert from "node:assert/strict";
import { test } from "node:test";
import { checkRows, readRows } from "./check-coverage.mjs";

const table = (...rows) =>
  readRows(["# Coverage", "", "| ID | state | test file |", "| --- | --- | --- |", ...rows].join("\n"));
const problemsOf = (...rows) => checkRows(table(...rows), (file) => file === "there.test.ts");

test("an empty table is valid", () => {
  assert.deepEqual(problemsOf(), []);
});

test("rows in each state are valid when their files exist", () => {
  const problems = problemsOf(
    "| A-01 | done | `there.test.ts` |",
    "| A-02 | partial (no files yet) | there.test.ts, `there.test.ts` |",
    "| A-03 | not yet | - |",
  );
  assert.deepEqual(problems, []);
});

test("a file that does not exist is named", () => {
  assert.deepEqual(problemsOf("| A-01 | done | there.test.ts, gone.test.ts |"), ["A-01: gone.test.ts does not exist"]);
});

test("an unknown state is a problem", () => {
  assert.match(problemsOf("| A-01 | almost | there.test.ts |")[0], /state "almost"/);
  assert.match(problemsOf("| A-01 | partial | there.test.ts |")[0], /state "partial"/);
});

test("an ID that appears twice is a problem", () => {
  assert.deepEqual(problemsOf("| A-01 | not yet | |", "| A-01 | not yet | |"), ["A-01: appears twice"]);
});

test("done without a test file is a problem", () => {
  assert.deepEqual(problemsOf("| A-01 | done | |"), ["A-01: done, and no test file proves it"]);
});
