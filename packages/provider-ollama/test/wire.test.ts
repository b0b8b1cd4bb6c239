import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import {
  collect,
  isTinyAgentsError,
  type ModelCallContext,
  type ModelRequest,
  resolvedModel,
  TinyAgentsError,
  text,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import {
  type OllamaModelOptions,
  ollamaEmbeddings,
  ollamaModel,
  ollamaModels,
  ollamaProfile,
} from "@tinyagents/provider-ollama";
import { afterEach, describe, expect, it } from "vitest";
import { lastLine, line } from "./answering.js";
import { type LineServer, lineServer, type Play } from "./line-server.js";

const KEY = "canary-key-123456";
const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };

const servers: LineServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(
  plays: readonly Play[] | ((path: string, authorization: string) => Play),
  options: OllamaModelOptions = {},
) {
  let next = 0;
  const server = await lineServer(({ path, headers }) =>
    typeof plays === "function" ? plays(path, headers.authorization ?? "") : (plays[next++] ?? { status: 500 }),
  );
  servers.push(server);
  const where = { apiKey: KEY, baseUrl: server.url };
  const model = ollamaModel("qwen3", { ...where, ...options });
  const ask = (request: Partial<ModelRequest> = {}, call: Partial<ModelCallContext> = {}) =>
    collect(
      model.stream(
        { messages: [userMessage("Hi")], ...request },
        { signal: undefined, delivery: "incremental", ...call },
      ),
      resolvedModel(model),
    );
  return { server, model, ask, where };
}

const ANSWER = [
  line({ content: "", thinking: "考える" }),
  line({ content: "你好 👩‍👩‍👧 naïve" }),
  line({ content: "", tool_calls: [{ id: "a", function: { name: "look", arguments: { at: "東京" } } }] }),
  lastLine(),
];

describe("over a real socket", () => {
  it("every split of the bytes gives the same answer (PA-15, MSG-10)", async () => {
    const sizes = [1, 2, 3, 5, 7, 11];
    const plays = sizes.map((size): Play => ({ lines: ANSWER, chunks: (bytes) => inChunks(bytes, size) }));
    const { ask } = await serve([{ lines: ANSWER }, ...plays]);
    const whole = await ask();
    expect(text(whole.message)).toBe("你好 👩‍👩‍👧 naïve");
    for (const _ of sizes) expect(await ask()).toEqual(whole);
  });

  it("a conversation goes on after broken arguments (PA-04), in call order (PA-05)", async () => {
    const calls = [
      { id: "a", function: { name: "look", arguments: '{"at":' } },
      { id: "b", function: { name: "look", arguments: {} } },
    ];
    const { ask, server } = await serve([
      { lines: [line({ content: "", tool_calls: calls }), lastLine()] },
      { lines: [line({ content: "Sorry." }), lastLine()] },
    ]);
    const messages = [userMessage("Hi")];
    const { message } = await ask({ messages, tools: [LOOK] });
    expect(message.content[0]).toMatchObject({ invalid: { raw: '{"at":' } });
    const results = ["a", "b"].map((id) => toolMessage({ id, name: "look" }, "no JSON", "invalid"));
    const second = await ask({ messages: [...messages, message, ...results], tools: [LOOK] });
    expect(text(second.message)).toBe("Sorry.");
    expect(server.requests[1]?.body.messages).toMatchObject([
      { role: "user" },
      { tool_calls: [{ function: { arguments: {} } }, { function: { arguments: {} } }] },
      { role: "tool", tool_call_id: "a", tool_name: "look" },
      { role: "tool", tool_call_id: "b", tool_name: "look" },
    ]);
  });

  it("reasoning, ids and unknown fields survive being stored, and go back (MSG-09, MSG-12)", async () => {
    const answer = line({
      content: "Yes",
      thinking: "hm",
      plan: "p",
      tool_calls: [{ id: "a", sig: 1, function: { name: "look", arguments: {} } }],
    });
    const { ask, server } = await serve([{ lines: [answer, lastLine()] }, { lines: ANSWER }, { lines: ANSWER }]);
    const stored: unknown = JSON.parse(JSON.stringify((await ask({ tools: [LOOK] })).message));
    const result = toolMessage({ id: "a", name: "look" }, "ok");
    for (const turn of [1, 2]) {
      await ask({ messages: [userMessage("Hi"), stored as never, result], tools: [LOOK] });
      expect((server.requests[turn]!.body.messages as unknown[])[1]).toEqual({
        role: "assistant",
        content: "Yes",
        thinking: "hm",
        plan: "p",
        tool_calls: [{ id: "a", sig: 1, function: { name: "look", arguments: {} } }],
      });
    }
  });

  it("a server is asked for its models, their profiles and vectors", async () => {
    const { where } = await serve((path) => {
      if (path === "/api/tags") return { lines: [{ models: [{ name: "qwen3:latest" }] }] };
      if (path === "/api/show") return { lines: [{ capabilities: ["completion", "tools"] }] };
      if (path === "/api/ps") return { lines: [{ models: [{ name: "qwen3:latest", context_length: 4_096 }] }] };
      return { lines: [{ embeddings: [[1, 0]] }] };
    });
    expect(await ollamaModels(where)).toEqual([{ name: "qwen3:latest", source: "local" }]);
    const profile = await ollamaProfile("qwen3", where);
    expect(profile).toMatchObject({ contextWindow: 4_096, capabilities: { tools: "yes", image_input: "no" } });
    expect((await ollamaEmbeddings("nomic-embed-text", where).embedQuery("Hi")).vector).toEqual([1, 0]);
  });
});

function inChunks(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

describe("stopping", () => {
  it("in mid-stream rejects with the reason, closes the connection and leaves no listener (PA-12)", async () => {
    const { model, server } = await serve([{ lines: [line({ content: "Hel" })], ending: "stall" }]);
    const controller = new AbortController();
    const call = { signal: controller.signal, delivery: "incremental" } as const;
    const iterator = model.stream({ messages: [userMessage("Hi")] }, call)[Symbol.asyncIterator]();
    while ((await iterator.next()).value?.type !== "text");
    const next = iterator.next();
    controller.abort("enough");
    await expect(next).rejects.toSatisfy(
      (error) => isTinyAgentsError(error, "cancelled") && error.details.reason === "enough",
    );
    expect(await server.requests[0]?.ended).toBe("aborted");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("by leaving the loop closes the connection", async () => {
    const { model, server } = await serve([{ lines: [line({ content: "Hel" })], ending: "stall" }]);
    const call = { signal: undefined, delivery: "incremental" } as const;
    for await (const delta of model.stream({ messages: [userMessage("Hi")] }, call)) if (delta.type === "text") break;
    expect(await server.requests[0]?.ended).toBe("aborted");
  });

  it("before any answer is a timeout when the caller, who keeps the time, says so", async () => {
    for (const delivery of ["incremental", "whole"] as const) {
      const arrived = deferred();
      const server = await lineServer(() => {
        arrived.resolve();
        return { ending: "silence" };
      });
      servers.push(server);
      const controller = new AbortController();
      const model = ollamaModel("qwen3", { baseUrl: server.url });
      const call = { signal: controller.signal, delivery };
      const asking = collect(model.stream({ messages: [userMessage("Hi")], timeoutMs: 1 }, call), resolvedModel(model));
      asking.catch(() => undefined);
      await arrived.promise;
      const details = { scope: "model_call", limitMs: 1 } as const;
      const late = new TinyAgentsError("timeout", "The model did not answer in time.", { details });
      controller.abort(late);
      await expect(asking).rejects.toBe(late);
      expect(await server.requests[0]?.ended).toBe("aborted");
      expect(server.requests[0]?.body).not.toHaveProperty("timeoutMs");
    }
  });
});

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("failures", () => {
  it("to connect say that no server runs, and can be repeated", async () => {
    const { ask, server } = await serve([]);
    await server.close();
    for (const delivery of ["incremental", "whole"] as const) {
      await expect(ask({}, { delivery })).rejects.toMatchObject({
        code: "network",
        retryable: true,
        message: expect.stringContaining("ollama serve"),
        details: { provider: "ollama", reason: "ECONNREFUSED" },
      });
    }
  });

  it("of the connection in mid-stream keep what had come (PA-11)", async () => {
    const { ask } = await serve([{ lines: [line({ content: "Hel" })], ending: "cut" }]);
    await expect(ask()).rejects.toMatchObject({ code: "network", details: { partialText: "Hel" } });
  });

  it("are told once: one call makes one request (ERR-12)", async () => {
    const { ask, server } = await serve([{ status: 503, lines: [{ error: "server busy, please try again" }] }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_overloaded", retryable: true });
    expect(server.requests).toHaveLength(1);
  });

  it("never have the key or a header's value in them (SE-08)", async () => {
    const { ask } = await serve(
      (_, authorization) => ({
        status: 401,
        headers: { "x-echo": authorization },
        lines: [{ error: { message: `No access for ${authorization} via gateway-canary.`, type: authorization } }],
      }),
      { headers: { "x-gateway-key": "gateway-canary" } },
    );
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "provider_auth")).toBe(true);
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toMatch(/canary/);
  });
});
