import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { checkArchitecture } from "./check-architecture.mjs";

let workspace;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "tinyagents-architecture-"));
  addPackage("packages/core", { name: "@tinyagents/core" });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test("a workspace that keeps the rules has no problems", () => {
  addPackage("conformance", { name: "@tinyagents/conformance" });
  addPackage("packages/testkit", {
    name: "@tinyagents/testkit",
    ours: ["conformance"],
    exports: { ".": {}, "./wire": {} },
  });
  addPackage("packages/store-a", { name: "@tinyagents/store-a", ours: ["conformance", "testkit"] });
  write("packages/store-a/src/index.ts", 'import { id } from "@tinyagents/core";\nexport const a = id;\n');
  write(
    "packages/store-a/src/index.test.ts",
    'import { serve } from "@tinyagents/testkit/wire";\nserve(process.pid);\n',
  );
  write(
    "packages/testkit/src/wire/index.ts",
    'import { createServer } from "node:http";\nexport const serve = createServer;\n',
  );
  assert.deepEqual(checkArchitecture(workspace), []);
});

for (const field of ["dependencies", "peerDependencies", "optionalDependencies"]) {
  test(`one of our packages in ${field} is a problem unless it is core`, () => {
    addPackage("packages/graph", { name: "@tinyagents/graph", [field]: { "@tinyagents/harness": "workspace:*" } });
    expectProblem(new RegExp(`@tinyagents/graph: ${field} has @tinyagents/harness`));
  });
}

test("a runtime dependency of core is a problem", () => {
  addPackage("packages/core", { name: "@tinyagents/core", dependencies: { zod: "^4" } });
  expectProblem(/core: has a runtime dependency, zod/);
});

test("a package without core as a peer is a problem", () => {
  addPackage("packages/graph", { name: "@tinyagents/graph" });
  write("packages/graph/package.json", JSON.stringify({ name: "@tinyagents/graph" }));
  expectProblem(/graph: @tinyagents\/core is not a peer dependency/);
});

test("importing one of our packages other than core is a problem, also for its types", () => {
  addPackage("packages/harness", { name: "@tinyagents/harness" });
  addPackage("packages/graph", { name: "@tinyagents/graph" });
  write("packages/graph/src/index.ts", 'import type { Agent } from "@tinyagents/harness";\nexport type A = Agent;\n');
  expectProblem(/graph\/src\/index.ts: imports @tinyagents\/harness/);
});

test("importing a package that is only a dev dependency is a problem", () => {
  write("packages/core/src/index.ts", 'export { z } from "zod";\n');
  expectProblem(/core\/src\/index.ts: imports zod, which is not a dependency/);
});

for (const specifier of ["@tinyagents/core/src/ids.js", "@tinyagents/core/dist/index.js", "@tinyagents/unknown"]) {
  test(`a deep import is a problem, also in a test: ${specifier}`, () => {
    addPackage("packages/graph", { name: "@tinyagents/graph" });
    write("packages/graph/test/graph.test.ts", `await import("${specifier}");\n`);
    expectProblem(/graph\.test\.ts: deep import of/);
  });
}

test("a relative import that leaves the package is a problem", () => {
  addPackage("packages/graph", { name: "@tinyagents/graph" });
  write("packages/graph/src/index.ts", 'export * from "../../core/src/index.js";\n');
  expectProblem(/graph\/src\/index.ts: .* leaves the package/);
});

test("files that import each other are a problem", () => {
  write("packages/core/src/a.ts", 'import { b } from "./b.js";\nexport const a = () => b;\n');
  write("packages/core/src/b.ts", 'import { c } from "./c.js";\nexport const b = () => c;\n');
  write("packages/core/src/c.ts", 'export * from "./a.js";\nexport const c = 1;\n');
  expectProblem(/files import each other: src\/a.ts -> src\/b.ts -> src\/c.ts -> src\/a.ts/);
});

test("files that share types with each other are no problem", () => {
  write("packages/core/src/a.ts", 'import type { B } from "./b.js";\nexport interface A { b: B }\n');
  write("packages/core/src/b.ts", 'import type { A } from "./a.js";\nexport interface B { a: A }\n');
  assert.deepEqual(checkArchitecture(workspace), []);
});

for (const specifier of ["node:fs", "fs/promises"]) {
  test(`portable code that imports ${specifier} is a problem`, () => {
    write("packages/core/src/index.ts", `import { readFile } from "${specifier}";\nexport const read = readFile;\n`);
    expectProblem(/portable code imports/);
  });
}

for (const use of [
  "process.env",
  "Buffer.from([])",
  "__dirname",
  "require.main",
  "globalThis.process",
  "{ process }",
]) {
  test(`portable code that uses a global of Node is a problem: ${use}`, () => {
    write("packages/core/src/index.ts", `export const value = ${use};\n`);
    expectProblem(/portable code uses/);
  });
}

test("a name of one's own that is also a global of Node is no problem", () => {
  write(
    "packages/core/src/index.ts",
    "export interface Batch { process(): void }\nexport function go(process: () => void, batch: Batch) { process(); batch.process(); }\n",
  );
  assert.deepEqual(checkArchitecture(workspace), []);
});

for (const folder of ["wire", "servers"]) {
  test(`testkit's portable part may not import ${folder}, which is for Node`, () => {
    addPackage("packages/testkit", { name: "@tinyagents/testkit" });
    write(`packages/testkit/src/${folder}/index.ts`, "export const serve = 1;\n");
    write("packages/testkit/src/index.ts", `export { serve } from "./${folder}/index.js";\n`);
    expectProblem(/testkit\/src\/index.ts: portable code imports .*, which is for Node/);
  });
}

for (const [name, dir, dev] of [
  ["core", "packages/core", "conformance"],
  ["conformance", "conformance", "store-a"],
  ["testkit", "packages/testkit", "store-a"],
  ["store-b", "packages/store-b", "store-a"],
]) {
  test(`a dev dependency of ${name} on ${dev} breaks the ranks`, () => {
    addPackage("conformance", { name: "@tinyagents/conformance" });
    addPackage("packages/store-a", { name: "@tinyagents/store-a" });
    addPackage(dir, { name: `@tinyagents/${name}`, ours: [dev] });
    expectProblem(new RegExp(`@tinyagents/${name}: dev dependency on @tinyagents/${dev}`));
  });
}

test("private packages may have any of our public packages as dev dependencies, but not each other", () => {
  addPackage("packages/store-a", { name: "@tinyagents/store-a" });
  addPackage("integration", { name: "@tinyagents/integration", private: true, ours: ["store-a"] });
  assert.deepEqual(checkArchitecture(workspace), []);
  addPackage("examples", { name: "@tinyagents/examples", private: true, ours: ["integration"] });
  expectProblem(/examples: dev dependency on @tinyagents\/integration/);
});

function addPackage(dir, { ours = [], exports = { ".": {} }, ...manifest }) {
  const isCore = manifest.name === "@tinyagents/core";
  const peerDependencies = { ...(isCore ? {} : { "@tinyagents/core": ">=0.1.0 <1" }), ...manifest.peerDependencies };
  const devDependencies = Object.fromEntries(ours.map((name) => [`@tinyagents/${name}`, "workspace:*"]));
  write(`${dir}/package.json`, JSON.stringify({ exports, devDependencies, ...manifest, peerDependencies }));
}

function write(path, text) {
  const file = join(workspace, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function expectProblem(pattern) {
  const problems = checkArchitecture(workspace);
  assert.equal(problems.length, 1, `one problem expected, found: ${problems.join("; ") || "none"}`);
  assert.match(problems[0], pattern);
}
