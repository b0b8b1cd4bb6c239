import { expect, it } from "vitest";
import { retryAfterMs } from "./retry-hint.js";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

function wait(headers: Record<string, string>): number | undefined {
  return retryAfterMs(new Headers(headers), () => NOW_MS);
}

it("a hint is read in milliseconds, in seconds, and as a date (PA-17)", () => {
  expect(wait({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
  expect(wait({ "retry-after": "1.5" })).toBe(1_500);
  expect(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" })).toBe(30_000);
});

it("dates are measured against the answer's own (PA-17)", () => {
  const date = "Thu, 01 Jan 2026 01:00:00 GMT";
  expect(wait({ "retry-after": "Thu, 01 Jan 2026 01:00:30 GMT", date })).toBe(30_000);
});

it("without a hint, the wait is until every limit that is used up is reset (PA-17)", () => {
  const reset = (limit: string, remaining: string, at: string): Record<string, string> => ({
    [`anthropic-ratelimit-${limit}-remaining`]: remaining,
    [`anthropic-ratelimit-${limit}-reset`]: `2026-01-01T00:00:${at}Z`,
  });
  expect(
    wait({ ...reset("requests", "0", "10"), ...reset("input-tokens", "0", "20"), ...reset("tokens", "5", "50") }),
  ).toBe(20_000);
  expect(wait({ ...reset("requests", "0", "10"), "retry-after": "3" })).toBe(3_000);
  expect(wait({ "anthropic-ratelimit-requests-remaining": "0" })).toBeUndefined();
});

it("hints that are negative, absurd or unreadable are none (PA-17)", () => {
  for (const hint of ["-1", "90000", "soon", "", "Thu, 01 Jan 2025 00:00:00 GMT"]) {
    expect(wait({ "retry-after": hint })).toBeUndefined();
  }
  expect(retryAfterMs(undefined, () => NOW_MS)).toBeUndefined();
});
