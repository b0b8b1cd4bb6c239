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
import { type OllamaServerOptions, ollamaWireServer, type WireEntries } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";
import { lastLine, line } from "./answering.js";

const KEY = "canary-key-123456";
const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
const LONG = "word ".repeat(4_000);

const servers: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(
  script: WireEntries,
  { server: serverOptions = {}, ...options }: OllamaModelOptions & { readonly server?: OllamaServerOptions } = {},
) {
  const server = await ollamaWireServer(script, serverOptions);
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

describe("over a real socket", () => {
  it("every split of the bytes gives the same answer (PA-15, MSG-10)", { timeout: 30_000 }, async () => {
    const answer = {
      reasoning: "考える 🤔",
      text: "你好 👩‍👩‍👧 naïve",
      toolCalls: [{ id: "a", name: "look", args: { at: "東京" } }],
    };
    const splits = ["bytes", ...Array.from({ length: 20 }, (_, seed) => ({ seed, longest: 5 }))] as const;
    const { ask } = await serve([answer, ...splits.map((chunks) => ({ ...answer, chunks }))]);
    const whole = await ask({ tools: [LOOK] });
    expect(text(whole.message)).toBe(answer.text);
    for (const _ of splits) expect(await ask({ tools: [LOOK] })).toEqual(whole);
  });

  it("lines may end as they like, and say nothing of the answer (PA-20)", async () => {
    const { ask } = await serve([
      { text: "Hi", lineEnd: "\r\n", faults: [{ type: "bare_frames" }] },
      { text: "Hi", finishReason: null },
    ]);
    const response = await ask();
    expect(response.message.content).toEqual([{ type: "text", text: "Hi" }]);
    expect(response.providerData).toHaveProperty("future");
    expect((await ask()).finishReason).toBe("stop");
  });

  it("calls are told apart however they are numbered, and have ids though the server gives none (PA-01)", async () => {
    const toolCalls = [
      { name: "look", args: { n: 1 } },
      { name: "look", args: { n: 2 } },
    ];
    const { ask } = await serve(
      (["missing", "constant", [1, 5]] as const).map((toolIndexes) => ({ toolCalls, toolIndexes, toolIds: "missing" })),
    );
    const answers = [];
    for (let call = 0; call < 3; call++) answers.push((await ask({ tools: [LOOK] })).message.content);
    expect(answers[0]).toMatchObject([{ args: { n: 1 } }, { args: { n: 2 } }]);
    expect(new Set(answers[0]?.map((block) => block.type === "tool_call" && block.id)).size).toBe(2);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it("a conversation goes on after broken arguments (PA-04), in call order (PA-05)", async () => {
    const broken = {
      toolCalls: [
        { id: "a", name: "look", rawArgs: '{"at":' },
        { id: "b", name: "look" },
      ],
    };
    const { ask, server } = await serve([broken, "Sorry."]);
    const messages = [userMessage("Hi")];
    const { message } = await ask({ messages, tools: [LOOK] });
    expect(message.content[0]).toMatchObject({ invalid: { raw: '{"at":' } });
    const results = ["a", "b"].map((id) => toolMessage({ id, name: "look" }, "no JSON", "invalid"));
    const second = await ask({ messages: [...messages, message, ...results], tools: [LOOK] });
    expect(text(second.message)).toBe("Sorry.");
    server.assertDone();
    const sent = server.requests[1]?.body.messages as { tool_call_id?: string }[];
    expect(sent.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(["a", "b"]);
  });

  it("reasoning, ids and unknown fields survive being stored, and go back (MSG-09, MSG-12)", async () => {
    const call = { id: "a", sig: 1, function: { name: "look", arguments: {} } };
    const frames = [line({ content: "Yes", thinking: "hm", plan: "p", tool_calls: [call] }), lastLine()] as never[];
    const { ask, server } = await serve([{ frames }, "Again.", "Again."], { server: { validate: false } });
    const stored: unknown = JSON.parse(JSON.stringify((await ask({ tools: [LOOK] })).message));
    const result = toolMessage({ id: "a", name: "look" }, "ok");
    for (const turn of [1, 2]) {
      await ask({ messages: [userMessage("Hi"), stored as never, result], tools: [LOOK] });
      const sent = server.requests[turn]?.body.messages as unknown[];
      expect(sent[1]).toEqual({ role: "assistant", content: "Yes", thinking: "hm", plan: "p", tool_calls: [call] });
    }
  });

  it("everything that can be set is something that the server knows (PRV-06)", async () => {
    const { ask, server } = await serve(["{}"], { profile: { contextWindow: 8_192, thinkValues: ["high"] } });
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
    const response = await ask({
      messages: [userMessage([{ type: "text", text: "See" }, image])],
      tools: [LOOK],
      responseFormat: { type: "json_schema", name: "a", schema: { type: "object" } },
      temperature: 0,
      topP: 1,
      maxOutputTokens: 9,
      stopSequences: ["END"],
      seed: 7,
      reasoningEffort: "high",
      providerOptions: { ollama: { keep_alive: "1m", options: { top_k: 5 } } },
    });
    server.assertDone();
    expect(response.warnings).toEqual([]);
  });

  it("a server is asked for its models, their profiles and vectors", async () => {
    const models = [
      { name: "qwen3", capabilities: ["completion", "tools"], numCtx: 8_192, contextLength: 40_960 },
      { name: "nomic-embed-text", capabilities: ["embedding"], numCtx: 2_048, embeddingLength: 3 },
    ];
    const { where, server } = await serve([{}, {}], { server: { models } });
    const names = (await ollamaModels(where)).map(({ name }) => name);
    expect(names).toEqual(["qwen3:latest", "nomic-embed-text:latest"]);
    expect(await ollamaProfile("qwen3", where)).toMatchObject({
      contextWindow: 8_192,
      trainedContextWindow: 40_960,
      capabilities: { tools: "yes", image_input: "no", reasoning: "no" },
    });
    expect((await ollamaProfile("nomic-embed-text", where)).contextWindow).toBe(2_048);
    const embeddings = ollamaEmbeddings("nomic-embed-text", where);
    expect(await embeddings.embedDocuments(["a", "b"])).toMatchObject({ dimensions: 3, vectors: [{}, {}] });
    expect(await embeddings.embedQuery("a", { dimensions: 2 })).toMatchObject({ dimensions: 2 });
    server.assertDone();
  });
});

describe("a prompt that does not fit (PA-19)", () => {
  const messages = [userMessage(LONG)];

  it("is refused by the server, which is told to", async () => {
    const { ask } = await serve([], { profile: { contextWindow: 2_048 } });
    await expect(ask({ messages })).rejects.toMatchObject({
      code: "context_window_exceeded",
      details: { status: 400 },
    });
  });

  it("is refused also where nobody said how much fits", async () => {
    const { ask } = await serve([]);
    await expect(ask({ messages })).rejects.toMatchObject({ code: "context_window_exceeded" });
  });

  it("is noticed when an old server cuts it all the same", async () => {
    const cut = { text: "What?", usage: { inputTokens: 1_026, outputTokens: 2 } };
    const options = { profile: { contextWindow: 2_048 }, server: { validate: false } };
    // An old server does not know the setting.
    const fetch: typeof globalThis.fetch = (input, init) =>
      globalThis.fetch(input, { ...init, body: String(init?.body).replace('"truncate":false', '"truncate":true') });
    const { ask } = await serve([cut, cut], { ...options, fetch });
    for (const delivery of ["incremental", "whole"] as const) {
      await expect(ask({ messages }, { delivery })).rejects.toMatchObject({
        code: "context_window_exceeded",
        details: { providerCode: "prompt_truncated", limitTokens: 2_048 },
      });
    }
  });

  it("is cut where it may be, and the response says so", async () => {
    const { ask } = await serve(["What?"], { profile: { contextWindow: 2_048 }, onTruncation: "warn" });
    const { warnings, usage } = await ask({ messages });
    expect(usage?.inputTokens).toBe(2_048);
    expect(warnings).toMatchObject([{ code: "provider", message: expect.stringContaining("does not fit") }]);
  });
});

describe("stopping", () => {
  it("in mid-stream rejects with the reason, closes the connection and leaves no listener (PA-12)", async () => {
    const { model, server } = await serve([{ text: "Hi", faults: [{ type: "stall", afterFrames: 1 }] }]);
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
    const { model, server } = await serve([{ text: "Hi", faults: [{ type: "stall", afterFrames: 1 }] }]);
    const call = { signal: undefined, delivery: "incremental" } as const;
    for await (const delta of model.stream({ messages: [userMessage("Hi")] }, call)) if (delta.type === "text") break;
    expect(await server.requests[0]?.ended).toBe("aborted");
  });

  it("before any answer is a timeout when the caller, who keeps the time, says so", async () => {
    for (const delivery of ["incremental", "whole"] as const) {
      const { ask, server } = await serve([{ text: "Hi", faults: [{ type: "silence" }] }]);
      const controller = new AbortController();
      const asking = ask({ timeoutMs: 1 }, { delivery, signal: controller.signal });
      asking.catch(() => undefined);
      await server.received();
      const details = { scope: "model_call", limitMs: 1 } as const;
      const late = new TinyAgentsError("timeout", "The model did not answer in time.", { details });
      controller.abort(late);
      await expect(asking).rejects.toBe(late);
      expect(await server.requests[0]?.ended).toBe("aborted");
      expect(server.requests[0]?.body).not.toHaveProperty("timeoutMs");
    }
  });

  it("an embedding, or a look at a model, closes the connection too", async () => {
    const { where, server } = await serve([{ faults: [{ type: "silence" }] }]);
    const controller = new AbortController();
    const asking = ollamaEmbeddings("m", where).embedQuery("Hi", { signal: controller.signal });
    asking.catch(() => undefined);
    await server.received();
    controller.abort("enough");
    await expect(asking).rejects.toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect(await server.requests[0]?.ended).toBe("aborted");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

describe("failures", () => {
  it("to connect say that no server runs, and can be repeated", async () => {
    const { ask, server, where } = await serve([]);
    await server.close();
    const refused = {
      code: "network",
      retryable: true,
      message: expect.stringContaining("ollama serve"),
      details: { provider: "ollama", reason: "ECONNREFUSED" },
    };
    for (const delivery of ["incremental", "whole"] as const) {
      await expect(ask({}, { delivery })).rejects.toMatchObject(refused);
    }
    await expect(ollamaModels(where)).rejects.toMatchObject(refused);
  });

  it("to find a model say how to get it", async () => {
    const { ask, where } = await serve([], { server: { models: [{ name: "other" }] } });
    const missing = { code: "model_not_found", message: expect.stringContaining("ollama pull qwen3") };
    await expect(ask()).rejects.toMatchObject(missing);
    await expect(ollamaProfile("qwen3", where)).rejects.toMatchObject(missing);
    await expect(ollamaEmbeddings("qwen3", where).embedQuery("a")).rejects.toMatchObject({ code: "model_not_found" });
  });

  it("of a model that lacks something name it", async () => {
    const { ask } = await serve([], { server: { models: [{ name: "qwen3", capabilities: ["completion"] }] } });
    const lacks = (capability: string) => ({ code: "capability_missing", details: { capabilities: [capability] } });
    await expect(ask({ tools: [LOOK] })).rejects.toMatchObject(lacks("tools"));
    await expect(ask({ reasoningEffort: "high" })).rejects.toMatchObject(lacks("reasoning"));
  });

  it("to read the model's own call are a mistake that the model is told of (PA-22)", async () => {
    const error = `error parsing tool call: raw='{"at":', err=unexpected end of JSON input`;
    const { ask } = await serve([
      { status: 500, message: error },
      { text: "Hm.", faults: [{ type: "error_frame", afterFrames: 1, error: { message: error } }] },
    ]);
    for (const content of [[], [{ type: "text", text: "Hm." }]]) {
      const response = await ask({ tools: [LOOK] });
      expect(response).toMatchObject({ finishReason: "tool_calls", warnings: [{ code: "malformed_data" }] });
      expect(response.message.content).toMatchObject([
        ...content,
        { type: "tool_call", name: "look", args: {}, invalid: { raw: '{"at":' } },
      ]);
    }
  });

  it("inside a stream are failures of the call, before and after output began (PA-18)", async () => {
    const faults = [0, 1].map((afterFrames) => [{ type: "error_frame", afterFrames } as const]);
    const { ask } = await serve([
      ...faults.map((list) => ({ text: "Hi", faults: list })),
      { whole: { error: "boom" } },
    ]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_server", retryable: true });
    await expect(ask()).rejects.toMatchObject({ code: "provider_server" });
    await expect(ask({}, { delivery: "whole" })).rejects.toMatchObject({ code: "provider_server" });
  });

  it("of the connection in mid-stream keep what had come (PA-11)", async () => {
    const { ask } = await serve([{ text: "Hi", faults: [{ type: "cut", afterFrames: 1 }] }]);
    await expect(ask()).rejects.toMatchObject({ code: "network", details: { partialText: "Hi" } });
  });

  it("are told once: one call makes one request (ERR-12, PA-16)", async () => {
    const { ask, server } = await serve([{ status: 503 }, { status: 429, reason: "quota" }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_overloaded", retryable: true });
    await expect(ask()).rejects.toMatchObject({ code: "provider_billing", retryable: false });
    expect(server.requests).toHaveLength(2);
  });

  it("never have the key or a header's value in them (SE-08)", async () => {
    const { ask } = await serve(
      ({ authorization = "", headers }) => ({
        status: 401,
        message: `No access for ${authorization} via ${headers["x-gateway-key"]}, ${headers["x-access"]?.split(" ")[1]}.`,
        headers: { "x-echo": authorization },
      }),
      { headers: { "x-gateway-key": "gateway-canary", "x-access": "Token canary-of-two-words" } },
    );
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "provider_auth")).toBe(true);
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toMatch(/canary/);
  });
});
