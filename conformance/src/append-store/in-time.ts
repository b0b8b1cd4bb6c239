import { systemClock } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";

/** How long something may take that comes soon, ms. */
const SOON_MS = 5_000;

/** Waits for what comes soon. @throws CheckFailure when it does not; what the work throws. */
export async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  const done = new AbortController();
  const late = systemClock.sleep(SOON_MS, done.signal).then((): never => {
    throw new CheckFailure(`${what} did not come within ${SOON_MS} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
