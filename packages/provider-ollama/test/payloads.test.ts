import { collect, type RawPayload, resolvedModel, userMessage, withPayloads } from "@tinyagents/core";
import { ollamaModel } from "@tinyagents/provider-ollama";
import { type OllamaWireServer, ollamaWireServer } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";

const KEY = "canary-key-123456";

let server: OllamaWireServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("what goes over the wire (PRV-06)", () => {
  async function payloads(delivery: "incremental" | "whole"): Promise<readonly RawPayload[]> {
    server = await ollamaWireServer(["Hello."]);
    const told: RawPayload[] = [];
    const model = withPayloads(ollamaModel("qwen3", { apiKey: KEY, baseUrl: server.url }), (payload) =>
      told.push(structuredClone(payload)),
    );
    const stream = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery });
    await collect(stream, resolvedModel(model));
    return told;
  }

  it("is told to whoever asks: the request as it was sent, then each frame", async () => {
    const [request, ...frames] = await payloads("incremental");
    expect(request).toEqual({ type: "request", body: server?.requests[0]?.body });
    expect(frames.length).toBeGreaterThan(1);
    expect(new Set(frames.map(({ type }) => type))).toEqual(new Set(["frame"]));
    expect(JSON.stringify(frames)).toContain("Hello.");
  });

  it("or the whole answer", async () => {
    const [request, ...answers] = await payloads("whole");
    expect(request).toEqual({ type: "request", body: server?.requests[0]?.body });
    expect(answers.map(({ type }) => type)).toEqual(["answer"]);
    expect(JSON.stringify(answers)).toContain("Hello.");
  });

  it("has no key in it (SE-08)", async () => {
    expect(JSON.stringify(await payloads("incremental"))).not.toContain(KEY);
  });
});
