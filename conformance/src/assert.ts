import { type ErrorCode, isTinyAgentsError, messageOf, type TinyAgentsError } from "@tinyagents/core";

/** A promise that a subject does not keep. The message says which, and what was found in its place. */
export class CheckFailure extends Error {
  override readonly name = "CheckFailure";
}

/** @throws CheckFailure with the message when the condition does not hold. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CheckFailure(message);
}

/**
 * Compares plain data all the way down. A key that holds `undefined` counts as absent.
 * @throws CheckFailure that names the first place where they differ.
 */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const place = difference(actual, expected, "");
  if (place === undefined) return;
  const [path, found, wanted] = place;
  throw new CheckFailure(
    `${what}${path === "" ? "" : ` at ${path}`}: ${show(wanted)} is expected, ${show(found)} found`,
  );
}

/** @throws CheckFailure unless the text has the piece. */
export function assertIncludes(text: string, piece: string, what: string): void {
  assert(text.includes(piece), `${what}: ${show(piece)} is missing from ${show(text)}`);
}

/**
 * Waits for a failure and gives it back.
 * @throws CheckFailure when there is none, or one with another code.
 */
export async function assertFails<C extends ErrorCode>(
  work: Promise<unknown>,
  code: C,
  what: string,
): Promise<TinyAgentsError<C>> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new CheckFailure(`${what}: an error ${code} is expected, ${show(outcome.value)} found`);
  if (isTinyAgentsError(outcome.error, code)) return outcome.error;
  const found = isTinyAgentsError(outcome.error) ? `error ${outcome.error.code}` : "error without a code";
  throw new CheckFailure(`${what}: an error ${code} is expected, an ${found} found: ${messageOf(outcome.error)}`);
}

type Difference = readonly [path: string, found: unknown, wanted: unknown];

function difference(found: unknown, wanted: unknown, path: string): Difference | undefined {
  if (Object.is(found, wanted)) return undefined;
  if (!isObject(found) || !isObject(wanted) || Array.isArray(found) !== Array.isArray(wanted)) {
    return [path, found, wanted];
  }
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
    const step = Array.isArray(wanted) ? `[${key}]` : path === "" ? key : `.${key}`;
    const inner = difference(found[key], wanted[key], path + step);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

const LONGEST_SHOWN = 300;

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}
