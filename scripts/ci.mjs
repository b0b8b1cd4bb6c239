// What CI runs: `npm test`, then everything that is too slow or too wide for every change at a desk.
import { join } from "node:path";
import { run, tool } from "./lib/run.mjs";
import { runStages } from "./lib/stages.mjs";
import { root } from "./lib/workspace.mjs";

/** Those of the two packages alone: what others cover of them by the way is no test of theirs. */
const OWN_TESTS = ["--project", "@tinyagents/core", "--project", "@tinyagents/harness"];
const BROWSER = ["run", "--config", "vitest.browser.config.ts"];
const node = (script, ...args) => run(process.execPath, [script, ...args]);

process.exitCode = await runStages([
  // First, and not in the middle of a test: one of the servers is built, which takes minutes on a new machine.
  {
    name: "servers for tests of stores",
    run: async () => (await node("scripts/setup.mjs")) || node("scripts/check-servers.mjs"),
  },
  { name: "npm test", run: () => run("npm", ["test"]) },
  { name: "200 killed processes for each durable backend", run: () => node("scripts/chaos.mjs") },
  { name: "coverage of core and harness", run: () => run(tool("vitest"), ["run", "--coverage", ...OWN_TESTS]) },
  { name: "unused files, exports and dependencies (knip)", run: () => run(tool("knip"), []) },
  { name: "documentation of the API of core and harness (typedoc)", run: () => run(tool("typedoc"), []) },
  { name: "packed packages (publint, attw)", run: () => node("scripts/check-packed.mjs") },
  { name: "changesets", run: () => node("scripts/check-changesets.mjs") },
  { name: "type budget", run: () => node("scripts/check-type-budget.mjs") },
  { name: "portable packages bundle for browsers and workers", run: () => node("scripts/check-portable.mjs") },
  { name: "sizes of core and harness", run: () => node("scripts/check-size.mjs") },
  { name: "agents run in a browser", run: () => run(tool("vitest"), BROWSER, { cwd: join(root, "integration") }) },
]);
