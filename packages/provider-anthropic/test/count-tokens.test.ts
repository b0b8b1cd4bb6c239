import { getEventListeners } from "node:events";
import { type ModelRequest, userMessage } from "@tinyagents/core";
import { countTokens } from "@tinyagents/provider-anthropic";
import type { WireEntry } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { KEY, LOOK, wireServer } from "./served.js";

describe("counting tokens", () => {
  async function counter(script: readonly WireEntry[]) {
    const wire = await wireServer(script);
    const options = { model: "claude-haiku-4-5", apiKey: KEY, baseUrl: wire.url };
    const count = (request: Partial<ModelRequest> = {}, signal?: AbortSignal): Promise<number> =>
      countTokens({ messages: [userMessage("Hi")], ...request }, { ...options, signal });
    return { wire, count };
  }

  it("asks the server, with all that counts and nothing else", async () => {
    const { wire, count } = await counter([{ usage: { inputTokens: 42, outputTokens: 0 } }]);
    const request = { tools: [LOOK], maxOutputTokens: 4_000, stopSequences: ["END"], reasoningEffort: "low" } as const;
    expect(await count(request)).toBe(42);
    expect(wire.requests[0]?.path).toBe("/v1/messages/count_tokens");
    expect(Object.keys(wire.requests[0]?.body ?? {}).sort()).toEqual(["messages", "model", "thinking", "tools"]);
  });

  it("fails as a model's stream does", async () => {
    const { count } = await counter([{ status: 401 }, { whole: {} }]);
    await expect(count()).rejects.toMatchObject({ code: "provider_auth" });
    await expect(count()).rejects.toMatchObject({ code: "provider_server" });
    await expect(count({ messages: [] })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(count({}, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  });

  it("leaves no listener", async () => {
    const { count } = await counter([{ usage: { inputTokens: 42, outputTokens: 0 } }]);
    const controller = new AbortController();
    await count({}, controller.signal);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("stops when it is told to", async () => {
    const { wire, count } = await counter([{ faults: [{ type: "silence" }] }]);
    const controller = new AbortController();
    const counting = count({}, controller.signal);
    counting.catch(() => undefined);
    const request = await wire.received();
    controller.abort("enough");
    await expect(counting).rejects.toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect(await request.ended).toBe("aborted");
  });
});
