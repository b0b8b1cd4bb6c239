import { expect, it } from "vitest";
import { waitMsIn } from "./retry-hint.js";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

function wait(headers: Record<string, string>): number | undefined {
  return waitMsIn(new Headers(headers), () => NOW_MS);
}

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
