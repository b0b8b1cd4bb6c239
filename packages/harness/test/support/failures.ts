import { type AgentRun, type AnyTinyAgentsError, isTinyAgentsError } from "@tinyagents/core";
import { runOf } from "@tinyagents/harness";

/** A failed run: its error, and the run as far as it got. */
export interface FailedRun {
  readonly error: AnyTinyAgentsError;
  readonly run: AgentRun<unknown>;
}

/** The failure of a run that must fail. @throws Error when it does not, or fails with something else. */
export async function failureOf(running: Promise<unknown>): Promise<FailedRun> {
  const thrown: unknown = await running.then(
    () => {
      throw new Error("the run was expected to fail, and did not");
    },
    (error) => error,
  );
  const run = runOf(thrown);
  if (!isTinyAgentsError(thrown) || run === undefined) throw thrown;
  return { error: thrown, run };
}
