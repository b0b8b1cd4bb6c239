import { createInterface } from "node:readline";
import { isTinyAgentsError, type JournalEntry, systemClock } from "@tinyagents/core";
import { eventJournal } from "@tinyagents/persistence";
import { type BackendRef, type OpenBackend, openBackend } from "../backends/open-backend.js";
import { workingAgent } from "./working-agent.js";

/** Starts a run, or goes on with it where it was recorded. */
export interface RunTask {
  readonly type: "run";
  readonly backend: BackendRef;
  readonly runId: string;
  readonly threadId: string;
  readonly leaseMs: number;
  /** How far the clock of this process is ahead of the others'. Default 0. */
  readonly aheadMs?: number;
  /** Work on these keys takes so long. Default: none; longer than any test. */
  readonly hanging?: readonly string[];
  readonly hangMs?: number;
  /** Whether to tell of every event as it happens. Default false. */
  readonly live?: boolean;
}

/** Follows the journal of a run to its end, and tells every entry. */
export interface WatchTask {
  readonly type: "watch";
  readonly backend: BackendRef;
  readonly runId: string;
}

/** What a process is told in its first line. */
export type WorkerTask = RunTask | WatchTask;

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function run(backend: OpenBackend, task: RunTask): Promise<void> {
  const { runId, threadId, leaseMs, aheadMs = 0, hanging = [], hangMs, live = false } = task;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const told = live ? { live: (event: object) => tell(`event ${JSON.stringify(event)}`) } : {};
  const { agent, recorder, close } = workingAgent({ backend, clock, leaseMs, hanging, hangMs, tell, ...told });
  const left = await recorder.load(runId);
  if (left === undefined) await agent.invoke(`Do all of ${runId}.`, { runId, threadId });
  else if (left.state.phase !== "done") await agent.resume(runId);
  await close();
}

async function watch({ log }: OpenBackend, { runId }: WatchTask): Promise<void> {
  const told = (entry: JournalEntry) => tell(`entry ${JSON.stringify(entry)}`);
  for await (const entry of eventJournal(log).follow({ rootRunId: runId, untilEnd: true, pollMs: 10 })) told(entry);
}

async function read(): Promise<WorkerTask> {
  for await (const line of createInterface({ input: process.stdin })) return JSON.parse(line);
  throw new Error("nobody said what to do");
}

const task = await read();
process.stdin.destroy();
const backend = await openBackend(task.backend);
try {
  await (task.type === "run" ? run(backend, task) : watch(backend, task));
  tell("end");
} catch (error) {
  if (!isTinyAgentsError(error)) throw error;
  tell(`failed ${error.code}`);
} finally {
  await backend.close();
}
