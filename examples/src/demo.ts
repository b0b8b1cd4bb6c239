// The program behind `npm run demo`: an agent answers questions about a folder of documents.
import { fileURLToPath } from "node:url";
import { messageOf } from "@tinyagents/core";
import { callersFolder, HELP, type Options, readArgs } from "./demo/args.js";
import { assistant, termsOf } from "./demo/assistant.js";
import { chooseModel } from "./demo/choose-model.js";
import { type Conversation, openConversation } from "./demo/conversation.js";
import { endSoon } from "./demo/end-program.js";
import { type Folder, openFolder } from "./demo/folder.js";
import { onInterrupt } from "./demo/interrupt.js";
import { type OpenedStore, openStore } from "./demo/open-store.js";
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
  const cwd = callersFolder(process.env, process.cwd());
  const options = readArgs(process.argv.slice(2), cwd);
  if (options.help) {
    console.log(HELP);
    return DONE;
  }
  const storage = await openStore(options.store, cwd);
  try {
    return await converse(options, storage);
  } finally {
    await storage.close();
  }
}

async function converse(options: Options, storage: OpenedStore): Promise<number> {
  const conversation = await openConversation(storage, options.thread);
  const { modelName, folder } = await prepare(options, conversation);
  const delayMs = options.delayMs ?? (process.stdout.isTTY ? DELAY_ON_TERMINAL_MS : 0);
  const model = chooseModel(modelName, { env: process.env, delayMs });
  const screen = renderer({ write: (text) => void process.stdout.write(text), color: wantsColor() });
  console.log(heading(model.id, folder, storage, options.thread));
  const { signal, release } = onInterrupt();
  const agent = assistant({ ...conversation, model, modelName, folder, signal });
  try {
    for await (const item of conversation.run(agent, questionOf(options, conversation))) {
      if (item.type === "question") console.log(printable(`${titleOf(item.resumed)} ${item.question}\n`));
      else screen.show(item);
    }
    return DONE;
  } catch (error) {
    screen.endLine();
    if (!signal.aborted) throw error;
    stopped = true;
    console.log(
      storage.log.capabilities.durable
        ? "\nStopped. The same command goes on with it."
        : "\nStopped. It was kept in memory alone, and is gone.",
    );
    return INTERRUPTED;
  } finally {
    release();
  }
}

/** The model and the documents: those that are asked for, those of the run that was stopped, or the standard ones. */
async function prepare(
  options: Options,
  { state }: Conversation,
): Promise<{ readonly modelName: string; readonly folder: Folder }> {
  const earlier = state === undefined ? {} : termsOf(state);
  const dir = options.dir ?? earlier.dir;
  const only = options.dir === undefined ? (earlier.only ?? (dir === undefined ? DOCUMENTS : undefined)) : undefined;
  return { modelName: options.model ?? earlier.model ?? "mock", folder: await openFolder(dir ?? REPOSITORY, only) };
}

function questionOf({ question, dir }: Options, { isUnfinished }: Conversation): string | undefined {
  if (question !== undefined || isUnfinished) return question;
  return dir === undefined ? QUESTION : QUESTION_OF_A_FOLDER;
}

function titleOf(resumed: boolean): string {
  return resumed ? "Going on with the stopped run. Its question:" : "Question:";
}

function heading(
  model: string,
  { root, only }: Folder,
  { name, note }: OpenedStore,
  thread: string | undefined,
): string {
  const offline = model.startsWith("mock/") ? " (offline and rule-based, not a language model)" : "";
  const where = only === undefined ? root : `${only.join(" and ")} in ${root}`;
  const lines = [
    ...(note === undefined ? [] : [note]),
    `Model: ${printableLine(model)}${offline}`,
    `Documents: ${printableLine(where)}`,
    `Kept in: ${printableLine(name)}${thread === undefined ? "" : `, thread ${printableLine(thread)}`}`,
  ];
  return lines.join("\n");
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
