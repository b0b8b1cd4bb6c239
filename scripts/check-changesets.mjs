// Checks the changesets: they can be applied, none makes a 1.0.0 by accident, and packages really version on their own.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isMain, report } from "./lib/report.mjs";
import { capture, tool } from "./lib/run.mjs";
import { readJson, readPackages, root } from "./lib/workspace.mjs";

const CORE_ONLY = '---\n"@tinyagents/core": minor\n---\n\nA change of core alone.\n';

/** What `changeset version` would release, worked out in a copy that has the manifests and changesets alone. */
async function plan(extra = {}) {
  const copy = mkdtempSync(join(tmpdir(), "tinyagents-changesets-"));
  try {
    const kept = [
      "package.json",
      "pnpm-workspace.yaml",
      ".changeset",
      ...readPackages().map((one) => `${one.dir}/package.json`),
    ];
    for (const file of kept) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(root, file), join(copy, file), { recursive: true });
    }
    if (extra.only !== undefined) {
      for (const file of changesetFiles()) rmSync(join(copy, ".changeset", file));
      writeFileSync(join(copy, ".changeset", "only.md"), extra.only);
    }
    const git = (...args) =>
      capture("git", ["-c", "user.name=check", "-c", "user.email=check@localhost", ...args], { cwd: copy });
    await git("init", "-q", "-b", "main");
    await git("add", "-A");
    await git("commit", "-q", "-m", "copy");
    const { code, output } = await capture(tool("changeset"), ["status", "--output", "plan.json"], { cwd: copy });
    if (code !== 0) throw new Error(`changeset status failed:\n${output}`);
    return readJson(join(copy, "plan.json")).releases.filter((release) => release.type !== "none");
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function changesetFiles() {
  return readdirSync(join(root, ".changeset")).filter((file) => file.endsWith(".md") && file !== "README.md");
}

if (isMain(import.meta)) {
  const problems = [];
  if (existsSync(join(root, ".changeset", "pre.json")))
    problems.push("prereleases before 1.0 make every package 1.0.0-next");
  const releases = await plan();
  problems.push(
    ...releases
      .filter((one) => Number(one.newVersion.split(".")[0]) >= 1)
      .map((one) => `${one.name} would become ${one.newVersion}`),
  );
  const released = (await plan({ only: CORE_ONLY })).map((one) => one.name);
  if (released.join() !== "@tinyagents/core")
    problems.push(`a minor release of core also releases: ${released.join(", ")}`);
  report(problems, `changesets: ${changesetFiles().length} files, ${releases.length} packages would be released`);
}
