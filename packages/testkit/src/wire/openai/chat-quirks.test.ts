import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenAIWireServer, openaiWireServer, type WireEntry, type WireServerOptions } from "../index.js";

let server: OpenAIWireServer;
afterEach(() => server.close());

async function serve(script: readonly WireEntry[], options?: WireServerOptions): Promise<void> {
  server = await openaiWireServer(script, options);
}

function post(body: JsonObject = {}): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...body }),
  });
}

/** The parsed frames of a stream, without its end. */
async function frames(body: JsonObject = { stream: true }) {
  const text = await (await post(body)).text();
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []));
  return data.map((line) => JSON.parse(line));
}

describe("what compatible servers do otherwise", () => {
  test("is reasoning between tags in the text, cut as the text is", async () => {
    const answer = { reasoning: "hm", text: "yes", reasoningField: "think_tags", split: "characters" } as const;
    await serve([answer, answer]);
    const deltas = (await frames()).map(({ choices }) => choices[0].delta);
    expect(new Set(deltas.flatMap((delta) => Object.keys(delta)))).toEqual(new Set(["role", "content", "refusal"]));
    const said = deltas.map(({ content = "" }) => content).join("");
    expect(said).toBe("<think>\nhm\n</think>\n\nyes");
    const { message } = (await (await post()).json()).choices[0];
    expect(message).toEqual({ role: "assistant", content: said, refusal: null });
  });

  test.each([
    ["missing", undefined],
    ["empty", ""],
  ] as const)("is ids of tool calls that are %s", async (toolIds, id) => {
    await serve([
      { toolCalls: [{ name: "a" }], toolIds },
      { toolCalls: [{ name: "a" }], toolIds },
    ]);
    const [, fragment] = await frames();
    expect(fragment.choices[0].delta.tool_calls[0].id).toBe(id);
    expect((await (await post()).json()).choices[0].message.tool_calls[0].id).toBe(id);
  });

  test("is usage that nobody asked for, in the frame with the finish reason", async () => {
    await serve([{ text: "a", usageIn: "finish_frame" }]);
    const found = (await frames()).map(({ usage, choices }) => [choices[0].finish_reason, usage?.total_tokens]);
    expect(found).toEqual([
      [null, undefined],
      [null, undefined],
      ["stop", 15],
    ]);
  });

  test("is usage in every frame", async () => {
    await serve([{ text: "a", usageIn: "every_frame" }]);
    expect((await frames()).map(({ usage }) => usage.total_tokens)).toEqual([15, 15, 15]);
  });

  test("is usage in a field of Groq's", async () => {
    await serve([{ text: "a", usageIn: "x_groq" }]);
    const last = (await frames()).at(-1);
    expect([last.x_groq.usage.total_tokens, last.usage]).toEqual([15, undefined]);
  });

  test("is more in the usage: a router's cost, tokens written to a cache", async () => {
    const usage = { inputTokens: 3, outputTokens: 1, cacheWriteTokens: 2, more: { cost: 0.25 } };
    await serve([{ text: "a", usage }]);
    const found = (await (await post()).json()).usage;
    expect([found.cost, found.prompt_tokens_details.cache_write_tokens]).toEqual([0.25, 2]);
  });

  test.each([[null], [""]])("is a finish reason of %j in a stream that ends as it should", async (finishReason) => {
    await serve([{ text: "a", finishReason }]);
    expect((await frames()).at(-1).choices[0].finish_reason).toBe(finishReason);
  });

  test("is a rule of one server alone: refused, no violation, no entry used", async () => {
    const refuses = ({ body }: { readonly body: JsonObject }) =>
      body.tool_choice === "required" ? "tool_choice must be auto" : undefined;
    const tools = [{ type: "function", function: { name: "a" } }];
    await serve(["a"], { refuses });
    const refused = await post({ tools, tool_choice: "required" });
    expect([refused.status, (await refused.json()).error.message]).toEqual([400, "tool_choice must be auto"]);
    expect((await post({ tools, tool_choice: "auto" })).status).toBe(200);
    server.assertDone();
  });
});

test("an answer with something that Chat Completions has no place for is no answer", async () => {
  await serve([{ text: "a", signature: "s" }]);
  const { error } = await (await post()).json();
  expect(error.message).toMatch(/the entry has "signature", and answers at \/v1\/chat\/completions have none/);
});

test("a refusal is an ordinary stop in Chat Completions", async () => {
  await serve([{ refusal: "no", finishReason: "refusal" }]);
  expect((await (await post()).json()).choices[0].finish_reason).toBe("stop");
});

test("an answer that calls tools ends for them unless it is told otherwise", async () => {
  const toolCalls = [{ name: "a" }];
  await serve([{ toolCalls }, { toolCalls, finishReason: "stop" }]);
  const reason = async () => (await (await post()).json()).choices[0].finish_reason;
  expect([await reason(), await reason()]).toEqual(["tool_calls", "stop"]);
});

test("headers of an answer go beside those of the API", async () => {
  await serve([{ text: "a", headers: { "x-ratelimit-remaining-requests": "7" } }]);
  const { headers } = await post();
  expect([headers.get("x-ratelimit-remaining-requests"), headers.get("x-request-id")]).toEqual(["7", "req_1"]);
});

test("a prompt that is too long, and a quota that is used up, are refused in OpenAI's words (PA-16)", async () => {
  await serve([
    { status: 400, reason: "prompt_too_long" },
    { status: 429, reason: "quota" },
  ]);
  expect((await (await post()).json()).error.code).toBe("context_length_exceeded");
  expect((await (await post()).json()).error.code).toBe("insufficient_quota");
});

test("an error frame says what OpenAI says of its own failure, unless it is told", async () => {
  await serve([{ text: "a", faults: [{ type: "error_frame" }] }]);
  expect((await frames())[0].error.type).toBe("server_error");
});
