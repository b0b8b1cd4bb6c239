import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { JsonObject, JsonValue } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import type { ChildProgram } from "./child-program.js";
import { ACKNOWLEDGED_FD, type FromChild, type ToChild } from "./messages.js";

/** A process that has loaded the subject. */
export interface OtherProcess {
  /** Opens a place. One at a time. */
  open(ref: JsonValue): Promise<void>;
  /** Does a job with what is open there. @throws CheckFailure when that fails, or the process ends. */
  do(job: string, args: JsonObject): Promise<JsonValue>;
  /** What it has acknowledged, as it comes. Ends with the process. */
  readonly acknowledged: Readable;
  /** Ends it by the signal that it cannot notice. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Closes what is open there, and ends it. */
  end(): Promise<void>;
}

/** A message without the number that its answer has. */
type Asked = ToChild extends infer Each ? (Each extends ToChild ? Omit<Each, "id"> : never) : never;

interface Waiting {
  resolve(value: JsonValue): void;
  reject(error: unknown): void;
}

/** The last of what a process said of itself, to be shown when it ends: so many characters. */
const SHOWN_OUTPUT = 2_000;

/** Starts a process, and waits until it has loaded the subject. */
export async function startProcess({ args }: ChildProgram): Promise<OtherProcess> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe", "ipc", "pipe"] });
  const waiting = new Map<number, Waiting>();
  const output = outputOf(child);
  const gone = new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.on("error", () => resolve());
  });
  let lastId = 0;
  let isGone = false;

  const ready = new Promise<void>((resolve, reject) => {
    child.on("message", (message: FromChild) => {
      if (message.type === "ready") return resolve();
      const asker = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.type === "done") asker?.resolve(message.value);
      else asker?.reject(new CheckFailure(`another process: ${message.message}`));
    });
    const fail = (how: string): void => {
      isGone = true;
      const error = new CheckFailure(`another process ${how}${output()}`);
      reject(error);
      for (const asker of waiting.values()) asker.reject(error);
      waiting.clear();
    };
    child.on("error", (error) => fail(`could not be started: ${error.message}`));
    child.on("close", (code, signal) => fail(`ended with ${code ?? signal}`));
  });
  const ask = (asked: Asked): Promise<JsonValue> =>
    new Promise((resolve, reject) => {
      if (isGone) return reject(new CheckFailure("another process has ended"));
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      child.send({ ...asked, id }, () => undefined);
    });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  try {
    await ready;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    async open(ref) {
      await ask({ type: "open", ref });
    },
    do: (job, jobArgs) => ask({ type: "do", job, args: jobArgs }),
    acknowledged: child.stdio[ACKNOWLEDGED_FD] as Readable,
    kill,
    async end() {
      if (!isGone) await ask({ type: "close" }).catch(() => undefined);
      if (!isGone) await kill();
    },
  };
}

/** Reads what a process writes, so that it never waits for a reader, and keeps the end of it. */
function outputOf(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(-SHOWN_OUTPUT);
    });
  }
  return () => (text === "" ? "" : `, and said: ${text.trim()}`);
}
