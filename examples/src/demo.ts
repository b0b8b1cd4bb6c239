// The program behind `npm run demo`: an agent answers a question about a folder of documents.
import { fileURLToPath } from "node:url";
import { messageOf } from "@tinyagents/core";
import { runOf } from "@tinyagents/harness";
import { callersFolder, HELP, type Options, readArgs } from "./demo/args.js";
import { runAssistant, type Task, termsOf } from "./demo/assistant.js";
import { chooseModel } from "./demo/choose-model.js";
import { endSoon } from "./demo/end-program.js";
import { type Folder, openFolder } from "./demo/folder.js";
import { onInterrupt } from "./demo/interrupt.js";
import { checkPlace, dropRun, keepRun, readRun } from "./demo/keep-run.js";
import { printable, printableLine } from "./demo/printable.js";
import { renderer } from "./demo/render.js";
import { UsageError } from "./demo/usage-error.js";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const DOCUMENTS = ["README.md", "docs"];
const QUESTION = "What does this project promise about a run that is killed?";
const QUESTION_OF_A_FOLDER = "What are these documents about?";
const DELAY_ON_TERMINAL_MS = 15;

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;
const INTERRUPTED = 130;

/** The user stopped the run. */
let stopped = false;

async function main(): Promise<number> {
  const options = readArgs(process.argv.slice(2), callersFolder(process.env, process.cwd()));
  if (options.help) {
    console.log(HELP);
    return DONE;
  }
  const { task, modelName, folder } = await prepare(options);
  const delayMs = options.delayMs ?? (process.stdout.isTTY ? DELAY_ON_TERMINAL_MS : 0);
  const model = chooseModel(modelName, { env: process.env, delayMs });
  const screen = renderer({ write: (text) => void process.stdout.write(text), color: wantsColor() });
  console.log(heading(model.id, folder, "question" in task ? task.question : undefined));
  const { signal, release } = onInterrupt();
  try {
    for await (const item of runAssistant(task, model, folder, signal)) screen.show(item);
    if (options.resume !== undefined) await dropRun(options.resume);
    return DONE;
  } catch (error) {
    screen.endLine();
    if (!signal.aborted) throw error;
    stopped = true;
    return await keep(error, options.state);
  } finally {
    release();
  }
}

async function prepare(
  options: Options,
): Promise<{ readonly task: Task; readonly modelName: string; readonly folder: Folder }> {
  await checkPlace(options.state);
  const state = options.resume === undefined ? undefined : await readRun(options.resume);
  const earlier = state === undefined ? {} : termsOf(state);
  const modelName = options.model ?? earlier.model ?? "mock";
  const dir = options.dir ?? earlier.dir;
  const only = options.dir === undefined ? (earlier.only ?? (dir === undefined ? DOCUMENTS : undefined)) : undefined;
  const folder = await openFolder(dir ?? REPOSITORY, only);
  const standard = options.dir === undefined ? QUESTION : QUESTION_OF_A_FOLDER;
  const task = state === undefined ? { question: options.question ?? standard, modelName } : { state };
  return { task, modelName, folder };
}

function heading(model: string, { root, only }: Folder, question: string | undefined): string {
  const offline = model.startsWith("mock/") ? " (offline and rule-based, not a language model)" : "";
  const asked = question === undefined ? "Going on with the stopped run." : `Question: ${question}`;
  const where = only === undefined ? root : `${only.join(" and ")} in ${root}`;
  return `Model: ${printableLine(model)}${offline}\nDocuments: ${printableLine(where)}\n${printable(asked)}\n`;
}

/** Keeps what an interrupted run has done. */
async function keep(error: unknown, file: string): Promise<number> {
  const run = runOf(error);
  if (run === undefined) throw error;
  await keepRun(file, run.state);
  console.log(`\n${printableLine(`Stopped. Go on with: npm run demo -- --resume ${JSON.stringify(file)}`)}`);
  return INTERRUPTED;
}

function wantsColor(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return process.stdout.isTTY === true && (NO_COLOR ?? "") === "" && TERM !== "dumb";
}

/** Whoever reads the output may leave early: `npm run demo | head`. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? DONE : FAILED));

const code = await main().catch((error: unknown) => {
  console.error(printableLine(messageOf(error)));
  return error instanceof UsageError ? MISUSED : FAILED;
});
// A read that hangs must not keep a program that was told to stop.
if (stopped) await endSoon(code);
process.exitCode = code;
