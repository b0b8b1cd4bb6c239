import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const execute = promisify(execFile);
const { resolve } = createRequire(import.meta.url);
const pnpm = join(dirname(resolve("pnpm")), "bin", "pnpm.cjs");
const OTHER_VERSION = "0.2.0";

let workspace: string;

/** An application with its core and the harness, beside a library that brings another version of core. */
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), "tinyagents-two-copies-"));
  await cp(new URL("./app/index.ts", import.meta.url), join(workspace, "app", "index.ts"));
  await cp(new URL("./toolbox/index.ts", import.meta.url), join(workspace, "toolbox", "index.ts"));
  await install("@tinyagents/core", "app");
  await install("@tinyagents/harness", "app");
  await install("@tinyagents/core", "toolbox", OTHER_VERSION);
  await symlink(dirname(resolve("zod/package.json")), join(workspace, "toolbox", "node_modules", "zod"));
  await writeFile(join(workspace, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "dom", "dom.asynciterable"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    resolveJsonModule: true,
    types: [],
    skipLibCheck: true,
  };
  await writeFile(
    join(workspace, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["app/index.ts", "toolbox/index.ts"] }),
  );
});

afterAll(() => rm(workspace, { recursive: true, force: true }));

/** Packs one of our packages as it is published, and unpacks it where `folder` finds it. */
async function install(name: string, folder: string, version?: string): Promise<void> {
  const to = join(workspace, folder, "node_modules", name);
  await mkdir(to, { recursive: true });
  const pack = [pnpm, "pack", "--json", "--pack-destination", to];
  const { stdout } = await execute(process.execPath, pack, { cwd: dirname(resolve(`${name}/package.json`)) });
  const { filename } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { readonly filename: string };
  await execute("tar", ["-xzf", filename, "--strip-components=1", "-C", to]);
  if (version === undefined) return;
  const manifest = join(to, "package.json");
  await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, "utf8")), version }));
}

it("parts of one core compile and work in an agent of another: tools, models, middleware, errors (TY-02)", async () => {
  const compiled = await execute(process.execPath, [resolve("typescript/bin/tsc"), "-p", workspace]).catch(
    ({ stdout }: { readonly stdout: string }) => ({ stdout }),
  );
  expect(compiled.stdout).toBe("");

  const { stdout } = await execute(process.execPath, ["--no-warnings", join(workspace, "app", "index.js")]);
  expect(JSON.parse(stdout)).toMatchObject({
    versions: ["0.1.0", OTHER_VERSION],
    paused: { status: "paused", asked: ["interrupt"], retries: 1 },
    ended: { status: "stopped", stop: { ended: true } },
    results: [
      'look_up ok: {"order":7,"state":"on its way"}',
      expect.stringMatching(/^look_up invalid: .*order/s),
      expect.stringMatching(/^refuse denied: Not today/),
      expect.stringMatching(/^ask ok: .*Yes\./),
      expect.stringMatching(/^end ok/),
    ],
    driven: "done",
    sameClass: false,
    className: "TinyAgentsError",
    error: "network",
    seen: expect.arrayContaining(["run.started", "retry.scheduled", "look_up ok", "refuse denied", "run.paused"]),
  });
});
