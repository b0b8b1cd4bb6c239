import { inspect } from "node:util";
import { isTinyAgentsError, type TinyAgentsError } from "@tinyagents/core";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { describe, expect, it } from "vitest";
import { toError } from "./to-error.js";

const KEY = "canary-key-123456";

function fail(status: number | undefined, body: object, headers: Record<string, string> = {}): TinyAgentsError {
  return toError(new APIError(status, body, undefined, new Headers(headers)), {
    provider: "openai",
    model: "m",
    secrets: [KEY],
  });
}

describe("a failure of the server", () => {
  it("is told apart from a refusal in words too", () => {
    expect([500, 503, 408].map((status) => fail(status, { message: "x" }).message)).toEqual([
      "openai failed (500): x",
      "openai failed (503): x",
      "openai failed (408): x",
    ]);
    expect(fail(400, { message: "x" }).message).toBe("openai refused the request (400): x");
  });

  it("has a code for each kind, whatever else the status says (ERR-04)", () => {
    const cases: [number | undefined, object, string, boolean][] = [
      [401, { code: "invalid_api_key" }, "provider_auth", false],
      [403, {}, "provider_auth", false],
      [402, {}, "provider_billing", false],
      [429, { code: "insufficient_quota" }, "provider_billing", false],
      [429, { type: "insufficient_quota" }, "provider_billing", false],
      [429, { code: "rate_limit_exceeded" }, "provider_rate_limit", true],
      [429, {}, "provider_rate_limit", true],
      [500, {}, "provider_server", true],
      [502, {}, "provider_server", true],
      [503, {}, "provider_overloaded", true],
      [529, {}, "provider_overloaded", true],
      [408, {}, "network", true],
      [400, { code: "context_length_exceeded" }, "context_window_exceeded", false],
      [
        400,
        { code: 400, message: "This model's maximum context length is 10 tokens." },
        "context_window_exceeded",
        false,
      ],
      [400, { code: "content_filter" }, "provider_content_filter", false],
      [400, {}, "provider_bad_request", false],
      [404, { code: "model_not_found" }, "model_not_found", false],
      [404, {}, "provider_bad_request", false],
      [422, {}, "provider_bad_request", false],
    ];
    for (const [status, body, code, retryable] of cases) {
      expect([status, body, fail(status, body).code, fail(status, body).retryable]).toEqual([
        status,
        body,
        code,
        retryable,
      ]);
    }
  });

  it("is told apart by its code when it comes inside a stream (PA-18)", () => {
    const cases: [object, string][] = [
      [{ type: "server_error" }, "provider_server"],
      [{ code: "rate_limit_exceeded" }, "provider_rate_limit"],
      [{ code: 429, message: "slow down" }, "provider_rate_limit"],
      [{ code: "insufficient_quota" }, "provider_billing"],
      [{ type: "overloaded_error" }, "provider_overloaded"],
      [{ type: "invalid_request_error" }, "provider_bad_request"],
      [{ code: "invalid_prompt" }, "provider_bad_request"],
      [{ code: "failed_to_download_image" }, "provider_bad_request"],
      [{ code: "image_content_policy_violation" }, "provider_content_filter"],
      [{ message: "something" }, "provider_server"],
    ];
    for (const [body, code] of cases) expect([body, fail(undefined, body).code]).toEqual([body, code]);
  });

  it("keeps status, code, request id and hint (ERR-04, PA-17)", () => {
    const error = fail(429, { code: "rate_limit_exceeded" }, { "retry-after": "2", "x-request-id": "req_1" });
    expect(error.details).toEqual({
      provider: "openai",
      status: 429,
      providerCode: "rate_limit_exceeded",
      requestId: "req_1",
      retryAfterMs: 2_000,
    });
  });

  it("says how large the context is and was", () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    const { details } = fail(400, { code: "context_length_exceeded", message });
    expect(details).toMatchObject({ limitTokens: 8192, askedTokens: 9000 });
  });

  it("is repeatable as the server says, where it says so", () => {
    expect(fail(500, {}, { "x-should-retry": "false" }).retryable).toBe(false);
    expect(fail(409, {}, { "x-should-retry": "true" }).retryable).toBe(true);
  });
});

describe("a failed connection", () => {
  it("is a network failure that keeps the system's code", () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const error = toError(new APIConnectionError({ cause }), { provider: "openai", model: "m", secrets: [] });
    expect(isTinyAgentsError(error, "network") && error.details.reason).toBe("ECONNREFUSED");
  });

  it("that took too long to make is one too", () => {
    const error = toError(new APIConnectionTimeoutError(), { provider: "openai", model: "m", secrets: [] });
    expect(isTinyAgentsError(error, "network") && error.details.reason).toBe("connection_timeout");
  });

  it("in mid-stream keeps the text that had come", () => {
    const error = toError(new TypeError("terminated"), {
      provider: "openai",
      model: "m",
      secrets: [],
      partialText: "half",
    });
    expect(isTinyAgentsError(error, "network") && error.details.partialText).toBe("half");
  });
});

it("no secret is left in an error, in its causes, or in what a debugger prints of them (SE-08)", () => {
  const nested = new Error(`fetch with ${KEY}`, { cause: { note: KEY } });
  const body = { message: `Incorrect API key: ${KEY}`, code: KEY, type: KEY, param: KEY, nested: { at: KEY } };
  const vendor = new APIError(
    401,
    body,
    undefined,
    new Headers({ "x-request-id": KEY, "x-echo": KEY, "set-cookie": "s=1" }),
  );
  vendor.cause = nested;
  expect(vendor.stack).toContain(KEY);
  const error = toError(vendor, { provider: "openai", model: "m", secrets: [KEY] });
  expect(error.code).toBe("provider_auth");
  expect(error.cause).toBe(vendor);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
  expect(JSON.stringify(error)).not.toContain(KEY);
  expect(vendor.stack).not.toContain(KEY);
});

it("a frame that is no JSON is told without a piece of it, which may be a piece of a secret (SE-08)", () => {
  let thrown: unknown;
  try {
    JSON.parse(`{"id": ${KEY}`);
  } catch (error) {
    thrown = error;
  }
  const error = toError(thrown, { provider: "openai", model: "m", secrets: [KEY] });
  expect(error).toMatchObject({ code: "provider_server", details: { providerCode: "malformed_response" } });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY.slice(0, 6));
});

it("of a long message the beginning is read, and numbers that cannot be tokens are not told", () => {
  const told = (message: string) =>
    toError(new APIError(400, { message }, undefined, undefined), { provider: "openai", model: "m", secrets: [] });
  const late = `${"context length ".repeat(70_000)} exceeded`;
  expect(told(late)).toMatchObject({ code: "provider_bad_request" });
  const huge = told(`This model's maximum context length is ${"9".repeat(400)} tokens.`);
  expect(huge).toMatchObject({ code: "context_window_exceeded", details: { provider: "openai", status: 400 } });
  expect(huge.details).not.toHaveProperty("limitTokens");
});
