import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { loadedAtOnce, measureInstalled, overBudget } from "./check-size.mjs";

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tinyagents-size-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("packages are counted with scopes and nesting, and what npm notes for itself is not", () => {
  write("node_modules/ajv/package.json", "{}");
  write("node_modules/@a/b/dist/index.js", "1234");
  write("node_modules/@a/c/node_modules/ajv/index.js", "12");
  write("node_modules/.bin/tool", "");
  write("node_modules/.package-lock.json", "a long text");
  assert.deepEqual(measureInstalled(join(folder, "node_modules")), {
    packages: ["@a/b", "@a/c", "ajv", "ajv"],
    bytes: 8,
  });
});

test("what is above its budget is a problem, and what is just within it is none", () => {
  const budget = { packages: 2, bundle: 100 };
  assert.deepEqual(overBudget({ packages: 2, bundle: 100 }, budget), []);
  assert.deepEqual(overBudget({ packages: 3, bundle: 100 }, budget), ["packages: 3 is more than the budget of 2"]);
});

test("what is only loaded when it is needed is no part of a worker's start", () => {
  const outputs = {
    "out/worker.js": {
      entryPoint: "worker.js",
      imports: [
        { path: "out/shared.js", kind: "import-statement" },
        { path: "out/validator.js", kind: "dynamic-import" },
      ],
    },
    "out/shared.js": { imports: [{ path: "out/worker.js", kind: "import-statement" }] },
    "out/validator.js": { imports: [{ path: "out/shared.js", kind: "import-statement" }] },
  };
  assert.deepEqual([...loadedAtOnce(outputs)], ["out/worker.js", "out/shared.js"]);
});

function write(path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
