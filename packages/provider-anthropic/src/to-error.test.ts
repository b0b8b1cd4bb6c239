import { inspect } from "node:util";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import { isTinyAgentsError, type JsonObject, type TinyAgentsError } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { toError } from "./to-error.js";

const KEY = "sk-ant-canary-123456";

function fail(
  status: number | undefined,
  error: JsonObject,
  headers: Record<string, string> = {},
): TinyAgentsError & { readonly details: unknown } {
  const body = { type: "error", error, request_id: "req_body" };
  return toError(new APIError(status, body, undefined, new Headers(headers)), { provider: "anthropic", secrets: [] });
}

describe("a refusal of the server", () => {
  it.each([
    [401, { type: "authentication_error" }, "provider_auth", false],
    [403, { type: "permission_error" }, "provider_auth", false],
    [402, { type: "billing_error" }, "provider_billing", false],
    [400, { type: "invalid_request_error" }, "provider_bad_request", false],
    [404, { type: "not_found_error" }, "provider_bad_request", false],
    [404, { type: "not_found_error", message: "model: claude-none" }, "model_not_found", false],
    [413, { type: "request_too_large" }, "provider_bad_request", false],
    [429, { type: "rate_limit_error" }, "provider_rate_limit", true],
    [429, {}, "provider_rate_limit", true],
    [408, {}, "network", true],
    [500, { type: "api_error" }, "provider_server", true],
    [502, {}, "provider_server", true],
    [504, { type: "timeout_error" }, "provider_server", true],
    [503, {}, "provider_overloaded", true],
    [503, { type: "api_error" }, "provider_overloaded", true],
    [504, { type: "api_error" }, "provider_server", true],
    [529, { type: "overloaded_error" }, "provider_overloaded", true],
    [529, { type: "api_error", details: { error_code: "compaction_unavailable" } }, "provider_overloaded", true],
  ])("with %s %j is %s (ERR-04)", (status, error, code, retryable) => {
    expect(fail(status, { message: "No.", ...error })).toMatchObject({ code, retryable });
  });

  it.each([
    [{ type: "overloaded_error" }, "provider_overloaded"],
    [{ type: "rate_limit_error" }, "provider_rate_limit"],
    [{ type: "api_error" }, "provider_server"],
    [{ type: "authentication_error" }, "provider_auth"],
    [{ type: "invalid_request_error" }, "provider_bad_request"],
    [{ type: "something_new" }, "provider_server"],
    [{ type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" }, "context_window_exceeded"],
  ])("inside a stream, without a status, is told by its code: %j (PA-18)", (error, code) => {
    expect(fail(undefined, { message: "No.", ...error })).toMatchObject({ code });
  });

  it.each([
    [400, "Your credit balance is too low to access the Anthropic API.", {}],
    [400, "You have reached your specified API usage limits.", {}],
    [429, "This workspace's spend limit was reached.", {}],
    [429, "No.", { details: { error_code: "enforced_spend_limit_reached" } }],
    [403, "No.", { details: { error_code: "linked_organization_billing_unavailable" } }],
    [400, "No.", { details: { error_code: "user_profile_not_billable" } }],
  ])("of credit that is used up is no rate limit: %s %s (PA-16)", (status, message, more) => {
    const error = fail(status, { type: "rate_limit_error", message, ...more });
    expect(error).toMatchObject({ code: "provider_billing", retryable: false });
  });

  it("of a prompt that is too long says how long it was", () => {
    const messages = [
      ["prompt is too long: 210000 tokens > 200000 maximum", 210_000],
      ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length", 210_000],
    ] as const;
    for (const [message, askedTokens] of messages) {
      expect(fail(400, { type: "invalid_request_error", message })).toMatchObject({
        code: "context_window_exceeded",
        details: { askedTokens, limitTokens: 200_000, status: 400 },
      });
    }
    expect(fail(413, { type: "request_too_large", message: "Prompt is too long" }).code).toBe(
      "context_window_exceeded",
    );
  });

  it("of what a filter does not let pass is one", () => {
    const error = fail(400, { type: "invalid_request_error", message: "Output blocked by content filtering policy" });
    expect(error.code).toBe("provider_content_filter");
  });

  it("keeps code, status, the request's id and the hint (PA-17)", () => {
    const headers = { "request-id": "req_1", "retry-after": "2" };
    expect(fail(429, { type: "rate_limit_error", message: "Slow down." }, headers)).toMatchObject({
      message: "anthropic refused the request (429): Slow down.",
      details: {
        provider: "anthropic",
        status: 429,
        providerCode: "rate_limit_error",
        requestId: "req_1",
        retryAfterMs: 2_000,
      },
    });
    expect(fail(500, { type: "api_error", message: "Oh." })).toMatchObject({ details: { requestId: "req_body" } });
  });

  it("is repeatable as the server says, where it says so", () => {
    expect(fail(500, { type: "api_error" }, { "x-should-retry": "false" }).retryable).toBe(false);
    expect(fail(409, { type: "conflict_error" }, { "x-should-retry": "true" }).retryable).toBe(true);
  });

  it("is read wherever a gateway puts its words", () => {
    for (const body of [{ error: "No such model." }, { message: "No such model." }, { detail: "No such model." }]) {
      const error = toError(new APIError(404, body, undefined, new Headers()), { provider: "local", secrets: [] });
      expect(error).toMatchObject({
        code: "provider_bad_request",
        message: "local refused the request (404): No such model.",
      });
    }
  });
});

describe("a failed connection", () => {
  it("is a network failure that keeps the system's code", () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const error = toError(new APIConnectionError({ cause }), { provider: "anthropic", secrets: [] });
    expect(isTinyAgentsError(error, "network") && error.details.reason).toBe("ECONNREFUSED");
  });

  it("that took too long to make is one too", () => {
    const error = toError(new APIConnectionTimeoutError(), { provider: "anthropic", secrets: [] });
    expect(isTinyAgentsError(error, "network") && error.details.reason).toBe("connection_timeout");
  });

  it("in mid-stream keeps the text that had come", () => {
    const error = toError(new TypeError("terminated"), { provider: "anthropic", secrets: [], partialText: "half" });
    expect(isTinyAgentsError(error, "network") && error.details.partialText).toBe("half");
  });
});

it("no secret is left in an error, in its causes, or in what a debugger prints of them (SE-08)", () => {
  const nested = new Error(`fetch with ${KEY}`, { cause: { note: KEY } });
  const error = { message: `invalid key: ${KEY}`, type: KEY, details: { error_code: KEY, nested: { at: KEY } } };
  const headers = new Headers({ "request-id": KEY, "anthropic-workspace-id": KEY, "set-cookie": "s=1" });
  const vendor = new APIError(401, { type: "error", error, request_id: KEY }, undefined, headers);
  vendor.cause = nested;
  expect(vendor.stack).toContain(KEY);
  const typed = toError(vendor, { provider: "anthropic", secrets: [KEY] });
  expect(typed.code).toBe("provider_auth");
  expect(typed.cause).toBe(vendor);
  expect(vendor.headers?.get("set-cookie")).toBeNull();
  expect(inspect(typed, { depth: 9, showHidden: true })).not.toContain(KEY);
  expect(JSON.stringify(typed)).not.toContain(KEY);
});

it("a frame that is no JSON is told without a piece of it, which may be a piece of a secret (SE-08)", () => {
  let thrown: unknown;
  try {
    JSON.parse(`{"id": ${KEY}`);
  } catch (error) {
    thrown = error;
  }
  const error = toError(thrown, { provider: "anthropic", secrets: [KEY] });
  expect(error).toMatchObject({ code: "provider_server", details: { providerCode: "malformed_response" } });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY.slice(0, 6));
});
