import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@tinyagents/conformance";
import { build } from "esbuild";

/** A program that runs in processes of its own. */
export interface NodeProgram {
  /** A folder for what the processes share: gone after `remove`. */
  readonly folder: string;
  /** Starts a process. What it is to do may be told it at once, or later in a line. */
  start(args?: readonly string[]): Running;
  /** Ends what still runs, too. */
  remove(): Promise<void>;
}

/** One process of it. */
export interface Running {
  /** The lines that it has written. */
  readonly lines: readonly string[];
  /** Resolves when it has written these lines, in any order. @throws Error when it ended without. */
  wrote(...lines: readonly string[]): Promise<void>;
  /** Resolves when it has written so many lines, or has ended. */
  wroteLines(count: number): Promise<void>;
  /** Gives it a line to read. */
  say(line: string): void;
  /** Ends it by the signal that it cannot notice. @throws Error when it had ended before. */
  kill(): Promise<void>;
  /** The same, for a process that may have ended by itself: whether it was killed. @throws Error when it had failed. */
  killed(): Promise<boolean>;
  /** Lets it do nothing at all, until it wakes up. */
  sleep(): void;
  wake(): void;
  /** All its lines, once it has ended by itself. @throws Error when it failed. */
  finished(): Promise<readonly string[]>;
}

export interface NodeProgramOptions {
  /** Packages that are loaded from where they are installed, as those with a binding must be. */
  readonly external?: readonly string[];
}

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** Bundles a program with our packages from their sources: no build has to come first. What it imports when it runs is a file of its own. */
export async function nodeProgram(program: URL, { external = [] }: NodeProgramOptions = {}): Promise<NodeProgram> {
  const { path: folder, remove } = temporaryFolder("program");
  const outfile = join(folder, "program.mjs");
  if (external.length > 0) await symlink(MODULES, join(folder, "node_modules"));
  await build({
    entryPoints: [{ in: fileURLToPath(program), out: "program" }],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    external: [...external],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tinyagents/source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  const children: ChildProcess[] = [];
  return {
    folder,
    start(args = []) {
      const child = spawn(process.execPath, [outfile, ...args], { stdio: ["pipe", "pipe", "inherit"] });
      children.push(child);
      // Whoever was killed reads nothing more.
      child.stdin.on("error", () => {});
      return follow(child, child.stdin, child.stdout);
    },
    async remove() {
      for (const child of children) child.kill("SIGKILL");
      await remove();
    },
  };
}

function follow(child: ChildProcess, input: Writable, output: Readable): Running {
  const lines: string[] = [];
  const reader = createInterface({ input: output });
  const ended = Promise.all([once(child, "exit"), once(reader, "close")]).then(([[code, signal]]) => code ?? signal);
  const written = (wanted: readonly string[]): boolean => wanted.every((line) => lines.includes(line));
  reader.on("line", (line) => lines.push(line));
  return {
    lines,
    wrote: (...wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (written(wanted)) resolve();
        };
        reader.on("line", look);
        look();
        ended.then(
          (how) => reject(new Error(`the process ended (${how}) and wrote only: ${lines.join("; ")}`)),
          reject,
        );
      }),
    wroteLines: (count) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (lines.length >= count) resolve();
        };
        reader.on("line", look);
        look();
        ended.then(() => resolve(), reject);
      }),
    say: (line) => void input.write(`${line}\n`),
    async killed() {
      child.kill("SIGKILL");
      const how = await ended;
      if (how !== "SIGKILL" && how !== 0) throw new Error(`the process ended with ${how}: ${lines.join("; ")}`);
      return how === "SIGKILL";
    },
    async kill() {
      child.kill("SIGKILL");
      const how = await ended;
      if (how !== "SIGKILL") throw new Error(`the process had ended (${how}) before it was killed`);
    },
    sleep: () => void child.kill("SIGSTOP"),
    wake: () => void child.kill("SIGCONT"),
    async finished() {
      const how = await ended;
      if (how !== 0) throw new Error(`the process ended with ${how}: ${lines.join("; ")}`);
      return lines;
    },
  };
}
