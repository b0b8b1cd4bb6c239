import { type JsonObject, type JsonValue, systemClock } from "@tinyagents/core";
import type { OtherProcess } from "./other-process.js";

/** How long before a race starts everybody is told of it, ms. */
const AHEAD_MS = 30;

/** How much longer a check may take that starts processes, ms: on a busy machine each may take seconds to start. */
export const PROCESSES_MS = 60_000;

/** Lets all do the same job from the same moment on, each with its number as `by`. Gives what they gave. */
export function allAtOnce(
  processes: readonly OtherProcess[],
  job: string,
  args: JsonObject,
): Promise<readonly JsonValue[]> {
  const startAtMs = systemClock.now() + AHEAD_MS;
  return Promise.all(processes.map((one, by) => one.do(job, { ...args, by, startAtMs })));
}
