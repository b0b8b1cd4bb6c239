import type { JsonValue } from "@tinyagents/core";
import { type ChildProgram, childProgram } from "./child-program.js";
import { type OtherProcess, startProcess } from "./other-process.js";
import type { SubjectModule } from "./subject-module.js";

/** The other processes of one check. */
export interface OtherProcesses {
  /** Starts so many, each with the place open. */
  start(count: number, ref: JsonValue): Promise<readonly OtherProcess[]>;
  /** Ends them all. */
  end(): Promise<void>;
}

export function otherProcesses(subject: SubjectModule): OtherProcesses {
  const started: OtherProcess[] = [];
  let program: Promise<ChildProgram> | undefined;
  return {
    async start(count, ref) {
      program ??= childProgram(subject);
      const { args, remove } = await program;
      const starting = Array.from({ length: count }, async () => {
        const one = await startProcess({ args, remove });
        started.push(one);
        await one.open(ref);
        return one;
      });
      const outcomes = await Promise.allSettled(starting);
      return outcomes.map((outcome) => {
        if (outcome.status === "rejected") throw outcome.reason;
        return outcome.value;
      });
    },
    async end() {
      await Promise.all(started.splice(0).map((one) => one.end()));
      await (await program?.catch(() => undefined))?.remove();
    },
  };
}
