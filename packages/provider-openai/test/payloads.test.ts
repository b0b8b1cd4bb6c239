import { collect, type RawPayload, resolvedModel, userMessage, withPayloads } from "@tinyagents/core";
import { openaiModel } from "@tinyagents/provider-openai";
import { type OpenAIWireServer, openaiWireServer } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";

const KEY = "canary-key-123456";

let server: OpenAIWireServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe.each(["chat", "responses"] as const)("what goes over the wire of the API %s (PRV-06)", (api) => {
  async function payloads(delivery: "incremental" | "whole"): Promise<readonly RawPayload[]> {
    server = await openaiWireServer(["Hello."]);
    const told: RawPayload[] = [];
    const model = withPayloads(openaiModel("gpt-4o", { apiKey: KEY, api, baseUrl: server.url }), (payload) =>
      told.push(structuredClone(payload)),
    );
    const stream = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery });
    await collect(stream, resolvedModel(model));
    return told;
  }

  it("is told to whoever asks: the request as it was sent, then each frame", async () => {
    const [request, ...frames] = await payloads("incremental");
    expect(request).toEqual({ type: "request", body: server?.requests[0]?.body });
    expect(frames.length).toBeGreaterThan(2);
    expect(new Set(frames.map(({ type }) => type))).toEqual(new Set(["frame"]));
    expect(JSON.stringify(frames)).toContain("Hel");
  });

  it("or the whole answer", async () => {
    const told = await payloads("whole");
    expect(told.map(({ type }) => type)).toEqual(["request", "answer"]);
    expect(JSON.stringify(told)).toContain("Hello.");
  });

  it("has no key in it (SE-08)", async () => {
    expect(JSON.stringify(await payloads("incremental"))).not.toContain(KEY);
  });
});
