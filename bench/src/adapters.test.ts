import { describe, expect, test } from "vitest";
import { adapters, byAdapter, byHand, record } from "./adapter-workload.js";

describe.each(adapters)("the stream of $name", (workload) => {
  test("is read whole, by hand and by the adapter", async () => {
    const recording = await record(workload, 20);
    await byHand(workload, recording);
    await byAdapter(workload, recording);
  });

  test("that lacks a fragment fails, and is not called fast", async () => {
    const recording = { ...(await record(workload, 20)), said: "x".repeat(21) };
    await expect(byHand(workload, recording)).rejects.toThrow("20 fragments");
    await expect(byAdapter(workload, recording)).rejects.toThrow("20 fragments");
  });
});
