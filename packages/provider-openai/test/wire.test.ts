import { getEventListeners } from "node:events";
import {
  collect,
  isTinyAgentsError,
  type ModelCallContext,
  type ModelRequest,
  type ModelResponse,
  resolvedModel,
  TinyAgentsError,
  text,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { type OpenAIModelOptions, openaiModel } from "@tinyagents/provider-openai";
import {
  type OpenAIWireServer,
  openaiWireServer,
  type WireEntry,
  type WireServerOptions,
} from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it, vi } from "vitest";

const KEY = "canary-key-123456";
const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };

let server: OpenAIWireServer | undefined;

afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

async function serve(
  script: Parameters<typeof openaiWireServer>[0],
  options: Partial<OpenAIModelOptions> = {},
  serverOptions: WireServerOptions = {},
) {
  server = await openaiWireServer(script, serverOptions);
  const model = openaiModel("gpt-4o", { apiKey: KEY, baseUrl: server.url, ...options });
  const ask = (request: Partial<ModelRequest> = {}, call: Partial<ModelCallContext> = {}): Promise<ModelResponse> =>
    collect(
      model.stream(
        { messages: [userMessage("Hi")], ...request },
        { signal: undefined, delivery: "incremental", ...call },
      ),
      resolvedModel(model),
    );
  return { server, model, ask };
}

describe("over a real socket", () => {
  it("nothing is read from the environment", async () => {
    vi.stubEnv("OPENAI_API_KEY", "env-key");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    vi.stubEnv("OPENAI_ORG_ID", "env-org");
    vi.stubEnv("OPENAI_PROJECT_ID", "env-project");
    vi.stubEnv("OPENAI_LOG", "debug");
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", "x-env: env-header\nauthorization: Bearer env-key");
    const debug = vi.spyOn(console, "debug").mockImplementation(() => undefined);
    const { ask, server: wire } = await serve(["Hi"], { headers: { "x-mine": "mine" }, organization: "my-org" });
    await ask();
    const headers = JSON.stringify(wire.requests[0]?.headers);
    expect(headers).not.toMatch(/env-/);
    expect(wire.requests[0]).toMatchObject({
      authorization: `Bearer ${KEY}`,
      headers: { "x-mine": "mine", "openai-organization": "my-org" },
    });
    expect(debug).not.toHaveBeenCalled();
  });

  it("every split of the bytes gives the same answer (PA-15, MSG-10)", async () => {
    const answer = { text: "你好 👩‍👩‍👧 naïve", toolCalls: [{ id: "a", name: "look", args: { at: "東京" } }] };
    const splits = ["bytes", ...[1, 2, 3, 4, 5, 6, 7].map((seed) => ({ seed, longest: 4 }))] as const;
    const script: WireEntry[] = [answer, ...splits.map((chunks) => ({ ...answer, chunks }))];
    const { ask } = await serve(script);
    const { message } = await ask({ tools: [LOOK] });
    for (const _ of splits) {
      expect((await ask({ tools: [LOOK] })).message.content).toEqual(message.content);
    }
    expect(text(message)).toBe(answer.text);
  });

  it("lines may end as they like, with comments between them", async () => {
    const endings = ["\n", "\r\n", "\r"] as const;
    const { ask } = await serve(endings.map((lineEnd) => ({ text: "Hi", lineEnd, faults: [{ type: "comments" }] })));
    for (const _ of endings) expect(text((await ask()).message)).toBe("Hi");
  });

  it("frames without choices change nothing (PA-20)", async () => {
    const { ask } = await serve([{ text: "Hi", faults: [{ type: "bare_frames" }] }]);
    const response = await ask();
    expect(response.message.content).toEqual([{ type: "text", text: "Hi" }]);
    expect(response.providerData).toHaveProperty("prompt_filter_results");
  });

  it("calls are told apart however they are numbered (PA-01)", async () => {
    const toolCalls = [
      { id: "a", name: "look", args: { n: 1 } },
      { id: "b", name: "look", args: { n: 2 } },
    ];
    const kinds = [[1, 5], "missing", "constant"] as const;
    const { ask } = await serve(kinds.map((toolIndexes) => ({ toolCalls, toolIndexes, split: "characters" as const })));
    for (const kind of kinds) {
      const { message } = await ask({ tools: [LOOK] });
      expect([kind, message.content]).toEqual([kind, toolCalls.map((call) => ({ type: "tool_call", ...call }))]);
    }
  });

  it("a conversation goes on after broken arguments (PA-04), in call order (PA-05)", async () => {
    const broken = {
      toolCalls: [
        { id: "a", name: "look", rawArgs: '{"at":' },
        { id: "b", name: "look" },
      ],
    };
    const { ask, server: wire } = await serve([broken, "Sorry."]);
    const messages = [userMessage("Hi")];
    const { message } = await ask({ messages, tools: [LOOK] });
    expect(message.content[0]).toMatchObject({ invalid: { raw: '{"at":' } });
    const results = ["a", "b"].map((id) => toolMessage({ id, name: "look" }, "no JSON", "invalid"));
    const second = await ask({ messages: [...messages, message, ...results], tools: [LOOK] });
    expect(text(second.message)).toBe("Sorry.");
    expect(wire.violations).toEqual([]);
    const sent = wire.requests[1]?.body.messages as { tool_call_id?: string }[];
    expect(sent.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(["a", "b"]);
  });

  it("reasoning survives, and goes back only to a server that wants it (MSG-06)", async () => {
    const { ask, server: wire } = await serve(
      [{ reasoning: "hm", text: "Yes" }, "Again."],
      {
        quirks: { reasoningField: "reasoning_content" },
      },
      { validate: false },
    );
    const { message } = await ask();
    await ask({ messages: [userMessage("Hi"), message, userMessage("And?")] });
    expect(wire.requests[1]?.body.messages).toMatchObject([{}, { content: "Yes", reasoning_content: "hm" }, {}]);
  });
});

describe("stopping", () => {
  it("in mid-stream rejects with the reason, closes the connection and leaves no listener (PA-12)", async () => {
    const { model, server: wire } = await serve([{ text: "Hi", faults: [{ type: "stall", afterFrames: 2 }] }]);
    const controller = new AbortController();
    const call = { signal: controller.signal, delivery: "incremental" } as const;
    const iterator = model.stream({ messages: [userMessage("Hi")] }, call)[Symbol.asyncIterator]();
    while ((await iterator.next()).value?.type !== "text");
    const next = iterator.next();
    controller.abort("enough");
    await expect(next).rejects.toSatisfy(
      (error) => isTinyAgentsError(error, "cancelled") && error.details.reason === "enough",
    );
    expect(await wire.requests[0]?.ended).toBe("aborted");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("is a timeout when the caller, who keeps the time, says so", async () => {
    for (const delivery of ["incremental", "whole"] as const) {
      const { ask, server: wire } = await serve([{ text: "Hi", faults: [{ type: "silence" }] }]);
      const controller = new AbortController();
      const asking = ask({ timeoutMs: 1 }, { delivery, signal: controller.signal });
      asking.catch(() => undefined);
      await wire.received();
      const details = { scope: "model_call", limitMs: 1 } as const;
      const late = new TinyAgentsError("timeout", "The model did not answer in time.", { details });
      controller.abort(late);
      await expect(asking).rejects.toBe(late);
      expect(wire.requests[0]?.body).not.toHaveProperty("timeoutMs");
      await wire.close();
    }
  });
});

describe("failures", () => {
  it("of quota are told at once, after one request (PA-16)", async () => {
    const { ask, server: wire } = await serve([{ status: 429, code: "insufficient_quota", retryAfter: 1 }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_billing", retryable: false });
    expect(wire.requests).toHaveLength(1);
  });

  it("inside a stream are failures of the call, before and after output began (PA-18)", async () => {
    const error = { code: "rate_limit_exceeded", message: "Slow down." };
    const faults = [0, 2].map((afterFrames) => [{ type: "error_frame", afterFrames, error }] as const);
    const { ask } = await serve([...faults.map((list) => ({ text: "Hi", faults: list })), { whole: { error } }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_rate_limit", retryable: true });
    await expect(ask()).rejects.toMatchObject({ code: "provider_rate_limit" });
    await expect(ask({}, { delivery: "whole" })).rejects.toMatchObject({ code: "provider_rate_limit" });
  });

  it("of framing, and web pages in place of answers, have a code", async () => {
    const page = () =>
      Promise.resolve(new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } }));
    const { ask } = await serve([{ text: "Hi", faults: [{ type: "malformed_frame" }] }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_server" });
    const lost = openaiModel("m", { apiKey: KEY, fetch: page });
    const answer = collect(
      lost.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery: "whole" }),
      resolvedModel(lost),
    );
    await expect(answer).rejects.toMatchObject({
      code: "provider_bad_request",
      message: expect.stringContaining("baseUrl"),
    });
  });

  it("of compatible servers are read, wherever they put the fields", async () => {
    const body = JSON.stringify({ object: "error", message: "maximum context length is 10 tokens", code: 400 });
    const { ask } = await serve([
      { status: 400, body },
      { status: 502, body: "<html>Bad gateway</html>" },
    ]);
    await expect(ask()).rejects.toMatchObject({ code: "context_window_exceeded", details: { limitTokens: 10 } });
    await expect(ask()).rejects.toMatchObject({ code: "provider_server", details: { status: 502 } });
  });

  it("to connect are network failures, which can be repeated", async () => {
    const { ask, server: wire } = await serve([]);
    await wire.close();
    await expect(ask()).rejects.toMatchObject({
      code: "network",
      retryable: true,
      details: { provider: "openai", reason: "ECONNREFUSED" },
    });
  });

  it("of a tool call that the server itself refused become a call to be corrected (PA-22)", async () => {
    const raw = '<function=look>{"at": }</function>';
    const failure = {
      status: 400,
      code: "tool_use_failed",
      message: "Failed to call.",
      more: { failed_generation: raw },
    };
    const { ask } = await serve([failure, failure]);
    for (const delivery of ["incremental", "whole"] as const) {
      const response = await ask({ tools: [LOOK] }, { delivery });
      expect(response.finishReason).toBe("tool_calls");
      expect(response.message.content).toMatchObject([
        { type: "tool_call", name: "look", invalid: { reason: "Failed to call.", raw } },
      ]);
    }
  });

  it("never have the key or a header's value in them (SE-08)", async () => {
    const { ask } = await serve(
      ({ authorization, headers }) => ({
        status: 401,
        code: authorization ?? "",
        message: `No access for ${authorization?.slice("Bearer ".length)} with ${headers["x-gateway-key"]}.`,
        headers: { "x-request-id": headers["x-gateway-key"] ?? "" },
      }),
      { headers: { "x-gateway-key": "gateway-canary" } },
    );
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "provider_auth")).toBe(true);
    const { inspect } = await import("node:util");
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toMatch(/canary/);
  });
});
