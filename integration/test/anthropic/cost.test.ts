import { collect, costOf, resolvedModel, userMessage } from "@tinyagents/core";
import { expect, it } from "vitest";
import { served } from "./world.js";

/** Per million tokens. */
const PRICE = {
  currency: "USD",
  inputPerMillion: "1.00",
  outputPerMillion: "5.00",
  cachedInputPerMillion: "0.10",
  cacheWritePerMillion: "1.25",
};

it("a call costs each class of its tokens once, streamed and whole (OB-01, PA-09)", async () => {
  // 1,000 plain at 1.00, 30,000 read at 0.10, 2,000 written at 1.25, 700 out at 5.00.
  const usage = { inputTokens: 33_000, cachedInputTokens: 30_000, cacheWriteTokens: 2_000, outputTokens: 700 };
  const { server, model } = await served([
    { text: "Hi", usage },
    { text: "Hi", usage },
  ]);
  for (const delivery of ["incremental", "whole"] as const) {
    const deltas = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery });
    const response = await collect(deltas, resolvedModel(model));
    expect(costOf(response.usage, PRICE)).toEqual({ amount: "0.01", currency: "USD" });
  }
  server.assertDone();
});
