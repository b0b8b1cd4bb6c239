/** A wait that no server means: a day, ms. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * How long a server asks to wait, ms: from `retry-after-ms`, or from `retry-after` in seconds or as an HTTP date. Nothing
 * where it does not say, and for what is negative, absurd or unreadable. `nowMs` is for an answer without a `date`.
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function retryAfterMs(headers: Headers | undefined, nowMs: () => number): number | undefined {
  const inMs = headers?.get("retry-after-ms");
  const hint = headers?.get("retry-after");
  const exact = inMs ? plausible(Number(inMs)) : undefined;
  if (exact !== undefined || !hint) return exact;
  const seconds = Number(hint);
  return Number.isNaN(seconds) ? waitUntilMs(Date.parse(hint), headers, nowMs) : plausible(seconds * 1_000);
}

/**
 * How long it is until a time that a server names, ms. Measured against the answer's own `date`, so that a wrong clock on
 * either side does no harm; against `nowMs` where it has none. Nothing for what is past, absurd or no time (`NaN`).
 */
export function waitUntilMs(atMs: number, headers: Headers | undefined, nowMs: () => number): number | undefined {
  const sentAtMs = Date.parse(headers?.get("date") ?? "");
  return plausible(atMs - (Number.isNaN(sentAtMs) ? nowMs() : sentAtMs));
}

function plausible(waitMs: number): number | undefined {
  return waitMs >= 0 && waitMs <= LONGEST_WAIT_MS ? Math.round(waitMs) : undefined;
}
