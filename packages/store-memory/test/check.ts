import assert from "node:assert/strict";
import { type ErrorCode, type ErrorDetails, isTinyAgentsError } from "@tinyagents/core";

/** One promise of a contract, as a function that any implementation can be run through. */
export interface Check<Subject> {
  /** A sentence that a user would agree with. */
  readonly name: string;
  /** Gets a fresh subject; throws when the promise is broken. */
  run(subject: Subject): Promise<void>;
}

/** Waits for a failure with this code, and gives its details and message. */
export async function failsWith<C extends ErrorCode>(
  work: Promise<unknown>,
  code: C,
): Promise<{ readonly details: ErrorDetails[C]; readonly message: string }> {
  const outcome = await work.then(
    () => "it succeeded",
    (error: unknown) => error,
  );
  assert.ok(isTinyAgentsError(outcome, code), `a failure with code ${code} is expected: ${String(outcome)}`);
  return outcome as unknown as { readonly details: ErrorDetails[C]; readonly message: string };
}
