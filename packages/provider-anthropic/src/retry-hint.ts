/** A wait that no server means: a day, ms. */
const LONGEST_WAIT_MS = 86_400_000;
/** The limits that the server counts, as its headers name them. */
const LIMITS = ["requests", "tokens", "input-tokens", "output-tokens"] as const;

/**
 * How long a server asks to wait, ms: from `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, or else until
 * every limit that is used up is reset. Dates are measured against the answer's own `date`, so that a wrong clock on
 * either side does no harm. Nothing for what is negative, absurd or unreadable.
 * @see https://platform.claude.com/docs/en/api/rate-limits#response-headers
 */
export function retryAfterMs(headers: Headers | undefined, nowMs: () => number): number | undefined {
  if (headers === undefined) return undefined;
  const inMs = headers.get("retry-after-ms");
  const hint = headers.get("retry-after");
  const sentAtMs = (): number => {
    const date = Date.parse(headers.get("date") ?? "");
    return Number.isNaN(date) ? nowMs() : date;
  };
  return (
    sane(inMs ? Number(inMs) : undefined) ??
    sane(hint ? readHint(hint, sentAtMs) : undefined) ??
    sane(untilReset(headers, sentAtMs))
  );
}

function readHint(hint: string, sentAtMs: () => number): number {
  const seconds = Number(hint);
  return Number.isNaN(seconds) ? Date.parse(hint) - sentAtMs() : seconds * 1_000;
}

function untilReset(headers: Headers, sentAtMs: () => number): number | undefined {
  const resets = LIMITS.filter((limit) => headers.get(`anthropic-ratelimit-${limit}-remaining`) === "0")
    .map((limit) => Date.parse(headers.get(`anthropic-ratelimit-${limit}-reset`) ?? ""))
    .filter((atMs) => !Number.isNaN(atMs));
  return resets.length === 0 ? undefined : Math.max(...resets) - sentAtMs();
}

function sane(waitMs: number | undefined): number | undefined {
  return waitMs !== undefined && waitMs >= 0 && waitMs <= LONGEST_WAIT_MS ? Math.round(waitMs) : undefined;
}
