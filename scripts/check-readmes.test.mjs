import assert from "node:assert/strict";
import { test } from "node:test";
import { checkBlocks, readBlocks } from "./check-readmes.mjs";

const fence = (info, code) => `\`\`\`${info}\n${code}\n\`\`\`\n`;

test("TypeScript blocks are found with what their fence says, other blocks are not", () => {
  const page = `# A\n${fence("sh", "npm i")}${fence("ts run", "a();")}text\n${fence("ts", "b();\n\nc();")}${fence("tsx", "d();")}`;
  assert.deepEqual(readBlocks(page), [
    { kind: "run", code: "a();\n" },
    { kind: "", code: "b();\n\nc();\n" },
  ]);
});

test("a package's README needs a program, and a short one comes first", () => {
  const check = (page) => checkBlocks(readBlocks(page), { needsProgram: true });
  assert.deepEqual(check(fence("ts", "a();")), []);
  assert.deepEqual(check("nothing"), ["has no TypeScript program"]);
  assert.deepEqual(check(fence("ts fragment", "a();")), ["starts with a fragment, not with a program"]);
  assert.match(check(fence("ts", "a();\n".repeat(21)))[0], /has 21 lines/);
});

test("other pages need no program", () => {
  assert.deepEqual(checkBlocks([], { needsProgram: false }), []);
});

test("an unknown word in a fence is a problem", () => {
  assert.match(checkBlocks(readBlocks(fence("ts runn", "a();")), { needsProgram: false })[0], /"ts runn"/);
});
