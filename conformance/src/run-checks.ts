import { type Clock, messageOf, systemClock } from "@tinyagents/core";
import { CheckFailure } from "./assert.js";
import type { Check, CheckResult, Claims, NeedOf, Report } from "./check.js";

/** How checks are run. */
export interface RunOptions {
  /** The name in the report. */
  readonly name: string;
  /** The longest that one check may take, ms. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Default: real time. */
  readonly clock?: Clock | undefined;
}

/** Runs checks one after the other, each with a subject of its own. */
export async function runChecks<Subject extends Claims<never>>(
  checks: readonly Check<Subject>[],
  create: () => Subject | Promise<Subject>,
  options: RunOptions,
): Promise<Report> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push((await runCheck(check, create, options)).result);
  const count = (status: CheckResult["status"]): number => results.filter((result) => result.status === status).length;
  const failed = count("failed");
  return {
    subject: options.name,
    ok: failed === 0,
    passed: count("passed"),
    failed,
    skipped: count("skipped"),
    results,
  };
}

/** Runs one check. `error` is what it threw, for whoever shows stacks. */
export async function runCheck<Subject extends Claims<never>>(
  check: Check<Subject>,
  create: () => Subject | Promise<Subject>,
  { timeoutMs = 10_000, clock = systemClock }: Partial<RunOptions> = {},
): Promise<{ readonly result: CheckResult; readonly error?: unknown }> {
  const { name, group } = check;
  try {
    const lack = await within(timeoutMs + (check.extraMs ?? 0), clock, perform(check, create));
    if (lack === undefined) return { result: { name, group, status: "passed" } };
    return { result: { name, group, status: "skipped", message: lack } };
  } catch (error) {
    return { result: { name, group, status: "failed", message: messageOf(error) }, error };
  }
}

/** The reason for which the check did not apply; nothing when it was done. */
async function perform<Subject extends Claims<never>>(
  check: Check<Subject>,
  create: () => Subject | Promise<Subject>,
): Promise<string | undefined> {
  const subject = await create();
  for (const [at, need] of (check.needs ?? []).entries()) {
    const lack = await (subject as Claims<NeedOf<Subject>>).lacks(need);
    if (lack === undefined) continue;
    if (at === 0) await check.runWhenLacking?.(subject);
    return lack;
  }
  await check.run(subject);
  return undefined;
}

function within<T>(timeoutMs: number, clock: Clock, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new CheckFailure(`it was not done within ${timeoutMs} ms`);
    const clear = clock.setTimer(timeoutMs, () => reject(late));
    work.then(resolve, reject).finally(clear);
  });
}
