/** A wait that no server means: a day, ms. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * How long a server asks to wait, ms: from `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, which is
 * measured against the answer's own `date`, so that a wrong clock on either side does no harm. Nothing for what is
 * negative, absurd or unreadable.
 */
export function retryAfterMs(headers: Headers | undefined, nowMs: () => number): number | undefined {
  const inMs = headers?.get("retry-after-ms");
  const hint = headers?.get("retry-after");
  return sane(inMs ? Number(inMs) : undefined) ?? sane(hint ? readHint(hint, headers?.get("date"), nowMs) : undefined);
}

function readHint(hint: string, date: string | null | undefined, nowMs: () => number): number {
  const seconds = Number(hint);
  if (!Number.isNaN(seconds)) return seconds * 1_000;
  const sentAtMs = Date.parse(date ?? "");
  return Date.parse(hint) - (Number.isNaN(sentAtMs) ? nowMs() : sentAtMs);
}

function sane(waitMs: number | undefined): number | undefined {
  return waitMs !== undefined && waitMs >= 0 && waitMs <= LONGEST_WAIT_MS ? Math.round(waitMs) : undefined;
}
