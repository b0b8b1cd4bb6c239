import { collect, type ModelCallContext, type ModelRequest, resolvedModel, text, userMessage } from "@tinyagents/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answering, lastLine, line, type Reply } from "../test/answering.js";
import { ollamaModel } from "./index.js";
import type { OllamaModelOptions } from "./options.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

function asking(replies: readonly Reply[], options: OllamaModelOptions = {}) {
  const server = answering(...replies);
  const model = ollamaModel("qwen3", { fetch: server.fetch, ...options });
  const ask = (request: Partial<ModelRequest> = {}, call: Partial<ModelCallContext> = {}) =>
    collect(
      model.stream(
        { messages: [userMessage("Hi")], ...request },
        { signal: undefined, delivery: "incremental", ...call },
      ),
      resolvedModel(model),
    );
  return { ask, model, sent: server.sent };
}

const HELLO: Reply = { lines: [line({ content: "Hel" }), line({ content: "lo" }), lastLine()] };

describe("a call", () => {
  it("is one request, streamed or whole", async () => {
    const { ask, sent } = asking([HELLO, { json: lastLine({}, { content: "Hello" }) }]);
    for (const delivery of ["incremental", "whole"] as const) {
      expect(text((await ask({}, { delivery })).message)).toBe("Hello");
    }
    expect(sent.map(({ method, url, body }) => [method, url, body.stream])).toEqual([
      ["POST", "http://127.0.0.1:11434/api/chat", true],
      ["POST", "http://127.0.0.1:11434/api/chat", false],
    ]);
  });

  it("goes where it is told, with the key and the headers, and nothing from the environment", async () => {
    vi.stubEnv("OLLAMA_HOST", "http://127.0.0.1:9");
    vi.stubEnv("OLLAMA_API_KEY", "env-key");
    const options = { baseUrl: "https://ollama.com/", headers: { "x-mine": "mine" } };
    const bare = asking([HELLO], options);
    await bare.ask();
    const keyed = asking([HELLO], { ...options, apiKey: "my-key" });
    await keyed.ask();
    expect(
      [bare, keyed].map(({ sent: [one] }) => [one?.url, one?.headers.get("authorization"), one?.headers.get("x-mine")]),
    ).toEqual([
      ["https://ollama.com:443/api/chat", null, "mine"],
      ["https://ollama.com:443/api/chat", "Bearer my-key", "mine"],
    ]);
  });

  it("lets headers of the application win over the key", async () => {
    const { ask, sent } = asking([HELLO], { apiKey: "my-key", headers: { Authorization: "Basic abc" } });
    await ask();
    expect(sent[0]?.headers.get("authorization")).toBe("Basic abc");
  });

  it("writes nothing to the console, whatever the server says", async () => {
    const spies = (["log", "warn", "error", "info", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => undefined),
    );
    const { ask } = asking([
      { lines: [line({ content: "a" }), "{oops}", lastLine()] },
      { text: "gone", status: 500 },
      { text: "{", status: 500, headers: { "content-type": "application/json" } },
    ]);
    for (let call = 0; call < 3; call++) await expect(ask()).rejects.toMatchObject({ code: "provider_server" });
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it("reads no file that an image's data happens to name", async () => {
    const data = new URL(import.meta.url).pathname;
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data } } as const;
    const { ask, sent } = asking([HELLO]);
    await ask({ messages: [userMessage([image])] });
    expect(sent[0]?.body.messages).toEqual([{ role: "user", content: "", images: [data] }]);
  });

  it("ends with the last line, and does not wait for the server to hang up", async () => {
    let closed = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(lastLine())}\n`)),
      cancel() {
        closed = true;
      },
    });
    const { ask } = asking([], { fetch: async () => new Response(body) });
    expect((await ask()).finishReason).toBe("stop");
    expect(closed).toBe(true);
  });
});

describe("what is no answer", () => {
  it.each<[string, Reply, object]>([
    [
      "a web page",
      { text: "<html>", headers: { "content-type": "text/html; charset=utf-8" } },
      { code: "provider_bad_request", message: expect.stringContaining("baseUrl") },
    ],
    [
      "a line that is no JSON",
      { lines: [line({ content: "Hel" }), "data: {}"] },
      { code: "provider_server", details: { providerCode: "malformed_response" } },
    ],
    [
      "an error among the lines",
      { lines: [line({ content: "Hel" }), { error: "model runner has unexpectedly stopped" }] },
      { code: "provider_server", retryable: true },
    ],
    ["nothing", { text: "" }, { code: "network", details: { reason: "stream_cut_short" } }],
    [
      "lines without a last one",
      { lines: [line({ content: "Hel" })] },
      { code: "network", details: { partialText: "Hel" } },
    ],
  ])("streamed: %s", async (_, reply, expected) => {
    await expect(asking([reply]).ask()).rejects.toMatchObject(expected);
  });

  it.each<[string, Reply, object]>([
    ["a text", { text: "hello" }, { code: "provider_server", details: { providerCode: "malformed_response" } }],
    ["a list", { json: [] }, { code: "provider_server" }],
    ["an error", { json: { error: "server busy, please try again" } }, { code: "provider_overloaded" }],
    ["an unfinished answer", { json: line({ content: "Hel" }) }, { code: "network", details: { partialText: "Hel" } }],
  ])("in one piece: %s", async (_, reply, expected) => {
    await expect(asking([reply]).ask({}, { delivery: "whole" })).rejects.toMatchObject(expected);
  });

  it("without a body is none either", async () => {
    const { ask } = asking([], { fetch: async () => new Response(null, { status: 204 }) });
    await expect(ask()).rejects.toMatchObject({ details: { providerCode: "malformed_response" } });
  });
});

describe("stopping", () => {
  it("before the call sends nothing", async () => {
    const { ask, sent } = asking([HELLO]);
    await expect(ask({}, { signal: AbortSignal.abort("enough") })).rejects.toMatchObject({ code: "cancelled" });
    expect(sent).toEqual([]);
  });

  it("hands the request a signal of its own, so that the caller's keeps no listener (PA-12)", async () => {
    const controller = new AbortController();
    let given: AbortSignal | null | undefined;
    const fetch: typeof globalThis.fetch = async (_, init) => {
      given = init?.signal;
      return new Response(`${JSON.stringify(lastLine())}\n`);
    };
    await asking([], { fetch }).ask({}, { signal: controller.signal });
    expect(given).not.toBe(controller.signal);
    controller.abort();
    expect(given?.aborted).toBe(false);
  });
});
