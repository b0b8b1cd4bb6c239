import { collect, costOf, resolvedModel, userMessage } from "@tinyagents/core";
import type { WireUsage } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { PROVIDERS, type Provider, served } from "../support/providers.js";

/** Per million tokens. */
const PRICE = {
  currency: "USD",
  inputPerMillion: "1.00",
  outputPerMillion: "5.00",
  cachedInputPerMillion: "0.10",
  cacheWritePerMillion: "1.25",
};

/** What each API tells of its tokens. Plain ones cost 1.00, those read 0.10, those written 1.25, those out 5.00. */
const BILLS: { readonly [P in Provider["name"]]: { readonly usage: WireUsage; readonly amount: string } } = {
  // 3,000 plain, 30,000 read, and 700 out, of which 500 are thoughts.
  "OpenAI, Chat Completions": {
    usage: { inputTokens: 33_000, cachedInputTokens: 30_000, outputTokens: 700, reasoningTokens: 500 },
    amount: "0.0095",
  },
  "OpenAI, Responses": {
    usage: { inputTokens: 33_000, cachedInputTokens: 30_000, outputTokens: 700, reasoningTokens: 500 },
    amount: "0.0095",
  },
  // 1,000 plain, 30,000 read, 2,000 written, 700 out.
  Anthropic: {
    usage: { inputTokens: 33_000, cachedInputTokens: 30_000, cacheWriteTokens: 2_000, outputTokens: 700 },
    amount: "0.01",
  },
  // It tells of no cache: all are plain.
  Ollama: { usage: { inputTokens: 3_000, outputTokens: 700 }, amount: "0.0065" },
};

describe.each(PROVIDERS)("$name (OB-01, PA-09)", (provider) => {
  const { usage, amount } = BILLS[provider.name];

  it.each(["incremental", "whole"] as const)("a call costs each class of its tokens once: %s", async (delivery) => {
    const { server, model } = await served(provider, [{ text: "Hi", usage }]);
    const deltas = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery });
    const response = await collect(deltas, resolvedModel(model));
    expect(response.usage).toMatchObject({ ...usage, source: "reported" });
    expect(costOf(response.usage, PRICE)).toEqual({ amount, currency: "USD" });
    server.assertDone();
  });

  it.each(["incremental", "whole"] as const)("a call whose tokens nobody told has no cost: %s", async (delivery) => {
    const { model } = await served(provider, [{ text: "Hi", usage: null }]);
    const deltas = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery });
    const response = await collect(deltas, resolvedModel(model));
    expect(response.usage?.inputTokens).toBeUndefined();
    expect(costOf(response.usage, PRICE)).toBeUndefined();
  });
});
