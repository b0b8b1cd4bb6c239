import { expect, it } from "vitest";
import { retryAfterMs } from "./retry-hint.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function hint(headers: Record<string, string>): number | undefined {
  return retryAfterMs(new Headers(headers), () => NOW);
}

it("reads milliseconds, seconds and dates (PA-17)", () => {
  expect(hint({ "retry-after-ms": "1500", "retry-after": "9" })).toBe(1_500);
  expect(hint({ "retry-after": "2" })).toBe(2_000);
  expect(hint({ "retry-after": "0.25" })).toBe(250);
  expect(hint({ "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" })).toBe(7_000);
});

it("measures a date against the answer's own (PA-17)", () => {
  const headers = { "retry-after": "Fri, 02 Jan 2026 10:00:03 GMT", date: "Fri, 02 Jan 2026 10:00:00 GMT" };
  expect(hint(headers)).toBe(3_000);
});

it("believes no hint that is negative, absurd or unreadable (PA-17)", () => {
  for (const text of ["-1", "1e12", "soon", "", "Thu, 01 Jan 2025 00:00:00 GMT"]) {
    expect(hint({ "retry-after": text })).toBeUndefined();
  }
  expect(hint({ "retry-after-ms": "-5", "retry-after": "2" })).toBe(2_000);
  expect(retryAfterMs(undefined, () => NOW)).toBeUndefined();
});
