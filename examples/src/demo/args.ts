import { isAbsolute, resolve } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.js";

/** What the command line asks for. */
export interface Options {
  readonly help: boolean;
  /** Absent: one that the default folder answers, what a folder of `--dir` is about, or that of the resumed run. */
  readonly question: string | undefined;
  /** Absolute. Absent: this repository's documents, or the folder of the resumed run. */
  readonly dir: string | undefined;
  /** `mock` or `PROVIDER/NAME`. Absent: `mock`, or the model of the resumed run. */
  readonly model: string | undefined;
  /** File with the state of a stopped run. */
  readonly resume: string | undefined;
  /** Where the state of a stopped run goes. */
  readonly state: string;
  /** Pause of the offline model before each word, ms. */
  readonly delayMs: number | undefined;
}

export const HELP: string = `Asks an agent about a folder of documents. It lists, searches and reads the files, and answers.

  npm run demo -- [options] ["question"]

  --dir PATH            the folder (default: docs and README.md of this repository)
  --model PROVIDER/NAME a model in place of the offline one, as anthropic/NAME, openai/NAME or ollama/NAME
  --resume FILE         go on with a run that was stopped; its file is removed when it has ended
  --state FILE          where a run's state goes when you stop it (default: demo-run.json, or the file of --resume)
  --delay MS            pause of the offline model before each word (default: 15 on a terminal, else 0)
  --help                this text

Without --model it uses mock/rules-1, a rule-based stand-in that needs no key and no network.
--model openai/NAME reads OPENAI_API_KEY, and OPENAI_BASE_URL where another server is meant; so do the other providers
(ANTHROPIC_API_KEY, GROQ_API_KEY, ...). ollama/NAME needs no key and reads OLLAMA_HOST. Ctrl-C stops the run and keeps it.`;

const MAX_DELAY_MS = 10_000;

/**
 * Reads the command line. Paths are taken relative to `cwd`.
 * @throws UsageError
 */
export function readArgs(args: readonly string[], cwd: string): Options {
  const { values, positionals } = parse(args);
  const question = positionals.length === 0 ? undefined : positionals.join(" ").trim();
  if (question === "") throw new UsageError("The question is empty.");
  if (question !== undefined && values.resume !== undefined) {
    throw new UsageError("--resume goes on with the question of the stopped run: leave the question out.");
  }
  const resume = pathOf("--resume", values.resume, cwd);
  return {
    help: values.help === true,
    question,
    dir: pathOf("--dir", values.dir, cwd),
    model: values.model,
    resume,
    state: pathOf("--state", values.state, cwd) ?? resume ?? resolve(cwd, "demo-run.json"),
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
        resume: text,
        state: text,
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
