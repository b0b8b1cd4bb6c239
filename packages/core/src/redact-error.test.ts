import { inspect } from "node:util";
import { expect, it } from "vitest";
import { redactError } from "./redact-error.js";

const SECRETS = ["hunter22"];

/** Everything that a log of an error could show. */
function shown(error: unknown): string {
  return inspect(error, { depth: 10, showHidden: true });
}

it("an error loses the secrets in its message, its stack and its other fields, and stays the same error (SE-08)", () => {
  const error = Object.assign(new TypeError("hunter22 was refused"), {
    status: 401,
    code: "bad_hunter22",
    error: { message: "no hunter22", apiKey: "other" },
    headers: new Headers({ "request-id": "of-hunter22", "set-cookie": "a=b", date: "today" }),
  });
  const clean = redactError(error, SECRETS);
  expect(clean).toBe(error);
  expect(clean).toMatchObject({
    status: 401,
    code: "bad_[redacted]",
    error: { message: "no [redacted]", apiKey: "[redacted]" },
  });
  expect(error.headers.get("set-cookie")).toBeNull();
  expect(error.headers.get("date")).toBe("today");
  expect(clean?.message).toBe("[redacted] was refused");
  expect(shown(clean)).not.toContain("hunter22");
});

it("causes and gathered errors lose secrets too, however often they hold each other (SE-08)", () => {
  const inner = new Error("hunter22");
  const gathered = new AggregateError([inner, new Error("also hunter22")], "all failed");
  inner.cause = gathered;
  const clean = redactError(new Error("outer", { cause: gathered }), SECRETS);
  expect(clean?.cause).toMatchObject({ errors: [expect.any(Error), { message: "also [redacted]" }] });
  expect(shown(clean)).not.toContain("hunter22");
});

it("fields that are no data are emptied (SE-08)", () => {
  class Socket {
    readonly key = "hunter22";
  }
  const error = Object.assign(new Error("closed"), { socket: new Socket(), send: () => "hunter22" });
  expect(redactError(error, SECRETS)).toMatchObject({ socket: undefined, send: undefined });
});

it("an error that cannot be changed is replaced (SE-08)", () => {
  const clean = redactError(Object.freeze(new Error("hunter22 was refused")), SECRETS);
  expect(clean).toMatchObject({ message: "[redacted] was refused" });
  expect(shown(clean)).not.toContain("hunter22");
});

it("a text becomes an error; what is neither becomes nothing", () => {
  expect(redactError("hunter22 is out", SECRETS)).toMatchObject({ message: "[redacted] is out" });
  expect(redactError({ message: "hunter22" }, SECRETS)).toBeUndefined();
});
