import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { generated } from "./bundle.js";

/** A program that ended. */
export interface Ended {
  readonly code: number | null;
  /** What ended it from outside or by itself, in place of a code. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Resolves once this text stands in what the program wrote. */
  shows(text: string): Promise<void>;
  interrupt(signal?: NodeJS.Signals): void;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
}

/** Starts one of the example programs as a process of its own, with nothing of the test's environment but PATH. */
export function start(name: string, args: readonly string[], { cwd, env = {} }: ProgramOptions = {}): Running {
  const child = spawn(process.execPath, [join(generated, `${name}.mjs`), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, ...output.soFar() }));
  });
  return {
    ended,
    interrupt: (signal = "SIGINT") => void child.kill(signal),
    shows: (text) => Promise.race([output.has(text), ended.then((end) => failed(text, end))]),
  };
}

/** Runs one of the example programs to its end. */
export function run(name: string, args: readonly string[], options?: ProgramOptions): Promise<Ended> {
  return start(name, args, options).ended;
}

function collect(child: ChildProcessByStdio<null, Readable, Readable>) {
  let stdout = "";
  let stderr = "";
  let waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const wake = (): void => {
    for (const { resolve } of waiting.filter(({ text }) => stdout.includes(text))) resolve();
    waiting = waiting.filter(({ text }) => !stdout.includes(text));
  };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    stdout += piece;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  return {
    soFar: () => ({ stdout, stderr }),
    has(text: string): Promise<void> {
      return new Promise((resolve) => {
        waiting.push({ text, resolve });
        wake();
      });
    },
  };
}

function failed(text: string, { code, stdout, stderr }: Ended): never {
  throw new Error(`the program ended with ${code} before it showed ${JSON.stringify(text)}:\n${stdout}\n${stderr}`);
}
