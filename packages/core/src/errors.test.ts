import { runInNewContext } from "node:vm";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  type ErrorCode,
  errorFromRecord,
  isTinyAgentsError,
  messageOf,
  type ProviderFailure,
  readThrown,
  retryableByDefault,
  TinyAgentsError,
} from "./errors.js";

function refuse(): never {
  throw new Error("you may not look");
}

/** Things to throw that throw when they are looked at, or are not what they say. */
const HOSTILE: readonly (readonly [string, unknown])[] = [
  ["an object whose getters throw", Object.defineProperties({}, { message: { get: refuse }, name: { get: refuse } })],
  ["a proxy that throws at everything", new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse })],
  ["a proxy that says yes to everything", new Proxy({}, { get: () => true })],
  ["a revoked proxy", revoked()],
  ["an error whose message is no text", Object.assign(new Error("x"), { message: { toString: refuse }, name: 7 })],
];

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Another copy of the module, as a second installed version would be. */
const secondCopy = (await import(/* @vite-ignore */ `./errors.ts?copy=${2}`)) as typeof import("./errors.js");

const rateLimit = new TinyAgentsError("provider_rate_limit", "slow down", {
  details: { provider: "mock", status: 429, retryAfterMs: 20 },
});

/** Whether a repeat could help, for every code (ERR-08, ERR-09). */
const RETRYABLE: { readonly [C in ErrorCode]: boolean } = {
  invalid_request: false,
  model_not_found: false,
  capability_missing: false,
  tool_not_found: false,
  tool_schema_invalid: false,
  tool_arguments_invalid: false,
  tool_failed: false,
  tool_denied: false,
  provider_auth: false,
  provider_billing: false,
  provider_rate_limit: true,
  provider_overloaded: true,
  provider_server: true,
  provider_bad_request: false,
  provider_content_filter: false,
  context_window_exceeded: false,
  network: true,
  timeout: true,
  cancelled: false,
  retry_exhausted: false,
  limit_exceeded: false,
  no_progress: false,
  structured_output_invalid: false,
  middleware_failed: false,
  memory_failed: false,
  store_failed: false,
  conflict: false,
  corrupt_data: false,
  recursion_limit: false,
  resume_mismatch: false,
  version_mismatch: false,
  internal: false,
};

describe("an error", () => {
  test("is an Error with code, details and stack (ERR-01)", () => {
    expect(rateLimit).toBeInstanceOf(Error);
    expect(rateLimit).toMatchObject({ name: "TinyAgentsError", code: "provider_rate_limit", message: "slow down" });
    expect(String(rateLimit)).toBe("TinyAgentsError: slow down");
    expect(rateLimit.stack).toContain("errors.test.ts");
  });

  test.each(Object.entries(RETRYABLE))(
    "with the code %s is retryable by default: %s (ERR-08, ERR-09)",
    (code, expected) => {
      expect(retryableByDefault(code as ErrorCode)).toBe(expected);
      expect(new TinyAgentsError(code as ErrorCode, "", { details: { reason: "" } }).retryable).toBe(expected);
    },
  );

  test("is as retryable as whoever saw it says", () => {
    const details = { reason: "x" };
    expect(new TinyAgentsError("internal", "", { details, retryable: true }).retryable).toBe(true);
    expect(new TinyAgentsError("network", "", { details, retryable: false }).retryable).toBe(false);
    expect(new TinyAgentsError("network", "", { details, retryable: undefined }).retryable).toBe(true);
  });

  test("as JSON never has its cause, nor what the cause said", () => {
    const cause = new Error("key sk-very-secret");
    const error = new TinyAgentsError("network", "The connection failed.", {
      details: {},
      cause,
      runId: "run-1",
      callId: "call-1",
    });
    expect(error.cause).toBe(cause);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "TinyAgentsError",
      code: "network",
      message: "The connection failed.",
      retryable: true,
      details: {},
      runId: "run-1",
      callId: "call-1",
    });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("without a cause or a run has no such keys", () => {
    const error = new TinyAgentsError("internal", "x", { details: { reason: "x" } });
    expect("cause" in error).toBe(false);
    expect("runId" in error).toBe(false);
    expect(Object.keys(error.toJSON())).not.toContain("runId");
  });

  test("comes back from its record", () => {
    const record = new TinyAgentsError("timeout", "too slow", {
      details: { scope: "model_call", limitMs: 5 },
      retryable: false,
      runId: "run-1",
      callId: "call-1",
    }).toJSON();
    const error = errorFromRecord(record);
    expect(isTinyAgentsError(error, "timeout")).toBe(true);
    expect(error.toJSON()).toEqual(record);
    expectTypeOf(error).toEqualTypeOf<TinyAgentsError<"timeout">>();
  });
});

describe("telling our errors from others", () => {
  test("goes by code where one is given", () => {
    expect(isTinyAgentsError(rateLimit)).toBe(true);
    expect(isTinyAgentsError(rateLimit, "provider_rate_limit")).toBe(true);
    expect(isTinyAgentsError(rateLimit, "network")).toBe(false);
  });

  test.each([[new Error("x")], [{ name: "TinyAgentsError", code: "network" }], [null], [undefined], ["network"], [7]])(
    "does not take %s for one",
    (value) => {
      expect(isTinyAgentsError(value)).toBe(false);
    },
  );

  test("works across two copies of the module, in both directions (TY-02)", () => {
    const theirs = new secondCopy.TinyAgentsError("conflict", "x", {
      details: { resource: "r", expected: 1, found: 2 },
    });
    expect(theirs).not.toBeInstanceOf(TinyAgentsError);
    expect(isTinyAgentsError(theirs, "conflict")).toBe(true);
    expect(isTinyAgentsError(theirs, "network")).toBe(false);
    expect(secondCopy.isTinyAgentsError(rateLimit, "provider_rate_limit")).toBe(true);
  });

  test("narrows details by code", () => {
    const error: unknown = rateLimit;
    if (!isTinyAgentsError(error)) throw error;
    expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
    if (error.code !== "provider_rate_limit") throw error;
    expectTypeOf(error.details).toEqualTypeOf<ProviderFailure & { readonly retryAfterMs?: number }>();
    expect(error.details.retryAfterMs).toBe(20);
    const other: unknown = rateLimit;
    if (isTinyAgentsError(other, "conflict")) expectTypeOf(other.details.resource).toEqualTypeOf<string>();
  });

  test("asks for the details of its code when one is made", () => {
    // @ts-expect-error: a conflict names its resource.
    new TinyAgentsError("conflict", "x", { details: { reason: "x" } });
    // @ts-expect-error: there is no such code.
    expect(retryableByDefault("no_such_code")).toBe(false);
  });
});

describe("the message of whatever was thrown", () => {
  test("is in one line", () => {
    expect(messageOf(new Error("[\n  {\r\n    bad\n  }\n]"))).toBe("[ { bad } ]");
    expect(messageOf("two\nlines")).toBe("two lines");
    expect(messageOf("\n  two  \n \t \nlines\n")).toBe("two lines");
    expect(messageOf(new Error("as it  is"))).toBe("as it  is");
  });

  test("is the name of an error that says nothing", () => {
    expect(messageOf(new RangeError())).toBe("RangeError");
  });

  test("is read of whatever has one: errors of another realm, objects that were thrown as they were", () => {
    expect(messageOf(runInNewContext('new RangeError("far away")'))).toBe("far away");
    expect(messageOf({ message: "x", name: "Odd" })).toBe("x");
  });

  test.each([
    [undefined],
    [null],
    [7],
    [10n],
    [{}],
    [Symbol("s")],
    [() => 1],
    [{ message: 7, name: {} }],
    [{ message: "" }],
  ])("is not guessed for what has none", (thrown) => {
    expect(messageOf(thrown)).toBe("an unknown value was thrown");
  });

  test.each(HOSTILE)("is read of %s without harm", (_, thrown) => {
    expect(messageOf(thrown)).toBe("an unknown value was thrown");
    expect(readThrown(thrown)).toEqual({ name: "", message: "" });
    expect(isTinyAgentsError(thrown)).toBe(false);
  });

  test("has a bound, and never calls what the value brings", () => {
    const told = messageOf(new Error("x".repeat(10_000_000)));
    expect(told).toHaveLength(2_000);
    expect(told).toMatch(/^x+ \[cut: 10000000 characters\]$/);
    const called: string[] = [];
    const note = (name: string) => () => void called.push(name);
    const thrown = { toString: note("toString"), toJSON: note("toJSON"), [Symbol.toPrimitive]: note("toPrimitive") };
    messageOf(thrown);
    expect(called).toEqual([]);
  });
});

test("an error as data has a message of bounded length", () => {
  const error = new TinyAgentsError("network", "x".repeat(10_000), { details: {} });
  expect(error.toJSON().message).toHaveLength(4_000);
  expect(error.message).toHaveLength(10_000);
});
