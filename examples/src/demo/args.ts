import { isAbsolute, resolve } from "node:path";
import { parseArgs } from "node:util";
import { STORES } from "./open-store.js";
import { UsageError } from "./usage-error.js";

/** What the command line asks for. */
export interface Options {
  readonly help: boolean;
  /** Absent: that of a run that was stopped, else one that the default folder answers, or what a folder of `--dir` is about. */
  readonly question: string | undefined;
  /** Absolute. Absent: this repository's documents, or the folder of a run that was stopped. */
  readonly dir: string | undefined;
  /** `mock` or `PROVIDER/NAME`. Absent: `mock`, or the model of a run that was stopped. */
  readonly model: string | undefined;
  /** Where runs and threads are kept. Absent: in an SQLite file in the folder of the caller. */
  readonly store: string | undefined;
  /** The thread that the question belongs to. Absent: it stands alone. */
  readonly thread: string | undefined;
  /** Pause of the offline model before each word, ms. */
  readonly delayMs: number | undefined;
}

export const HELP: string = `Asks an agent about a folder of documents. It lists, searches and reads the files, and answers.

  npm run demo -- [options] ["question"]

  --dir PATH            the folder (default: docs and README.md of this repository)
  --model PROVIDER/NAME a model in place of the offline one, as anthropic/NAME, openai/NAME or ollama/NAME
  --thread NAME         a conversation: later questions of the same name know of the earlier ones
  --store STORE         where runs and threads are kept: ${STORES}
                        (default: sqlite:.tinyagents/demo.db in this folder)
  --delay MS            pause of the offline model before each word (default: 15 on a terminal, else 0)
  --help                this text

Without --model it uses mock/rules-1, a rule-based stand-in that needs no key and no network.
--model openai/NAME reads OPENAI_API_KEY, and OPENAI_BASE_URL where another server is meant; so do the other providers
(ANTHROPIC_API_KEY, GROQ_API_KEY, ...). ollama/NAME needs no key and reads OLLAMA_HOST.
A run that was stopped, by Ctrl-C or a crash, goes on when the demo is called again; finished tool calls are not repeated.`;

const MAX_DELAY_MS = 10_000;

/**
 * Reads the command line. Paths are taken relative to `cwd`.
 * @throws UsageError
 */
export function readArgs(args: readonly string[], cwd: string): Options {
  const { values, positionals } = parse(args);
  const question = positionals.length === 0 ? undefined : positionals.join(" ").trim();
  if (question === "") throw new UsageError("The question is empty.");
  if (values.thread === "") throw new UsageError("--thread needs a name.");
  return {
    help: values.help === true,
    question,
    dir: pathOf("--dir", values.dir, cwd),
    model: values.model,
    store: values.store,
    thread: values.thread,
    delayMs: readDelay(values.delay),
  };
}

/** The folder in which the user called the program: npm itself changes to the root of the repository. */
export function callersFolder(env: NodeJS.ProcessEnv, cwd: string): string {
  const { INIT_CWD, npm_lifecycle_event } = env;
  const fromNpm = npm_lifecycle_event === "demo" && INIT_CWD !== undefined && isAbsolute(INIT_CWD);
  return fromNpm ? INIT_CWD : cwd;
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        dir: text,
        model: text,
        store: text,
        thread: text,
        delay: text,
      },
    });
  } catch (error) {
    const [said = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new UsageError(`${said.replace(/\.$/, "")}. See --help.`);
  }
}

function pathOf(flag: string, value: string | undefined, cwd: string): string | undefined {
  if (value === undefined) return undefined;
  if (value === "" || value.includes("\0")) throw new UsageError(`${flag} needs a path.`);
  return resolve(cwd, value);
}

function readDelay(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const delayMs = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(delayMs <= MAX_DELAY_MS)) throw new UsageError(`--delay: a number from 0 to ${MAX_DELAY_MS} is expected.`);
  return delayMs;
}
