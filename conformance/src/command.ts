import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@tinyagents/core";
import { checkAgentStream } from "./agent-stream/checks.js";
import type { AgentStreamSubject } from "./agent-stream/subject.js";
import { checkAppendStore } from "./append-store/run.js";
import type { AppendStoreSubject } from "./append-store/subject.js";
import { checkChatModel } from "./chat-model/run.js";
import type { ChatModelSubject } from "./chat-model/subject.js";
import type { Report } from "./check.js";
import { checkCheckpointStore } from "./checkpoint-store/checks.js";
import type { CheckpointStoreSubject } from "./checkpoint-store/subject.js";
import { checkEmbeddingModel } from "./embedding-model/checks.js";
import type { EmbeddingModelSubject } from "./embedding-model/subject.js";
import { formatReport } from "./format-report.js";
import { checkStore } from "./store/run.js";
import type { StoreSubject } from "./store/subject.js";

/** What the command needs from around it. */
export interface CommandIo {
  readonly cwd: string;
  /** Loads a module, TypeScript included. */
  load(path: string): Promise<unknown>;
  out(text: string): void;
  err(text: string): void;
}

/** One suite as the command knows it. */
interface Suite {
  /** The function that a subject must have, besides its name. */
  readonly entry: string;
  check(subject: object): Promise<Report>;
  /** Whether other processes load the file, too. */
  readonly inProcesses?: boolean;
}

const SUITES: ReadonlyMap<string, Suite> = new Map([
  ["model", { entry: "create", check: (subject) => checkChatModel(subject as ChatModelSubject) }],
  ["stream", { entry: "stream", check: (subject) => checkAgentStream(subject as AgentStreamSubject) }],
  ["embeddings", { entry: "create", check: (subject) => checkEmbeddingModel(subject as EmbeddingModelSubject) }],
  ["store", { entry: "create", inProcesses: true, check: (subject) => checkStore(subject as StoreSubject) }],
  ["checkpoints", { entry: "create", check: (subject) => checkCheckpointStore(subject as CheckpointStoreSubject) }],
  ["log", { entry: "create", inProcesses: true, check: (subject) => checkAppendStore(subject as AppendStoreSubject) }],
]);

const USAGE = `Usage: conformance ${[...SUITES.keys()].join("|")} FILE [--json]    FILE exports the subject as \`subject\`.`;

/** A use that is no good. The message says why. */
class Misuse extends Error {}

/** Runs the command. Gives its exit code: 0 all kept, 1 something failed, 2 wrong use. */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.out(USAGE);
    return 0;
  }
  try {
    const { suite, file, json } = readArgs(args);
    const subject = await loadSubject(file, suite, io);
    const report = await suite.check(suite.inProcesses === true ? inModule(subject, resolve(io.cwd, file)) : subject);
    io.out(json ? JSON.stringify(report, null, 2) : formatReport(report));
    return report.ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    io.err(`conformance: ${error.message}. ${USAGE}`);
    return 2;
  }
}

function readArgs(args: readonly string[]): { readonly suite: Suite; readonly file: string; readonly json: boolean } {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const [name, file, ...more] = args.filter((arg) => !arg.startsWith("-"));
  const unknown = flags.find((flag) => flag !== "--json") ?? more[0];
  if (unknown !== undefined) throw new Misuse(`unknown argument: ${unknown}`);
  if (name === undefined) throw new Misuse("a suite is expected");
  const suite = SUITES.get(name);
  if (suite === undefined) throw new Misuse(`unknown suite: ${name}`);
  if (file === undefined) throw new Misuse("a file is expected");
  return { suite, file, json: flags.includes("--json") };
}

async function loadSubject(file: string, { entry }: Suite, io: CommandIo): Promise<object> {
  const subject = await load(file, io);
  if (typeof subject === "object" && subject !== null) {
    const { name, [entry]: start } = subject as { readonly [key: string]: unknown };
    if (typeof name === "string" && typeof start === "function") return subject;
  }
  throw new Misuse(`${file} exports no \`subject\` with a name and a ${entry} function`);
}

/** The subject, with the file that exports it: nobody has to say what the command was told. */
function inModule(subject: object, path: string): object {
  return Object.assign(Object.create(subject), { module: pathToFileURL(path) });
}

async function load(file: string, io: CommandIo): Promise<unknown> {
  try {
    return ((await io.load(resolve(io.cwd, file))) as { readonly subject?: unknown } | undefined)?.subject;
  } catch (error) {
    throw new Misuse(`cannot load ${file}: ${messageOf(error).split("\n")[0]}`);
  }
}
