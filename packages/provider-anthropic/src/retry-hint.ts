import { retryAfterMs, waitUntilMs } from "@tinyagents/core";

/** The limits that the server counts, as its headers name them. */
const LIMITS = ["requests", "tokens", "input-tokens", "output-tokens"] as const;

/**
 * How long the server asks to wait, ms: as its hint says, or else until every limit that is used up is reset.
 * @see https://platform.claude.com/docs/en/api/rate-limits#response-headers
 */
export function waitMsIn(headers: Headers | undefined, nowMs: () => number): number | undefined {
  if (headers === undefined) return undefined;
  return retryAfterMs(headers, nowMs) ?? waitUntilMs(lastReset(headers), headers, nowMs);
}

/** Of the limits that are used up; of none, no time at all. */
function lastReset(headers: Headers): number {
  const resets = LIMITS.filter((limit) => headers.get(`anthropic-ratelimit-${limit}-remaining`) === "0")
    .map((limit) => Date.parse(headers.get(`anthropic-ratelimit-${limit}-reset`) ?? ""))
    .filter((atMs) => !Number.isNaN(atMs));
  return Math.max(...resets);
}
