import { resolve } from "node:path";
import { messageOf } from "@tinyagents/core";
import { checkChatModel } from "./chat-model/run.js";
import type { ChatModelSubject } from "./chat-model/subject.js";
import { formatReport } from "./format-report.js";

/** What the command needs from around it. */
export interface CommandIo {
  readonly cwd: string;
  /** Loads a module, TypeScript included. */
  load(path: string): Promise<unknown>;
  out(text: string): void;
  err(text: string): void;
}

const USAGE = "Usage: conformance model FILE [--json]    FILE exports a ChatModelSubject as `subject`.";

/** Runs the command. Gives its exit code: 0 all kept, 1 something failed, 2 wrong use. */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const [suite, file, ...more] = args.filter((arg) => !arg.startsWith("-"));
  if (flags.includes("--help")) {
    io.out(USAGE);
    return 0;
  }
  const unknown = flags.find((flag) => flag !== "--json") ?? more[0];
  if (unknown !== undefined) return misused(io, `unknown argument: ${unknown}`);
  if (suite !== "model") return misused(io, suite === undefined ? "a suite is expected" : `unknown suite: ${suite}`);
  if (file === undefined) return misused(io, "a file is expected");
  let subject: unknown;
  try {
    subject = ((await io.load(resolve(io.cwd, file))) as { readonly subject?: unknown }).subject;
  } catch (error) {
    return misused(io, `cannot load ${file}: ${messageOf(error).split("\n")[0]}`);
  }
  if (!isSubject(subject)) return misused(io, `${file} exports no \`subject\` with a name and a create function`);
  const report = await checkChatModel(subject);
  io.out(flags.includes("--json") ? JSON.stringify(report, null, 2) : formatReport(report));
  return report.ok ? 0 : 1;
}

function misused(io: CommandIo, message: string): number {
  io.err(`conformance: ${message}. ${USAGE}`);
  return 2;
}

function isSubject(value: unknown): value is ChatModelSubject {
  if (typeof value !== "object" || value === null) return false;
  const { name, create } = value as Partial<ChatModelSubject>;
  return typeof name === "string" && typeof create === "function";
}
