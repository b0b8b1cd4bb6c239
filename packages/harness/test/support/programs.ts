import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A program of this folder, made ready to run in a process of its own. */
export interface Program {
  /** A folder of its own: gone after `remove`. */
  readonly folder: string;
  /** Runs it to its end and gives what it wrote. @throws Error with its error output when it fails. */
  run(args: readonly string[], input?: string): Promise<string>;
  /** Starts it. */
  start(args: readonly string[]): ChildProcess;
  remove(): Promise<void>;
}

/** Bundles `name`.ts of this folder, with our packages from their sources. */
export async function program(name: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), "harness-test-"));
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tinyagents/source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  const start = (args: readonly string[]): ChildProcess => spawn(process.execPath, [outfile, ...args]);
  return {
    folder,
    start,
    run: (args, input = "") => finished(start(args), input),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function finished(child: ChildProcess, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    let errors = "";
    child.stdout?.on("data", (data) => {
      output += data;
    });
    child.stderr?.on("data", (data) => {
      errors += data;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`the child ended with ${code ?? signal}: ${errors}`));
    });
    child.stdin?.end(input);
  });
}
