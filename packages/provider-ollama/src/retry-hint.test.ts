import { expect, it } from "vitest";
import { retryAfterMs } from "./retry-hint.js";

const DATE = "Wed, 21 Oct 2026 07:28:00 GMT";

it.each<[Record<string, string>, number | undefined]>([
  [{ "retry-after": "2" }, 2_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT", date: DATE }, 5_000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT" }, 6_000],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": "86401" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("reads %j as %s ms (PA-17)", (headers, expected) => {
  expect(retryAfterMs(new Headers(headers), () => Date.parse(DATE) - 1_000)).toBe(expected);
});
