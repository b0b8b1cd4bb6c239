import {
  type AgentState,
  type AssistantMessage,
  askWhenResumed,
  type Block,
  checkHistory,
  collect,
  hashText,
  type JsonObject,
  type Message,
  type ModelRequest,
  resolvedModel,
  systemMessage,
  type ToolPolicy,
  tool,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { mockModel } from "@tinyagents/provider-mock";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWireServer } from "@tinyagents/testkit/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sent, served } from "./world.js";

const words = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("", " ", "\n", "Hi.", "你好 🌿", "trailing \n"));

const hint: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  {},
  {},
  { cacheControl: { type: "ephemeral" } },
  { cacheControl: { type: "ephemeral", ttl: "1h" } },
);

const image = fc.constantFrom<Block>(
  { type: "image", source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } },
  { type: "image", source: { type: "base64", mediaType: "image/tiff", data: "SUkqAA==" } },
  { type: "image", source: { type: "provider_file", provider: "openai", fileId: "file-1" } },
  { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "UklGRg==" } },
  { type: "file", name: "a|b.pdf", source: { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" } },
  { type: "file", source: { type: "base64", mediaType: "text/plain", data: "" } },
);

const spoken: fc.Arbitrary<Block> = fc.oneof(
  fc
    .record({ text: words, own: hint })
    .map(({ text, own }): Block => ({ type: "text", text, providerMetadata: { anthropic: own, openai: { x: 1 } } })),
  fc.jsonValue({ maxDepth: 1 }).map((value): Block => ({ type: "json", value: value as never })),
  image,
);

/** What models of other providers say beside text, and what is left of answers that were broken off. */
const odd: fc.Arbitrary<Block> = fc.oneof(
  fc.constantFrom<Block>(
    { type: "reasoning", text: "Hm." },
    { type: "reasoning", text: "Hm.", providerMetadata: { openai: { field: "reasoning_content" } } },
    { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "" } } },
    {
      type: "reasoning",
      text: "Cut",
      providerMetadata: { anthropic: { signature: "s", textHash: hashText("Cut off.") } },
    },
    { type: "reasoning", text: "", redacted: true, providerMetadata: { gemini: { data: "x" } } },
    { type: "refusal", text: "I will not." },
    { type: "refusal", text: "" },
    { type: "citation", source: { url: "https://a.test" }, text: "words" },
    { type: "provider", provider: "openai", value: { type: "web_search_call", id: "ws_1" } },
    { type: "tool_result", callId: "x|1", content: [{ type: "text", text: "found" }], isError: false },
  ),
  spoken,
);

const own: fc.Arbitrary<Block> = fc.constantFrom<Block>(
  { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "s", textHash: hashText("Hm.") } } },
  { type: "reasoning", text: "", providerMetadata: { anthropic: { signature: "s" } } },
  { type: "reasoning", text: "", redacted: true, providerMetadata: { anthropic: { redactedData: "ZGF0YQ==" } } },
);

const oddId = fc.oneof(
  fc.constantFrom("call|1", "functions.look:0", "a.b", "x".repeat(80), "toolu_01A"),
  fc.string({ minLength: 1, maxLength: 20 }),
);

interface Turn {
  readonly before: readonly Message[];
  readonly blocks: readonly Block[];
  readonly calls: readonly { readonly id: string; readonly failed: boolean; readonly result: readonly Block[] }[];
}

const turn: fc.Arbitrary<Turn> = fc.record({
  before: fc.array(
    fc.oneof(
      fc.array(spoken, { maxLength: 3 }).map((content): Message => userMessage(content)),
      words.map((text): Message => systemMessage(text)),
    ),
    { maxLength: 2 },
  ),
  blocks: fc.array(fc.oneof(odd, own), { maxLength: 4 }),
  calls: fc.array(fc.record({ id: oddId, failed: fc.boolean(), result: fc.array(spoken, { maxLength: 2 }) }), {
    maxLength: 3,
  }),
});

/** A history as an agent keeps it: every call is answered, in order, and ids are used once. */
function historyOf(turns: readonly Turn[]): readonly Message[] {
  let used = 0;
  return turns.flatMap(({ before, blocks, calls }) => {
    const named = calls.map((call) => ({ ...call, id: `${call.id}#${used++}` }));
    const asked = named.map(({ id }): Block => ({ type: "tool_call", id, name: "look", args: {} }));
    const answer: AssistantMessage = { role: "assistant", content: [...blocks, ...asked] };
    const results = named.map(({ id, failed, result }) =>
      toolMessage({ id, name: "look" }, result as Block[], failed ? "failed" : "ok"),
    );
    return [...before, answer, ...results];
  });
}

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };

describe("a history that others wrote", () => {
  it("is taken by the server, whatever is in it (PA-04, PA-06, PA-08, PA-14, PA-25, PA-26, PA-27)", {
    timeout: 60_000,
  }, async () => {
    const { server, model } = await served(() => "Yes.");
    const requests = fc.record({
      turns: fc.array(turn, { maxLength: 5 }),
      settings: fc.record<Partial<ModelRequest>>(
        {
          tools: fc.constant([LOOK]),
          reasoningEffort: fc.constantFrom("minimal" as const, "high" as const),
          maxOutputTokens: fc.constantFrom(10, 3_000),
        },
        { requiredKeys: [] },
      ),
      closing: fc.array(userMessageOf(), { minLength: 1, maxLength: 1 }),
    });
    const property = fc.asyncProperty(requests, async ({ turns, settings, closing }) => {
      const messages = [...historyOf(turns), ...closing];
      fc.pre(checkHistory(messages).length === 0);
      const call = { signal: undefined, delivery: "whole" } as const;
      const response = await collect(model.stream({ messages, ...settings }, call), resolvedModel(model));
      expect(response.finishReason).toBe("stop");
    });
    await fc.assert(property, { numRuns: 400 });
    expect(server.violations).toEqual([]);
  });
});

function userMessageOf(): fc.Arbitrary<Message> {
  return fc.array(spoken, { maxLength: 2 }).map((content) => userMessage([...content, { type: "text", text: "And?" }]));
}

function multiplyUnder(policy: ToolPolicy) {
  return tool({
    name: "multiply",
    description: "Multiplies two numbers.",
    input: z.object({ a: z.number(), b: z.number() }),
    policy,
    execute: ({ a, b }) => a * b,
  });
}

const multiply = multiplyUnder({});

describe("a conversation moves between providers", () => {
  it("from the offline model", async () => {
    const offline = await createAgent({ name: "offline", model: mockModel(), tools: [multiply] }).invoke(
      "What is 6 times 7?",
    );
    const { server, model } = await served(["Twice 42 is 84."]);
    const input = [...offline.messages, { role: "user", content: "And twice that?" }] as const;
    const run = await createAgent({ name: "online", model, tools: [multiply] }).invoke(input);
    server.assertDone();
    expect(run.text).toBe("Twice 42 is 84.");
    const [question, call, results, answer] = sent(server, 1);
    expect(question?.content).toMatchObject([{ text: "What is 6 times 7?" }]);
    expect(call?.content).toMatchObject([{ type: "tool_use", name: "multiply" }]);
    expect(results?.content).toMatchObject([{ type: "tool_result", tool_use_id: call?.content[0]?.id }]);
    expect(answer?.content).toMatchObject([{ text: offline.text }]);
  });

  it("to OpenAI and back, with the thoughts that are its own (PA-08, PA-27)", async () => {
    const calls = { toolCalls: [{ id: "toolu_1", name: "multiply", args: { a: 6, b: 7 } }] };
    const { server, model } = await served([
      { reasoning: "Six sevens.", signature: "sig", ...calls },
      "It is 42.",
      "Yes.",
    ]);
    const first = await createAgent({ name: "one", model, tools: [multiply] }).invoke("What is 6 times 7?");
    const openai = await openaiWireServer([
      { toolCalls: [{ id: "functions.multiply:0|x", name: "multiply", args: { a: 42, b: 2 } }] },
      "It is 84.",
    ]);
    const other = openaiModel("gpt-4o", { apiKey: "k", baseUrl: openai.url });
    const second = await createAgent({ name: "two", model: other, tools: [multiply] }).invoke([
      ...first.messages,
      { role: "user", content: "And twice that?" },
    ]);
    openai.assertDone();
    expect(JSON.stringify(openai.requests[0]?.body)).not.toContain("Six sevens.");
    await openai.close();
    await createAgent({ name: "three", model, tools: [multiply] }).invoke([
      ...second.messages,
      { role: "user", content: "Sure?" },
    ]);
    server.assertDone();
    const turns = sent(server, 3);
    expect(turns[1]?.content[0]).toEqual({ type: "thinking", thinking: "Six sevens.", signature: "sig" });
    const [foreign, result] = turns.slice(-4);
    expect(foreign?.content[0]).toMatchObject({ type: "tool_use", id: expect.stringMatching(/^[\w-]+$/) });
    expect(result?.content[0]).toMatchObject({ tool_use_id: foreign?.content[0]?.id });
  });

  it("in the middle of a run that waits for approval", async () => {
    const common = { name: "calculator", tools: [multiplyUnder({ approval: "always" })], approver: askWhenResumed };
    const paused = await createAgent({ ...common, model: mockModel() }).invoke("What is 6 times 7?");
    expect(paused.status).toBe("paused");
    const { server, model } = await served(["It is 42."]);
    const run = await createAgent({ ...common, model }).resume(JSON.parse(JSON.stringify(paused.state)) as AgentState, {
      answers: { [paused.requests[0]?.id ?? ""]: { approve: true } },
    });
    server.assertDone();
    expect(run.text).toBe("It is 42.");
  });
});
