import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { backends } from "../backends/backends.js";
import { DRIVERS } from "../backends/open-backend.js";
import type { BackendPlace } from "../backends/place.js";
import { type NodeProgram, nodeProgram, type Running } from "../support/node-program.js";
import type { RunTask, WorkerTask } from "./worker.js";

/** A place of one durable backend, and processes that work on it. */
export interface Workers {
  readonly place: BackendPlace;
  /** A process that was started before and has its modules loaded begins with a task. */
  begin(task: DistributiveOmit<WorkerTask, "backend">): Running;
  /** The same for a run, in the thread `t1` unless told otherwise. Leases hold for {@link LEASE_MS}. */
  run(task: Partial<RunTask> & Pick<RunTask, "runId">): Running;
}

type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;

export const LEASE_MS = 60_000;
/** How many processes wait for a task. */
const WARM = 2;

/** Describes something on every durable backend, by processes of their own. */
export function onDurableBackends(title: string, tests: (workers: () => Workers) => void): void {
  let program: NodeProgram;
  beforeAll(async () => {
    program = await nodeProgram(new URL("./worker.ts", import.meta.url), { external: DRIVERS });
  });
  afterAll(() => program.remove());
  const waiting: Running[] = [];
  const take = (): Running => {
    while (waiting.length <= WARM) waiting.push(program.start());
    return waiting.shift() as Running;
  };

  for (const kind of backends.filter(({ durable }) => durable)) {
    describe.skipIf(kind.skip !== undefined)(`${title} (${kind.name})`, () => {
      let place: BackendPlace;
      beforeEach(async () => {
        place = await kind.place();
      });
      afterEach(() => place.remove());
      const begin: Workers["begin"] = (task) => {
        const process = take();
        process.say(JSON.stringify({ ...task, backend: place.ref }));
        return process;
      };
      const run: Workers["run"] = (task) => begin({ type: "run", threadId: "t1", leaseMs: LEASE_MS, ...task });
      tests(() => ({ place, begin, run }));
    });
  }
}
