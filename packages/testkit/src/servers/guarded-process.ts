import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What to start, and how to end it. */
export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Taken away once the process has ended, unless it holds a file `keep`. */
  readonly folder: string;
  /** What ends the process, as `kill` names it: `TERM`. */
  readonly signal: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Who it runs as. Default: who we are. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/** A process that ends when this one does, however that comes about. */
export interface GuardedProcess {
  /** Resolves once its errors hold a text. @throws Error with the last of what it said, when it ends or is late. */
  said(text: string, withinMs: number): Promise<void>;
  /** Ends it, and resolves when it has ended and its folder is gone. */
  stop(): Promise<void>;
}

/**
 * A shell stands between: it holds the other end of our pipe, which closes when we are gone, killed or not. It is the one
 * to send the signal, so no process id is used after its process has ended.
 */
export const GUARD: string = `
folder=$1 signal=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ cat <&3; kill -s "$signal" $server; } >/dev/null 2>&1 & guard=$!
exec 3<&-
wait $server 2>/dev/null
kill $guard 2>/dev/null
[ -e "$folder/keep" ] || rm -rf "$folder"
`;

/** As much as is kept of what a process said, for the error. */
const KEPT_CHARS = 4_000;

export function guardedProcess({ command, args, folder, signal, env, uid, gid }: GuardedCommand): GuardedProcess {
  const child = spawn("sh", ["-c", GUARD, "sh", folder, signal, command, ...args], {
    cwd: folder,
    stdio: ["pipe", "ignore", "pipe"],
    // A group of its own: Ctrl-C ends us, and with us our end of the pipe.
    detached: true,
    env: env ?? process.env,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  const ended = once(child, "exit").then(
    () => undefined,
    () => undefined,
  );
  child.stdin?.on("error", () => undefined);
  const output = lastWords(child);
  letGo(child);
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin?.destroy();
    await ended;
    // Somebody else may empty their folder, and not take it away from ours.
    if (!existsSync(join(folder, "keep"))) rmSync(folder, { recursive: true, force: true });
  };
  return {
    said: (text, withinMs) => output.holds(text, withinMs, command, ended),
    stop,
  };
}

/** Keeps the end of what the process says, and looks for texts in it. */
function lastWords(child: ChildProcess): {
  holds(text: string, withinMs: number, command: string, ended: Promise<void>): Promise<void>;
} {
  let kept = "";
  let heard: (() => void) | undefined;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    kept = (kept + text).slice(-KEPT_CHARS);
    heard?.();
  });
  return {
    holds: (text, withinMs, command, ended) =>
      new Promise((resolve, reject) => {
        const fail = (why: string): void => settle(() => reject(new Error(`${command} ${why}: ${kept.trim()}`)));
        const timer = setTimeout(() => fail(`did not say "${text}" within ${withinMs} ms`), withinMs);
        const settle = (how: () => void): void => {
          clearTimeout(timer);
          heard = undefined;
          how();
        };
        heard = () => {
          if (kept.includes(text)) settle(resolve);
        };
        heard();
        void ended.then(() => fail("has ended"));
      }),
  };
}

/** Nothing of it keeps this process alive. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as { unref?(): void } | null)?.unref?.();
}
