import { collect, resolvedModel, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { PROVIDERS, served } from "../support/providers.js";

const KEY = "canary+kestrel/7d1f0a";

/** What each provider's API says of a request and of its limits. */
const SAID = {
  "x-request-id": "req_7",
  "x-ratelimit-remaining-tokens": "149984",
  "anthropic-ratelimit-requests-remaining": "49",
};

describe.each(PROVIDERS.filter(({ name }) => name !== "Ollama"))("$name: headers of a good answer", (provider) => {
  it.each(["incremental", "whole"] as const)(
    "say which request it was and how much of the limits is left, and nothing else: %s (MDL-07, SE-08)",
    async (delivery) => {
      const headers = { ...SAID, "x-ratelimit-of": `key ${KEY}`, "request-id": KEY, "set-cookie": "session=1" };
      const { model } = await served(provider, [{ text: "Hi", headers }], { apiKey: KEY });
      const deltas = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery });
      const response = await collect(deltas, resolvedModel(model));
      expect(response.providerData?.headers).toEqual({
        ...SAID,
        "x-ratelimit-of": "key [redacted]",
        "request-id": "[redacted]",
      });
      expect(JSON.stringify(response)).not.toContain(KEY);
    },
  );
});
