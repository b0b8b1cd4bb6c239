import { describe, expect, it } from "vitest";
import { isDuplicate, isGivenUp, isStopped, sqlStateOf, toErrorFor } from "./to-error.js";

function failed(code: string | undefined, message = "no"): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

describe("failures of PostgreSQL", () => {
  const toError = toErrorFor("PostgreSQL store", ["hunter2"]);

  it.each([
    ["08006", true],
    ["40001", true],
    ["40P01", true],
    ["53100", false],
    ["53200", true],
    ["53300", true],
    ["53400", false],
    ["57P01", true],
    ["57014", true],
    ["55P03", true],
    ["42P01", false],
    ["22P02", false],
    ["28P01", false],
    ["42501", false],
    ["ECONNREFUSED", true],
    ["ECONNRESET", true],
    ["EPIPE", true],
    ["EMFILE", true],
    ["ENOSPC", false],
    ["ENOTFOUND", false],
  ])("with the code %s say whether a repeat can help: %s", (code, retryable) => {
    expect(toError(failed(code), "put")).toMatchObject({ code: "store_failed", retryable });
  });

  it.each([
    ["Connection terminated unexpectedly", true],
    ["timeout expired", true],
    ["timeout exceeded when trying to connect", true],
    ["Client has encountered a connection error and is not queryable", true],
    ["something else", false],
  ])("without a code are told by what the driver says: %s", (message, retryable) => {
    expect(toError(failed(undefined, message), "put")).toMatchObject({ retryable });
  });

  it("keep their cause, and none of their secrets", () => {
    const error = toError(failed("28P01", "hunter2 is wrong"), "put");
    expect(error.message).toContain("The PostgreSQL store failed to put");
    expect(error.message + String(error.cause)).not.toContain("hunter2");
  });

  it("are told apart by the code of the database, which a code of the system is not", () => {
    expect(sqlStateOf(failed("23505"))).toBe("23505");
    expect(sqlStateOf(failed("EPIPE"))).toBeUndefined();
    expect(sqlStateOf("23505")).toBeUndefined();
    expect([isDuplicate(failed("23505")), isGivenUp(failed("40001")), isStopped(failed("57014"))]).toEqual([
      true,
      true,
      true,
    ]);
  });
});
