import { describe, expect, test } from "vitest";
import { TinyAgentsError } from "../errors.js";
import { type FailedCall, malformedAnswer, providerError, type ToldFailure, transportError } from "./failure.js";

const KEY = "canary-key-1234";
const CALL: FailedCall = { provider: "acme", model: "acme-1", secrets: [KEY], partialText: "Hel" };

function told(failure: Partial<ToldFailure>) {
  const { code, message, details, retryable } = providerError({ message: "No.", ...failure }, CALL);
  return { code, message, details, retryable };
}

describe("a failure that a provider told of", () => {
  test("has the code that its words have, else that of its status, else provider_server (ERR-04)", () => {
    expect(told({ status: 429, code: "provider_billing" }).code).toBe("provider_billing");
    expect(told({ status: 429 }).code).toBe("provider_rate_limit");
    expect(told({}).code).toBe("provider_server");
  });

  test("says whose fault it was", () => {
    expect(told({ status: 400 }).message).toBe("acme refused the request (400): No.");
    expect([500, 503, 408].map((status) => told({ status }).message)).toEqual([
      "acme failed (500): No.",
      "acme failed (503): No.",
      "acme failed (408): No.",
    ]);
    expect(told({ code: "provider_auth" }).message).toBe("acme refused the request: No.");
  });

  test("keeps status, code, request and hint, and nothing that was not said (PA-17)", () => {
    const headers = new Headers({ "x-request-id": "req_1", "retry-after": "2" });
    expect(told({ status: 429, providerCode: "slow_down", headers }).details).toEqual({
      provider: "acme",
      status: 429,
      providerCode: "slow_down",
      requestId: "req_1",
      retryAfterMs: 2_000,
    });
    expect(told({ status: 401, headers: new Headers({ "request-id": "req_2", "retry-after": "2" }) }).details).toEqual({
      provider: "acme",
      status: 401,
      requestId: "req_2",
    });
    expect(told({ status: 429 }).details).toEqual({ provider: "acme", status: 429 });
  });

  test("says what the caller knows better than the headers", () => {
    const headers = new Headers({ "x-request-id": "req_1", "retry-after": "2", "x-should-retry": "true" });
    const better = { requestId: "req_9", retryAfterMs: 7, retryable: false };
    const { details, retryable } = told({ status: 500, headers, ...better });
    expect(details).toMatchObject({ requestId: "req_9", retryAfterMs: 7 });
    expect(retryable).toBe(false);
  });

  test("may be repeated as the server says, where it says so, and else as its code says", () => {
    const said = (status: number, value: string) =>
      told({ status, headers: new Headers({ "x-should-retry": value }) }).retryable;
    expect([said(500, "false"), said(409, "true"), said(500, ""), said(409, "")]).toEqual([false, true, true, false]);
  });

  test("of a model that nobody knows names it", () => {
    const code = "model_not_found";
    expect(told({ code, status: 404 }).details).toEqual({ model: "acme-1", provider: "acme" });
    expect(told({ code, model: "acme-9" }).details).toEqual({ model: "acme-9", provider: "acme" });
  });

  test("of a context that is too long says how long it may be", () => {
    const sizes = { limitTokens: 8, askedTokens: 9 };
    expect(told({ code: "context_window_exceeded", ...sizes }).details).toEqual({ provider: "acme", ...sizes });
  });

  test("of a server that waited for the request is one of the network", () => {
    expect(told({ status: 408 })).toMatchObject({ code: "network", details: { reason: "request_timeout" } });
  });

  test("has no secret in it, and none in its cause (SE-08)", () => {
    const cause = new Error(`with ${KEY}`);
    const headers = new Headers({ "x-request-id": KEY });
    const failure = { status: 500, message: KEY, providerCode: KEY, headers };
    const error = providerError(failure, CALL, cause);
    expect(JSON.stringify(error) + error.message + String(error.cause)).not.toContain(KEY);
    expect(error.cause).toBe(cause);
  });
});

describe("what was thrown on the way", () => {
  test("is a failure of the network that says what it was in the end, and what had come", () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNRESET" });
    expect(transportError(new TypeError("fetch failed", { cause }), CALL)).toMatchObject({
      code: "network",
      message: "The connection to acme failed: fetch failed: connect",
      details: { provider: "acme", reason: "ECONNRESET", partialText: "Hel" },
    });
  });

  test("without a code of the system is a connection that failed, or took too long", () => {
    const reasonOf = (thrown: unknown) => transportError(thrown, { provider: "acme", secrets: [] }).details;
    expect(reasonOf(new Error("terminated"))).toEqual({ provider: "acme", reason: "connection_failed" });
    expect(reasonOf(new Error("Request timed out."))).toEqual({ provider: "acme", reason: "connection_timeout" });
    expect(reasonOf(undefined)).toEqual({ provider: "acme", reason: "connection_failed" });
  });

  test("stays what it is where it is ours, also within an SDK's error", () => {
    const ours = new TinyAgentsError("invalid_request", "No.", { details: {} });
    expect(transportError(ours, CALL)).toBe(ours);
    expect(transportError(new Error("of an SDK", { cause: ours }), CALL)).toBe(ours);
  });

  test.each([new SyntaxError(`Unexpected token in ${KEY}`), new RangeError("too deep")])(
    "for an answer that cannot be read has nothing of it: %s (SE-08)",
    (thrown) => {
      const error = transportError(thrown, CALL);
      expect(error).toMatchObject({ code: "provider_server", details: { providerCode: "malformed_response" } });
      expect(error.cause).toBeUndefined();
    },
  );

  test("has no secret in it, and none in its causes (SE-08)", () => {
    const error = transportError(new Error(`to ${KEY}`, { cause: new Error(KEY) }), CALL);
    expect(error.message + String(error.cause)).not.toContain(KEY);
  });
});

test("an answer that is not what was asked for says what it is", () => {
  expect(malformedAnswer("acme", "is no list")).toMatchObject({
    code: "provider_server",
    message: "acme sent something that is no list.",
    details: { provider: "acme", providerCode: "malformed_response" },
  });
});
