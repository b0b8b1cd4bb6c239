import { childProgram } from "../process/child-program.js";
import { type OtherProcess, startProcess } from "../process/other-process.js";
import type { SubjectModule } from "../process/subject-module.js";

/** Processes that have loaded the subject and wait for their turn. */
export interface WarmProcesses {
  take(): Promise<OtherProcess>;
  /** Ends those that wait. Those that were taken are the taker's. */
  end(): Promise<void>;
}

/** Starts processes before they are needed, since that takes most of the time: so many wait. */
export async function warmProcesses(subject: SubjectModule, count: number): Promise<WarmProcesses> {
  const program = await childProgram(subject);
  const starting: Promise<OtherProcess>[] = [];
  const start = (): void => {
    const one = startProcess(program);
    one.catch(() => undefined);
    starting.push(one);
  };
  for (let started = 0; started < count; started++) start();
  return {
    take() {
      start();
      return starting.shift() as Promise<OtherProcess>;
    },
    async end() {
      const left = await Promise.allSettled(starting);
      await Promise.all(left.map((one) => (one.status === "fulfilled" ? one.value.kill() : undefined)));
      await program.remove();
    },
  };
}
