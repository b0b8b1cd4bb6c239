import { expect, it } from "vitest";
import { retryAfterMs, waitUntilMs } from "./retry-hint.js";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

function wait(headers: Record<string, string>): number | undefined {
  return retryAfterMs(new Headers(headers), () => NOW_MS);
}

it("a hint is read in milliseconds, in seconds, and as a date (PA-17)", () => {
  expect(wait({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
  expect(wait({ "retry-after": "1.5" })).toBe(1_500);
  expect(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" })).toBe(30_000);
  expect(wait({ "retry-after": "86400" })).toBe(86_400_000);
});

it("a date is measured against the answer's own (PA-17)", () => {
  const date = "Fri, 02 Jan 2026 10:00:00 GMT";
  expect(wait({ "retry-after": "Fri, 02 Jan 2026 10:00:03 GMT", date })).toBe(3_000);
});

it("no hint is believed that is negative, absurd or unreadable (PA-17)", () => {
  for (const hint of ["-1", "86401", "1e12", "soon", "", "Thu, 01 Jan 2025 00:00:00 GMT"]) {
    expect(wait({ "retry-after": hint })).toBeUndefined();
  }
  expect(wait({})).toBeUndefined();
  expect(retryAfterMs(undefined, () => NOW_MS)).toBeUndefined();
});

it("a hint in milliseconds that is not believed leaves the one in seconds (PA-17)", () => {
  expect(wait({ "retry-after-ms": "-5", "retry-after": "2" })).toBe(2_000);
});

it("the wait until a time that a server names is measured against its own date, and is none for what is past (PA-17)", () => {
  const dated = new Headers({ date: "Thu, 01 Jan 2026 00:00:10 GMT" });
  expect(waitUntilMs(NOW_MS + 15_000, dated, () => NOW_MS)).toBe(5_000);
  expect(waitUntilMs(NOW_MS + 15_000, undefined, () => NOW_MS)).toBe(15_000);
  expect(waitUntilMs(NOW_MS + 5_000, dated, () => NOW_MS)).toBeUndefined();
  expect(waitUntilMs(Number.NaN, dated, () => NOW_MS)).toBeUndefined();
});
