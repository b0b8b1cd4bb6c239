import { describe, expect, test } from "vitest";
import type { ModelDelta } from "./delta.js";
import { keptHeaders, withKeptHeaders } from "./kept-headers.js";

describe("headers of an answer that are kept", () => {
  test("are ids of requests and what is left of limits, as they came", () => {
    const headers = new Headers({
      "X-Request-Id": "req_1",
      "request-id": "req_2",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-requests": "1s",
      "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:00Z",
      ratelimit: '"default";r=50;t=30',
      "set-cookie": "session=1",
      "content-type": "application/json",
      "x-api-key": "key",
      "my-request-id-token": "no",
    });
    expect(keptHeaders(headers, [])).toEqual({
      "x-request-id": "req_1",
      "request-id": "req_2",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-requests": "1s",
      "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:00Z",
      ratelimit: '"default";r=50;t=30',
    });
    expect(keptHeaders(new Headers({ server: "x" }), [])).toBeUndefined();
  });

  test("are no way out for a secret that a gateway repeats (SE-08)", () => {
    const headers = new Headers({ "x-request-id": "of canary+kestrel" });
    expect(keptHeaders(headers, ["canary+kestrel"])).toEqual({ "x-request-id": "of [redacted]" });
  });

  test("are few and short, whatever a server sends", () => {
    const many = Array.from({ length: 1_000 }, (_, at) => [`x-ratelimit-${at}`, "9".repeat(5_000)] as const);
    const kept = Object.values(keptHeaders(new Headers(many.map(([name, value]) => [name, value])), []) ?? {});
    expect([kept.length, new Set(kept.map((value) => String(value).length))]).toEqual([32, new Set([256])]);
  });

  test("stand in the end of the response, beside what else the provider said", () => {
    const finish: ModelDelta = { type: "finish", finishReason: "stop", providerData: { service_tier: "default" } };
    const text: ModelDelta = { type: "text", index: 0, text: "Hi" };
    const kept = { "x-request-id": "req_1" };
    expect(withKeptHeaders(finish, kept)).toEqual({
      ...finish,
      providerData: { service_tier: "default", headers: kept },
    });
    expect(withKeptHeaders(text, kept)).toBe(text);
    expect(withKeptHeaders(finish, undefined)).toBe(finish);
  });
});
