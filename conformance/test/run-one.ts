import { type Check, type CheckResult, type Claims, runCheck } from "@tinyagents/conformance";
import { manualClock } from "@tinyagents/core";

/** How many turns of the event loop a check may take that does not hang. */
const MOST_TURNS = 200;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Runs one check of a suite, by its name. What hangs is timed out without waiting. */
export async function runOne<Subject extends Claims<never>>(
  checks: readonly Check<Subject>[],
  name: string,
  create: () => Subject,
): Promise<CheckResult> {
  const check = checkNamed(checks, name);
  const clock = manualClock();
  let done = false;
  const outcome = runCheck(check, create, { clock, timeoutMs: 60_000 }).finally(() => {
    done = true;
  });
  for (let turns = 0; turns < MOST_TURNS && !done; turns++) await nextTurn();
  if (!done) await clock.advance(60_000);
  return (await outcome).result;
}

/** Whether a check can be asked of a subject in memory: it needs neither other processes nor a backend that fails. */
export function needsOneProcess({ needs = [] }: { readonly needs?: readonly string[] }): boolean {
  return !needs.includes("processes") && !needs.includes("failures");
}

/** The same in real time, for what starts processes or writes files. */
export async function runOneForReal<Subject extends Claims<never>>(
  checks: readonly Check<Subject>[],
  name: string,
  create: () => Subject,
): Promise<CheckResult> {
  return (await runCheck(checkNamed(checks, name), create)).result;
}

function checkNamed<Subject extends Claims<never>>(checks: readonly Check<Subject>[], name: string): Check<Subject> {
  const check = checks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`no check ${name}`);
  return check;
}
