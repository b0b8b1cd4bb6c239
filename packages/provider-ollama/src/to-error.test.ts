import { inspect } from "node:util";
import { type ErrorCode, TinyAgentsError } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { readSaid, ServerFailure } from "./server-failure.js";
import { type FailedQuestion, toError } from "./to-error.js";

const CONTEXT: FailedQuestion = {
  provider: "ollama",
  model: "qwen3",
  baseUrl: "http://127.0.0.1:11434",
  secrets: ["canary-key"],
  partialText: "Hel",
};

function failed(status: number | undefined, body: unknown, headers: Record<string, string> = {}): TinyAgentsError {
  const said = readSaid(typeof body === "string" ? body : JSON.stringify(body));
  const answer = status === undefined ? undefined : { status, headers: new Headers(headers) };
  return toError(new ServerFailure(said, CONTEXT.secrets, answer), CONTEXT);
}

describe("what a server says went wrong (ERR-04)", () => {
  it.each<[number | undefined, string, ErrorCode, boolean]>([
    [404, 'model "qwen3" not found, try pulling it first', "model_not_found", false],
    [404, "model 'qwen3' not found", "model_not_found", false],
    [400, "registry.ollama.ai/library/qwen3:latest does not support tools", "capability_missing", false],
    [400, '"qwen3" does not support thinking', "capability_missing", false],
    [400, '"qwen3" does not support chat', "capability_missing", false],
    [400, "the input length exceeds the context length", "context_window_exceeded", false],
    [500, "input length exceeds maximum context length", "context_window_exceeded", false],
    [400, "prompt too long; exceeded max context length by 5 tokens", "context_window_exceeded", false],
    [401, "unauthorized", "provider_auth", false],
    [403, "forbidden", "provider_auth", false],
    [402, "this model needs a subscription", "provider_billing", false],
    [429, "you (me) have reached your weekly usage limit, upgrade for higher limits", "provider_billing", false],
    [429, "too many requests", "provider_rate_limit", true],
    [503, "server busy, please try again. maximum pending requests exceeded", "provider_overloaded", true],
    [529, "overloaded", "provider_overloaded", true],
    [408, "timed out", "network", true],
    [500, "llama runner process has terminated: exit status 2", "provider_server", true],
    [500, "model requires more system memory (9.1 GiB) than is available (4.2 GiB)", "provider_server", false],
    [502, "", "provider_server", true],
    [400, "invalid options: num_ctx", "provider_bad_request", false],
    [undefined, "an error was encountered while running the model: unexpected EOF", "provider_server", true],
    [undefined, "server busy, please try again", "provider_overloaded", true],
    [
      undefined,
      "you've reached your hourly usage limit, please wait or upgrade to continue",
      "provider_billing",
      false,
    ],
  ])("with status %s, %j is %s (PA-16, PA-18)", (status, message, code, retryable) => {
    const error = failed(status, { error: message });
    expect([error.code, error.retryable]).toEqual([code, retryable]);
    expect(error.cause).toBeInstanceOf(ServerFailure);
  });

  it("of a missing model has the command that gets it", () => {
    const error = failed(404, { error: "model 'qwen3' not found" });
    expect(error.message).toBe('Ollama has no model "qwen3". Get it with: ollama pull qwen3');
    expect(error.details).toEqual({ model: "qwen3", provider: "ollama" });
  });

  it.each([
    ["tools", "tools"],
    ["thinking", "reasoning"],
    ["vision", "image_input"],
    ["embeddings", "embeddings"],
  ])("of %s that a model lacks names the capability", (word, capability) => {
    const { details } = failed(400, { error: `qwen3 does not support ${word}` });
    expect(details).toEqual({ model: "ollama/qwen3", capabilities: [capability] });
  });

  it("of a wrong place says what baseUrl is", () => {
    expect(failed(404, "404 page not found")).toMatchObject({
      code: "provider_bad_request",
      message: "ollama refused the request (404): 404 page not found Is baseUrl right? It ends before /api.",
      details: { provider: "ollama", status: 404 },
    });
    expect(failed(400, "nonsense").message).not.toContain("baseUrl");
  });

  it.each([
    [
      "as an object",
      { error: { code: 400, message: "too long", type: "exceed_context_size_error", n_prompt_tokens: 42, n_ctx: 8 } },
    ],
    [
      "as a text in a text",
      {
        error: JSON.stringify({
          error: { message: "request (42 tokens) exceeds the available context size (8 tokens), try increasing it" },
        }),
      },
    ],
  ])("of a prompt that is too long is read with its numbers, %s", (_, body) => {
    expect(failed(400, body)).toMatchObject({
      code: "context_window_exceeded",
      details: { status: 400, limitTokens: 8, askedTokens: 42 },
    });
  });

  it.each(["", "{}", "{", '{"error":{}}', '{"error":[1]}', '{"error":{"error":{"error":{"error":{"error":"deep"}}}}}'])(
    "is an error even as %j",
    (body) => {
      expect(failed(500, body)).toMatchObject({ code: "provider_server", retryable: true });
    },
  );

  it("has the server's hint how long to wait (PA-17)", () => {
    for (const status of [429, 500, 503]) {
      expect(failed(status, "later", { "retry-after": "2" }).details).toMatchObject({ retryAfterMs: 2_000 });
    }
    expect(failed(429, "later").details).toEqual({ provider: "ollama", status: 429 });
  });

  it("keeps the server's code", () => {
    expect(failed(500, { error: { message: "x", type: "api_error" } }).details).toMatchObject({
      providerCode: "api_error",
    });
  });
});

describe("what went wrong on the way", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:11434"), { code: "ECONNREFUSED" });

  it("says that no server runs, and how to start it", () => {
    const error = toError(new TypeError("fetch failed", { cause: refused }), { ...CONTEXT, partialText: "" });
    expect(error).toMatchObject({
      code: "network",
      retryable: true,
      message:
        "No Ollama server answers at http://127.0.0.1:11434 (ECONNREFUSED). Start it with: ollama serve. Or set baseUrl.",
      details: { provider: "ollama", reason: "ECONNREFUSED" },
    });
  });

  it("keeps what had come", () => {
    const error = toError(new TypeError("terminated"), CONTEXT);
    expect(error.details).toEqual({ provider: "ollama", reason: "connection_failed", partialText: "Hel" });
    expect(error.message).toBe("The connection to ollama failed: terminated");
  });

  it("says what it was in the end", () => {
    const error = toError(new TypeError("fetch failed", { cause: new Error("other side closed") }), CONTEXT);
    expect(error.message).toBe("The connection to ollama failed: fetch failed: other side closed");
    expect(toError(undefined, CONTEXT).message).toBe("The connection to ollama failed: nobody said why");
  });

  it("is no answer where the answer cannot be read", () => {
    for (const thrown of [new SyntaxError("Unexpected token c in canary-key"), new RangeError("too deep")]) {
      const error = toError(thrown, CONTEXT);
      expect(error).toMatchObject({ code: "provider_server", details: { providerCode: "malformed_response" } });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("canary");
    }
  });

  it("stays what it is where it has a code", () => {
    const ours = new TinyAgentsError("invalid_request", "No.", { details: {} });
    expect(toError(ours, CONTEXT)).toBe(ours);
  });

  it("is an error even where what was thrown is none", () => {
    for (const thrown of ["canary-key", undefined, 7]) {
      const error = toError(thrown, CONTEXT);
      expect(error.code).toBe("network");
      expect(inspect(error)).not.toContain("canary-key");
    }
  });
});

describe("secrets (SE-08)", () => {
  it("are in no error, its causes and its record", () => {
    const cause = Object.assign(new Error("canary-key in a cause"), {
      code: "canary-key",
      extra: { key: "canary-key" },
    });
    const errors = [
      failed(401, { error: { message: "no access for canary-key", type: "canary-key" } }, { "x-echo": "canary-key" }),
      failed(500, "canary-key"),
      toError(new TypeError("fetch failed for canary-key", { cause }), CONTEXT),
    ];
    for (const error of errors) {
      expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain("canary-key");
      expect(error.message + String(error.cause)).not.toContain("canary-key");
    }
  });
});
