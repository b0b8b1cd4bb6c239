import assert from "node:assert/strict";
import { test } from "node:test";
import { chaosBackends, lineOf, readArgs, reportIn } from "./chaos.mjs";

const KNOWN = [
  { backend: "jsonl", file: "a.ts" },
  { backend: "sqlite", file: "b.ts" },
];
const REPORT = {
  kills: 200,
  killedOpening: 50,
  acknowledged: 4_000,
  unacknowledged: { kept: 7, gone: 443 },
  seed: 1,
};

test("every store whose subject other processes can open is known", () => {
  const names = chaosBackends().map(({ backend }) => backend);
  assert.deepEqual(names, ["file", "jsonl", "mongodb", "postgres", "sqlite"]);
});

test("every store that has logs is killed while it writes checkpoints, too", () => {
  const known = chaosBackends().map(({ backend, exportName }) => [backend, exportName]);
  const own = ["jsonl", "mongodb", "postgres", "sqlite"].map((name) => [name, name]);
  assert.deepEqual(known, [["file", "subject"], ...own]);
});

test("each is killed 200 times where nothing else is said", () => {
  assert.deepEqual(readArgs([], KNOWN), { kills: 200, seed: 1, places: 2, backends: KNOWN });
});

test("backends and numbers are taken, and what is not known is refused", () => {
  const { places: _, ...taken } = readArgs(["sqlite", "--kills", "3000", "--seed", "7"], KNOWN);
  assert.deepEqual(taken, { kills: 3_000, seed: 7, backends: [KNOWN[1]] });
  assert.equal(readArgs(["--kills-per-place", "9"], KNOWN)["kills-per-place"], 9);
  assert.throws(() => readArgs(["oracle"], KNOWN), /unknown backend: oracle; there are: jsonl, sqlite/);
  assert.throws(() => readArgs(["--kill", "3"], KNOWN), /unknown argument: --kill/);
  assert.throws(() => readArgs(["--kills", "0"], KNOWN), /a whole number above 0 is expected after --kills/);
});

test("what was killed is told, and what was wrong", () => {
  assert.equal(
    lineOf("sqlite", REPORT, 41.23),
    "ok    sqlite: 200 kills, 50 of them while opening; 4000 writes acknowledged; under way: 7 found done, 443 not; 41.2 s; seed 1",
  );
  assert.match(lineOf("sqlite", { ...REPORT, failure: "after 3 kills: lost" }, 1), /^FAIL {2}sqlite.*\n.*: lost$/);
});

test("the report is found among what else was printed, and none where there is none", () => {
  assert.deepEqual(reportIn(`a warning\n${JSON.stringify(REPORT, null, 2)}\n`), REPORT);
  assert.equal(reportIn("Error: no server\n    at {\n"), undefined);
  assert.equal(reportIn(""), undefined);
});
