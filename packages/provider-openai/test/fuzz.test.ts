import { collect, isTinyAgentsError, type ModelResponse, resolvedModel, userMessage } from "@tinyagents/core";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWireServer, type WireAnswer } from "@tinyagents/testkit/wire";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
const ANSWER: WireAnswer = {
  reasoning: "思考 🤔",
  text: "naïve 你好 👩‍👩‍👧‍👦",
  toolCalls: [
    { id: "a", name: "look", args: { at: "東京", n: 1 } },
    { id: "b", name: "look", args: {} },
  ],
  split: "characters",
};

/** The bytes of a real answer, as they came over a socket. */
async function record(api: "chat" | "responses"): Promise<Uint8Array> {
  const server = await openaiWireServer([ANSWER]);
  let bytes: Uint8Array | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    bytes = new Uint8Array(await response.clone().arrayBuffer());
    return response;
  };
  await ask(api, fetch, server.url);
  await server.close();
  return bytes as Uint8Array;
}

function ask(
  api: "chat" | "responses",
  fetch: typeof globalThis.fetch,
  baseUrl?: string,
  signal?: AbortSignal,
): Promise<ModelResponse> {
  const model = openaiModel("gpt-4o", { apiKey: "key-1234", api, fetch, baseUrl });
  const request = { messages: [userMessage("Hi")], tools: [LOOK] };
  return collect(model.stream(request, { signal, delivery: "incremental" }), resolvedModel(model));
}

/** A server that sends these pieces, and then ends. */
function serving(pieces: readonly Uint8Array[]): typeof globalThis.fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** A server that is asked to stop when it has sent everything, and then ends as if nothing had been. */
function stoppedAtTheEnd(bytes: Uint8Array, stop: () => void): typeof globalThis.fetch {
  const pieces = [bytes];
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) return controller.enqueue(piece);
        stop();
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end));
}

describe.each(["chat", "responses"] as const)("a stream of the API %s", (api) => {
  let bytes: Uint8Array;
  let whole: ModelResponse;
  beforeAll(async () => {
    bytes = await record(api);
    whole = await ask(api, serving([bytes]));
  });

  it("is the same answer wherever its bytes are cut, inside characters and lines too (PA-15, MSG-10)", async () => {
    const places = fc.array(fc.nat(), { minLength: 1, maxLength: 24 });
    const property = fc.asyncProperty(places, async (cuts) => {
      expect(await ask(api, serving(cut(bytes, cuts)))).toEqual(whole);
    });
    await fc.assert(property, { numRuns: 1_000 });
  }, 60_000);

  it("that ends before its end is an error, wherever that is, and keeps what had come (PA-11)", async () => {
    const text = new TextDecoder().decode(bytes);
    const last =
      api === "chat" ? text.indexOf('"finish_reason":"tool_calls"') : text.indexOf("event: response.completed");
    const surelyEarly = new TextEncoder().encode(text.slice(0, last)).length;
    const property = fc.asyncProperty(fc.integer({ min: 0, max: surelyEarly - 1 }), async (end) => {
      const error = await ask(api, serving([bytes.subarray(0, end)])).catch((failure: unknown) => failure);
      if (isTinyAgentsError(error, "network")) {
        expect("naïve 你好 👩‍👩‍👧‍👦".startsWith(error.details.partialText ?? "")).toBe(true);
      } else expect(error).toMatchObject({ code: "provider_server" });
    });
    await fc.assert(property, { numRuns: 100 });
  }, 60_000);

  it("that is stopped after its last frame was stopped, and is no answer (PA-12)", async () => {
    const controller = new AbortController();
    const fetch = stoppedAtTheEnd(bytes, () => controller.abort());
    await expect(ask(api, fetch, undefined, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
  });
});
