import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A program that runs in processes of its own. */
export interface NodeProgram {
  /** A folder for what the processes share: gone after `remove`. */
  readonly folder: string;
  start(args: readonly string[]): Running;
  /** Ends what still runs, too. */
  remove(): Promise<void>;
}

/** One process of it. */
export interface Running {
  /** The lines that it has written. */
  readonly lines: readonly string[];
  /** Resolves when it has written these lines, in any order. @throws Error when it ended without. */
  wrote(...lines: readonly string[]): Promise<void>;
  /** Ends it by the signal that it cannot notice. @throws Error when it had ended before. */
  kill(): Promise<void>;
  /** Lets it do nothing at all, until it wakes up. */
  sleep(): void;
  wake(): void;
  /** All its lines, once it has ended by itself. @throws Error when it failed. */
  finished(): Promise<readonly string[]>;
}

/** Bundles a program with our packages from their sources: no build has to come first. */
export async function nodeProgram(program: URL): Promise<NodeProgram> {
  const folder = await mkdtemp(join(tmpdir(), "tinyagents-program-"));
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [fileURLToPath(program)],
    outfile,
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
    start(args) {
      const child = spawn(process.execPath, [outfile, ...args], { stdio: ["ignore", "pipe", "inherit"] });
      children.push(child);
      return follow(child, child.stdout);
    },
    async remove() {
      for (const child of children) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function follow(child: ChildProcess, output: Readable): Running {
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
