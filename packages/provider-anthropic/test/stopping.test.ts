import { getEventListeners } from "node:events";
import { isTinyAgentsError, TinyAgentsError, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { BOTH, serve } from "./served.js";

describe("stopping", () => {
  it("in mid-stream rejects with the reason, closes the connection and leaves no listener (PA-12)", async () => {
    const { model, server: wire } = await serve([{ text: "Hi", faults: [{ type: "stall", afterFrames: 4 }] }]);
    const controller = new AbortController();
    const call = { signal: controller.signal, delivery: "incremental" } as const;
    const iterator = model.stream({ messages: [userMessage("Hi")] }, call)[Symbol.asyncIterator]();
    while ((await iterator.next()).value?.type !== "text");
    const next = iterator.next();
    controller.abort("enough");
    await expect(next).rejects.toSatisfy(
      (error) => isTinyAgentsError(error, "cancelled") && error.details.reason === "enough",
    );
    expect(await wire.requests[0]?.ended).toBe("aborted");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("is obeyed also when all of the answer has come and is not yet read", async () => {
    const { model } = await serve([{ text: "Hi", chunks: [1_000_000] }]);
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      const call = { signal: controller.signal, delivery: "incremental" } as const;
      for await (const delta of model.stream({ messages: [userMessage("Hi")] }, call)) {
        if (delta.type === "usage" && delta.usage.outputTokens !== undefined) controller.abort("enough");
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "cancelled" });
  });

  it("is a timeout when the caller, who keeps the time, says so", async () => {
    for (const delivery of BOTH) {
      const { ask, server: wire } = await serve([{ text: "Hi", faults: [{ type: "silence" }] }]);
      const controller = new AbortController();
      const asking = ask({ timeoutMs: 1 }, { delivery, signal: controller.signal });
      asking.catch(() => undefined);
      await wire.received();
      const details = { scope: "model_call", limitMs: 1 } as const;
      const late = new TinyAgentsError("timeout", "The model did not answer in time.", { details });
      controller.abort(late);
      await expect(asking).rejects.toBe(late);
      expect(wire.requests[0]?.body).not.toHaveProperty("timeoutMs");
      await wire.close();
    }
  });
});
