import { describe, expect, it } from "vitest";
import { toError } from "./to-error.js";

function thrown(name: string, fields: object = {}): Error {
  return Object.assign(new Error("mongodb://me:s3cret-word@host failed"), { name, ...fields });
}

describe("what the driver throws (STO-08)", () => {
  const passing: readonly [string, Error][] = [
    ["a connection that was lost", thrown("MongoNetworkError")],
    ["no server in time", thrown("MongoServerSelectionError")],
    ["a pool that was cleared", thrown("MongoPoolClearedError")],
    ["a write that met another", thrown("MongoServerError", { code: 112 })],
    ["a server that is no longer the primary", thrown("MongoServerError", { code: 10107 })],
    ["what the driver would have repeated", thrown("MongoServerError", { errorLabels: ["RetryableWriteError"] })],
    ["a commit whose end nobody knows", thrown("X", { errorLabels: new Set(["UnknownTransactionCommitResult"]) })],
  ];
  for (const [name, error] of passing) {
    it(`may pass, and says so: ${name}`, () => {
      expect(toError("MongoDB store", "put", error, []).retryable).toBe(true);
    });
  }

  it("does not pass, and says so: what a server refuses", () => {
    for (const error of [
      thrown("MongoServerError", { code: 13 }),
      // A full disk: somebody has to make room.
      thrown("MongoServerError", { code: 14031 }),
      thrown("MongoServerError"),
      new TypeError("x"),
      null,
    ])
      expect(toError("MongoDB store", "put", error, [])).toMatchObject({ code: "store_failed", retryable: false });
  });

  it("is the cause, without the password of the connection", () => {
    const error = toError("MongoDB log", "append", thrown("MongoServerError"), ["s3cret-word"]);
    expect(error.details).toEqual({ store: "MongoDB log", operation: "append" });
    expect(`${error.message}${error.stack}${(error.cause as Error).stack}`).not.toContain("s3cret");
    expect((error.cause as Error).name).toBe("MongoServerError");
  });
});
