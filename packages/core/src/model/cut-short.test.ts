import { expect, test } from "vitest";
import { cutShortError } from "./cut-short.js";

test("an answer that was cut short is a failure of the network that keeps what had come, and may be repeated", () => {
  expect(cutShortError("half", "openai").toJSON()).toMatchObject({
    code: "network",
    message: "The answer of openai was cut short: the stream ended without a finish.",
    retryable: true,
    details: { provider: "openai", reason: "stream_cut_short", partialText: "half" },
  });
  expect(cutShortError("").details).toEqual({ reason: "stream_cut_short", partialText: "" });
});
