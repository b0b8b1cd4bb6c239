import { messageOf, TinyAgentsError } from "../errors.js";
import type { JsonValue } from "../json.js";
import { redactError } from "../redact-error.js";

/** The error of a store for an argument that cannot be. `place` names it; `problem` says what is wrong and wanted. */
export function invalidArgument(place: string, problem: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", `${place}: ${problem}`, {
    details: { reason: `${place}: ${problem}`, argument: place },
  });
}

/** The error of a store for a write whose condition does not hold. `null` stands for no record. */
export function writeConflict(resource: string, expected: JsonValue, found: JsonValue): TinyAgentsError<"conflict"> {
  const said = (value: JsonValue): string => (value === null ? "nothing" : JSON.stringify(value));
  return new TinyAgentsError(
    "conflict",
    `${resource}: ${said(expected)} was expected, ${said(found)} found. Read it again and decide anew.`,
    { details: { resource, expected, found } },
  );
}

/**
 * The error of a store whose backend failed, with the original as `cause`, without its secrets.
 * @param store what failed, as messages name it: `SQLite store`.
 */
export function storeFailure(
  store: string,
  operation: string,
  cause: unknown,
  { retryable = false, secrets = [] }: { readonly retryable?: boolean; readonly secrets?: readonly string[] } = {},
): TinyAgentsError<"store_failed"> {
  const clean = redactError(cause, secrets) ?? cause;
  return new TinyAgentsError("store_failed", `The ${store} failed to ${operation}: ${messageOf(clean)}`, {
    details: { store, operation },
    retryable,
    cause: clean,
  });
}
