import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@tinyagents/core";
import { checkAgentStream } from "./agent-stream/checks.js";
import type { AgentStreamSubject } from "./agent-stream/subject.js";
import { checkAppendStore } from "./append-store/run.js";
import type { AppendStoreSubject } from "./append-store/subject.js";
import { checkBlobStore } from "./blob-store/checks.js";
import type { BlobStoreSubject } from "./blob-store/subject.js";
import { formatChaos } from "./chaos/format-chaos.js";
import { type ChaosOptions, type ChaosSubject, runChaos } from "./chaos/run-chaos.js";
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
import { checkTaskStore } from "./task-store/checks.js";
import type { TaskStoreSubject } from "./task-store/subject.js";

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
  /** Absent for `chaos`, which gives no report of checks. */
  check?(subject: object): Promise<Report>;
  /** Whether other processes load the file, too. */
  readonly inProcesses?: boolean;
}

const SUITES: ReadonlyMap<string, Suite> = new Map([
  ["model", { entry: "create", check: (subject) => checkChatModel(subject as ChatModelSubject) }],
  ["stream", { entry: "stream", check: (subject) => checkAgentStream(subject as AgentStreamSubject) }],
  ["embeddings", { entry: "create", check: (subject) => checkEmbeddingModel(subject as EmbeddingModelSubject) }],
  ["store", { entry: "create", inProcesses: true, check: (subject) => checkStore(subject as StoreSubject) }],
  ["blobs", { entry: "create", check: (subject) => checkBlobStore(subject as BlobStoreSubject) }],
  [
    "checkpoints",
    { entry: "create", inProcesses: true, check: (subject) => checkCheckpointStore(subject as CheckpointStoreSubject) },
  ],
  ["tasks", { entry: "create", inProcesses: true, check: (subject) => checkTaskStore(subject as TaskStoreSubject) }],
  ["log", { entry: "create", inProcesses: true, check: (subject) => checkAppendStore(subject as AppendStoreSubject) }],
]);

/** Kills processes that write. */
const CHAOS: Suite = { entry: "create", inProcesses: true };

/** The numbers that it can be told, by flag. */
const CHAOS_NUMBERS: ReadonlyMap<string, keyof ChaosOptions> = new Map([
  ["--kills", "kills"],
  ["--seed", "seed"],
  ["--places", "places"],
  ["--kills-per-place", "killsPerPlace"],
]);

const USAGE = `Usage: conformance ${[...SUITES.keys()].join("|")} FILE [--json], or conformance chaos FILE [--kills N] [--seed N] [--places N] [--kills-per-place N] [--json]    FILE exports the subject as \`subject\`, or as --export NAME.`;

/** A use that is no good. The message says why. */
class Misuse extends Error {}

/** Runs the command. Gives its exit code: 0 all kept, 1 something failed, 2 wrong use. */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes("--help")) {
    io.out(USAGE);
    return 0;
  }
  try {
    const { suite, file, exportName, json, ...chaos } = readArgs(args);
    const subject = await loadSubject(file, exportName, suite, io);
    const found = suite.inProcesses === true ? inModule(subject, resolve(io.cwd, file), exportName) : subject;
    if (suite.check === undefined) return await runKills(found as ChaosSubject, json, chaos, io);
    const report = await suite.check(found);
    io.out(json ? JSON.stringify(report, null, 2) : formatReport(report));
    return report.ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    io.err(`conformance: ${error.message}. ${USAGE}`);
    return 2;
  }
}

async function runKills(subject: ChaosSubject, json: boolean, options: ChaosOptions, io: CommandIo): Promise<number> {
  const report = await runChaos(subject, options).catch((error: unknown) => {
    throw error instanceof TypeError ? new Misuse(error.message) : error;
  });
  io.out(json ? JSON.stringify(report, null, 2) : formatChaos(report));
  return report.ok ? 0 : 1;
}

interface Args extends ChaosOptions {
  readonly suite: Suite;
  readonly file: string;
  readonly exportName: string;
  readonly json: boolean;
}

function readArgs(args: readonly string[]): Args {
  const { words, json, exportName, numbers } = sortArgs(args);
  const [name, file, ...more] = words;
  if (more[0] !== undefined) throw new Misuse(`unknown argument: ${more[0]}`);
  if (name === undefined) throw new Misuse("a suite is expected");
  const suite = name === "chaos" ? CHAOS : SUITES.get(name);
  if (suite === undefined) throw new Misuse(`unknown suite: ${name}`);
  const number = args.find((arg) => CHAOS_NUMBERS.has(arg));
  if (suite !== CHAOS && number !== undefined) throw new Misuse(`unknown argument: ${number}`);
  if (file === undefined) throw new Misuse("a file is expected");
  return { suite, file, exportName, json, ...numbers };
}

/** Numbers and names follow their flag: `--kills 200`. */
function sortArgs(args: readonly string[]): {
  readonly words: readonly string[];
  readonly json: boolean;
  readonly exportName: string;
  readonly numbers: ChaosOptions;
} {
  const words: string[] = [];
  const numbers: { -readonly [option in keyof ChaosOptions]: ChaosOptions[option] } = {};
  let json = false;
  let exportName = "subject";
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--json") json = true;
    else if (arg === "--export") {
      const given = args[++at];
      if (given === undefined || given.startsWith("-")) throw new Misuse("a name is expected after --export");
      exportName = given;
    } else if (CHAOS_NUMBERS.has(arg)) {
      const given = args[++at];
      if (!/^\d+$/.test(given ?? "")) throw new Misuse(`a number is expected after ${arg}`);
      numbers[CHAOS_NUMBERS.get(arg) as keyof ChaosOptions] = Number(given);
    } else if (arg.startsWith("-")) throw new Misuse(`unknown argument: ${arg}`);
    else words.push(arg);
  }
  return { words, json, exportName, numbers };
}

async function loadSubject(file: string, exportName: string, { entry }: Suite, io: CommandIo): Promise<object> {
  const subject = await load(file, exportName, io);
  if (typeof subject === "object" && subject !== null) {
    const { name, [entry]: start } = subject as { readonly [key: string]: unknown };
    if (typeof name === "string" && typeof start === "function") return subject;
  }
  throw new Misuse(`${file} exports no \`${exportName}\` with a name and a ${entry} function`);
}

/** The subject, with the file that exports it: nobody has to say what the command was told. */
function inModule(subject: object, path: string, exportName: string): object {
  return Object.assign(Object.create(subject), { module: pathToFileURL(path), exportName });
}

async function load(file: string, exportName: string, io: CommandIo): Promise<unknown> {
  try {
    const loaded = (await io.load(resolve(io.cwd, file))) as { readonly [name: string]: unknown } | undefined;
    return loaded?.[exportName];
  } catch (error) {
    throw new Misuse(`cannot load ${file}: ${messageOf(error).split("\n")[0]}`);
  }
}
