import { describe, expect, test } from "vitest";
import { thrownBy } from "../../test/support.js";
import { TinyAgentsError } from "../errors.js";
import { storeGate } from "./gate.js";

describe("the gate of a store", () => {
  test("waits for the calls under way when it is closed, and lets go once", async () => {
    const gate = storeGate("test store");
    const told: string[] = [];
    let end = (): void => {};
    const call = gate.run("get", undefined, () => new Promise<void>((resolve) => (end = resolve)));
    const letGo = () => void told.push("let go");
    const closing = Promise.all([gate.close(letGo), gate.close(letGo)]);
    await Promise.resolve();
    expect(told).toEqual([]);
    end();
    await Promise.all([call, closing, gate.close(letGo)]);
    expect(told).toEqual(["let go"]);
  });

  test("lets nobody in after it was closed", async () => {
    const gate = storeGate("test store");
    await gate.close();
    expect(await thrownBy(() => gate.run("put", undefined, () => 1))).toMatchObject({
      code: "store_failed",
      message: "The test store is closed; put needs one that is open.",
      details: { store: "test store", operation: "put" },
    });
    expect(() => gate.enter("get", undefined)).toThrow(/closed/);
  });

  test("does no work for a call whose signal has aborted, and counts no call that failed", async () => {
    const gate = storeGate("test store");
    let worked = false;
    const signal = AbortSignal.abort("no");
    expect(await thrownBy(() => gate.run("get", { signal }, () => (worked = true)))).toMatchObject({
      code: "cancelled",
    });
    expect(worked).toBe(false);
    await gate.close();
  });

  test("passes errors of ours, and says the others as the backend's failure, without secrets", async () => {
    const gate = storeGate("test store", {
      toError: (error, operation) =>
        error === "busy"
          ? new TinyAgentsError("store_failed", "Busy.", { details: { store: "t", operation }, retryable: true })
          : undefined,
    });
    const failing = (error: unknown) =>
      thrownBy(() =>
        gate.run("get", undefined, () => {
          throw error;
        }),
      );
    const own = new TinyAgentsError("conflict", "No.", { details: { resource: "r", expected: 1, found: 2 } });
    expect(await failing(own)).toBe(own);
    expect(await failing("busy")).toMatchObject({ message: "Busy.", retryable: true });
    expect(await failing(new Error("Bearer abcdefghijkl was refused"))).toMatchObject({
      code: "store_failed",
      message: "The test store failed to get: [redacted] was refused",
      retryable: false,
    });
  });
});
