import {
  claimNextTask,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  systemClock,
  type TaskRecord,
  type TaskStore,
} from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { LONG_MS } from "./suite.js";

/** How often in a row somebody else may be faster. */
const MOST_TRIES = 5_000;

/** The kind of tasks that processes do. */
const KIND = "shared";

/** The ids of so many tasks that processes do. */
export function sharedIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `t${at}`);
}

/** Creates so many tasks, as everybody does, and then does those that nobody else has claimed. Gives their ids. */
export async function doTasks(tasks: TaskStore, { by, count }: JsonObject): Promise<JsonValue> {
  for (const taskId of sharedIds(Number(count))) await tasks.create({ taskId, kind: KIND, input: taskId });
  const worker = { by: `w${by}`, kinds: [KIND], leaseMs: LONG_MS };
  const done: string[] = [];
  for (;;) {
    const task = await claimNextTask(tasks, worker);
    if (task === undefined) return done;
    const { taskId, claims: fence } = task;
    await tasks.act(taskId, { type: "renew", fence, leaseMs: LONG_MS });
    await tasks.act(taskId, { type: "succeed", fence, result: worker.by });
    done.push(taskId);
  }
}

/**
 * Says something to one task, claims it and lets it go, so many times; who is too late tries again. Gives the numbers of its
 * claims.
 */
export async function takeTurns(tasks: TaskStore, { by, taskId, times }: JsonObject): Promise<JsonValue> {
  const fences: number[] = [];
  while (fences.length < Number(times)) {
    const said = { type: "steer", by: `w${by}`, id: `${by} ${fences.length}`, payload: by as JsonValue } as const;
    await tasks.act(String(taskId), said);
    const { claims: fence } = await claimed(tasks, String(taskId), `w${by}`);
    await tasks.act(String(taskId), { type: "release", fence });
    fences.push(fence);
  }
  return fences;
}

async function claimed(tasks: TaskStore, taskId: string, by: string): Promise<TaskRecord> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      return await tasks.act(taskId, { type: "claim", by, leaseMs: LONG_MS });
    } catch (error) {
      if (!isTinyAgentsError(error, "conflict")) throw error;
    }
    await systemClock.sleep(1);
  }
  throw new CheckFailure(`${MOST_TRIES} times somebody else had the task, or nobody let it go`);
}
