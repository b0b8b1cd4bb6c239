// Everything that must hold before a change is merged, as `npm test`: sets up what is missing, then runs each stage.
import { run, tool, turbo } from "./lib/run.mjs";
import { runStages } from "./lib/stages.mjs";
import { install, markBuilt } from "./setup.mjs";

const node = (...args) => run(process.execPath, args);

const failed = await install();
if (failed) process.exit(failed);

process.exitCode = await runStages([
  { name: "build, typecheck, tests and README programs", run: buildAndTest },
  { name: "lint and format", run: () => run(tool("biome"), ["check", "--error-on-warnings"]) },
  { name: "architecture", run: () => node("scripts/check-architecture.mjs") },
  { name: "coverage table", run: () => node("scripts/check-coverage.mjs") },
  { name: "tests of the scripts", run: () => node("--test", "--test-reporter=spec", "scripts/") },
]);

async function buildAndTest() {
  const code = await turbo(["build", "typecheck", "test", "readmes"], ["--continue=dependencies-successful"]);
  if (code === 0) markBuilt();
  return code;
}
