import { isPassingFileError, storeFailure, systemCodeOf, type TinyAgentsError } from "@tinyagents/core";

/** What the database says when it gave a transaction up for another one: a repeat is all it takes. */
const GIVEN_UP = new Set(["40001", "40P01"]);
/** A unique key that is there already. */
const DUPLICATE = "23505";
/** A statement that was stopped. */
const STOPPED = "57014";

/**
 * Classes of codes, and codes, of failures that pass: no connection, too much at once, going down, locked, stopped, given up. A full
 * disk does not, nor does a limit that is too low: somebody has to do something.
 */
const PASSING = /^(08|40|53[23]|57)|^55P03$/;
/** No connection; shut down, crashed, dropped; idle, or in one transaction, for too long. */
const ENDING = /^(08|57P|25P0[34])/;
const PASSING_SYSTEM_CODES = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  // The socket of a server that is not running.
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
]);
/** What `pg` says of lost connections, without a code. */
const PASSING_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable/;

/** The code that the database gave an error, five letters or digits; nothing for errors of anything else. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !PASSING_SYSTEM_CODES.has(code) ? code : undefined;
}

export function isGivenUp(error: unknown): boolean {
  return GIVEN_UP.has(sqlStateOf(error) ?? "");
}

export function isDuplicate(error: unknown): boolean {
  return sqlStateOf(error) === DUPLICATE;
}

export function isStopped(error: unknown): boolean {
  return sqlStateOf(error) === STOPPED;
}

/**
 * Whether a connection is over with this error. What the server says last comes before the end of the connection: whoever
 * got it in between would lose a statement. An error without a code is the driver's, and leaves nothing to rely on.
 */
export function endsConnection(error: unknown): boolean {
  return ENDING.test(sqlStateOf(error) ?? "08");
}

/** How an error of the database or of its driver is told. `store`: as messages name it. */
export function toErrorFor(
  store: string,
  secrets: readonly string[],
): (error: unknown, operation: string) => TinyAgentsError {
  return (error, operation) => storeFailure(store, operation, error, { retryable: isPassing(error), secrets });
}

function isPassing(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return PASSING.test(state);
  if (PASSING_SYSTEM_CODES.has(systemCodeOf(error) ?? "") || isPassingFileError(error)) return true;
  return error instanceof Error && PASSING_MESSAGES.test(error.message);
}
