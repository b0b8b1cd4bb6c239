/** A wait that no server means: a day, ms. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * How long a server asks to wait, ms: seconds, or an HTTP date, which is measured against the answer's own `date`.
 * Nothing for what is negative, absurd or unreadable.
 */
export function retryAfterMs(headers: Headers | undefined, nowMs: () => number): number | undefined {
  const hint = headers?.get("retry-after");
  if (!hint) return undefined;
  const waitMs = Math.round(readHint(hint, headers?.get("date"), nowMs));
  return waitMs >= 0 && waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}

function readHint(hint: string, date: string | null | undefined, nowMs: () => number): number {
  const seconds = Number(hint);
  if (!Number.isNaN(seconds)) return seconds * 1_000;
  const sentAtMs = Date.parse(date ?? "");
  return Date.parse(hint) - (Number.isNaN(sentAtMs) ? nowMs() : sentAtMs);
}
