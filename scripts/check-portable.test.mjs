import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle } from "./check-portable.mjs";

test("what needs Node is found, and named with who imports what", async () => {
  const { problems } = await bundle(["@tinyagents/testkit/wire"], ["browser"]);
  assert.ok(problems.some((problem) => /testkit\/dist\/.* imports (node:)?http$/.test(problem)));
});

test("what makes code at run time is found: the validator that is for Node", async () => {
  const { problems } = await bundle(["@tinyagents/core", "@tinyagents/harness"], ["node"]);
  assert.match(problems.join("\n"), /contains .*node_modules\/ajv/);
});
