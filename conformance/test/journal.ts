import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@tinyagents/core";

/** Commands in one order that all processes agree on, in a folder. What was committed survives a killed process. */
export interface Journal {
  /** Gives the commands that were committed since the last time to `apply`. */
  catchUp(): void;
  /** Commits a command after all others: it is given to `apply`, whose outcome is the outcome. */
  commit(command: JsonValue): unknown;
}

/**
 * Each command is a file, named by its number. It is written whole under a name of its own and then linked, which fails
 * where somebody else was faster: the one step in which a command is committed.
 */
export function journal(
  folder: string,
  apply: (command: JsonValue) => unknown,
  { onWrite = () => undefined }: { readonly onWrite?: () => void } = {},
): Journal {
  mkdirSync(folder, { recursive: true });
  const mine = join(folder, `.writing-${process.pid}-${Math.random().toString(36).slice(2)}`);
  let next = 0;

  const catchUp = (): void => {
    for (let text = read(join(folder, String(next))); text !== undefined; text = read(join(folder, String(next)))) {
      next += 1;
      apply(JSON.parse(text) as JsonValue);
    }
  };
  return {
    catchUp,
    commit(command) {
      onWrite();
      writeFileSync(mine, JSON.stringify(command));
      try {
        for (;;) {
          catchUp();
          onWrite();
          if (linked(mine, join(folder, String(next)))) break;
        }
      } finally {
        rmSync(mine, { force: true });
      }
      next += 1;
      return apply(command);
    },
  };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether the file got its name; not, when that was taken. */
function linked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code === "EEXIST") return false;
    throw error;
  }
}
