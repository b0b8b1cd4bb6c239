import {
  type AssistantMessage,
  assistantMessage,
  collect,
  type JsonObject,
  type ModelRequest,
  type ModelResponse,
  resolvedModel,
  text,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { compatiblePresets, openaiCompatible, type PresetName } from "@tinyagents/provider-openai";
import {
  type OpenAIWireServer,
  openaiWireServer,
  type WireAnswer,
  type WireEntry,
  type WireServerOptions,
} from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
const NAMES = Object.keys(compatiblePresets) as PresetName[];

let server: OpenAIWireServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(
  preset: PresetName,
  script: readonly WireEntry[],
  { options = {}, ...rules }: WireServerOptions & { options?: Partial<Parameters<typeof openaiCompatible>[1]> } = {},
) {
  const wire = await openaiWireServer(script, rules);
  server = wire;
  const model = openaiCompatible("m", { preset, apiKey: "key-1234", baseUrl: wire.url, ...options });
  const ask = (request: Partial<ModelRequest> = {}, delivery: "incremental" | "whole" = "incremental") =>
    collect(
      model.stream({ messages: [userMessage("Hi")], ...request }, { signal: undefined, delivery }),
      resolvedModel(model),
    );
  const sent = (number: number): JsonObject => wire.requests[number]?.body ?? {};
  return { model, ask, sent };
}

/** The same answer, streamed and whole. */
async function bothWays(preset: PresetName, answer: WireAnswer, whole: WireAnswer = answer) {
  const { ask } = await serve(preset, [answer, whole]);
  const streamed = await ask();
  expect((await ask({}, "whole")).message.content).toEqual(streamed.message.content);
  return streamed;
}

function thoughts({ message }: ModelResponse): string {
  return message.content.map((block) => (block.type === "reasoning" ? block.text : "")).join("");
}

describe("every preset", () => {
  it.each(NAMES)("%s has a place, a source, and says in words what is different", (name) => {
    const { baseUrl, see, about, key } = compatiblePresets[name];
    expect(about.length).toBeGreaterThan(0);
    expect(see).toMatch(/^https:/);
    expect(baseUrl === undefined).toBe(name === "azure");
    const apiKey = key === "required" ? "k" : undefined;
    const { id, profile } = openaiCompatible("m", {
      preset: name,
      apiKey,
      baseUrl: baseUrl ?? "https://a.test/openai/v1",
    });
    expect(id).toBe(`${name}/m`);
    expect(profile).toMatchObject({ provider: name, capabilities: { streaming: "yes" } });
  });

  it.each(NAMES)("%s answers, calls a tool, and takes its result", async (name) => {
    const answers: WireAnswer[] = [{ toolCalls: [{ name: "look", args: { at: 1 } }] }, { text: "Done." }];
    const { ask } = await serve(name, answers, { options: { profile: { capabilities: { tools: "yes" } } } });
    const { message } = await ask({ tools: [LOOK] });
    const [call] = toolCalls(message);
    expect(call).toMatchObject({ name: "look", args: { at: 1 } });
    const results = toolCalls(message).map((one) => toolMessage(one, "seen"));
    const { message: end } = await ask({ tools: [LOOK], messages: [userMessage("Hi"), message, ...results] });
    expect(text(end)).toBe("Done.");
  });

  it("wants a key where the server does, and an address where there is none (PRV-05)", () => {
    expect(() => openaiCompatible("m", { preset: "groq" })).toThrow("apiKey");
    expect(() => openaiCompatible("m", { preset: "azure", apiKey: "k" })).toThrow("baseUrl");
    expect(() => openaiCompatible("m", { preset: "acme" as never })).toThrow(/no "acme", there are azure, /);
    expect(() => openaiCompatible("m", { preset: "toString" as never })).toThrow(TypeError);
    expect(openaiCompatible("m", { preset: "ollama" }).profile.source).toBe("local");
  });

  it("gives way to what the application knows", async () => {
    const { model, ask, sent } = await serve("ollama", ["Hi"], {
      options: {
        profile: { capabilities: { tool_choice_named: "yes" }, contextWindow: 8_192 },
        quirks: { maxTokensField: "max_completion_tokens" },
      },
    });
    expect(model.profile).toMatchObject({
      contextWindow: 8_192,
      capabilities: { tool_choice_named: "yes", tool_choice_required: "no" },
    });
    await ask({ maxOutputTokens: 9 });
    expect(sent(0).max_completion_tokens).toBe(9);
  });

  it("can be one of the application's own", () => {
    const preset = { ...compatiblePresets.vllm, baseUrl: "https://a.test/v1" };
    expect(openaiCompatible("m", { preset, provider: "acme" }).id).toBe("acme/m");
  });
});

describe("thoughts", () => {
  it.each(["ollama", "vllm", "lmstudio", "llamacpp", "together", "groq"] as const)(
    "of %s are parted from the text where they stand between tags",
    async (preset) => {
      const answer = { reasoning: "Hm <b>", text: "Yes.", reasoningField: "think_tags", split: "characters" } as const;
      const response = await bothWays(preset, answer);
      expect([thoughts(response), text(response.message)]).toEqual(["Hm <b>", "Yes."]);
    },
  );

  it.each(["reasoning", "reasoning_content"] as const)("are read from the field %s of any server", async (field) => {
    const response = await bothWays("xai", { reasoning: "Hm", text: "Yes.", reasoningField: field });
    expect([thoughts(response), text(response.message)]).toEqual(["Hm", "Yes."]);
  });

  it("of DeepSeek go back with the turns that called tools, even when there were none (PA-08)", async () => {
    const call = { toolCalls: [{ name: "look" }] };
    const { ask, sent } = await serve("deepseek", [{ ...call, reasoning: "Hm" }, call, "Done."], { validate: false });
    const messages = [userMessage("Hi")];
    const history = [...messages];
    for (let turn = 0; turn < 2; turn++) {
      const { message } = await ask({ tools: [LOOK], messages: history });
      history.push(message as never, ...(toolCalls(message).map((one) => toolMessage(one, "seen")) as never[]));
    }
    await ask({ tools: [LOOK], messages: history });
    const turns = (sent(2).messages as JsonObject[]).filter(({ role }) => role === "assistant");
    expect(turns.map(({ reasoning_content }) => reasoning_content)).toEqual(["Hm", ""]);
  });

  it("of OpenRouter go back as they came, signatures and all, whole again after they were streamed (PA-07)", async () => {
    const details = [
      { type: "reasoning.text", text: "Hm, ", index: 0, signature: null },
      { type: "reasoning.text", text: "so.", index: 0, signature: null },
      { type: "reasoning.text", index: 0, signature: "c2ln" },
      { type: "reasoning.encrypted", data: "ZW5j", index: 1 },
    ];
    const merged = [
      { type: "reasoning.text", text: "Hm, so.", index: 0, signature: "c2ln" },
      { type: "reasoning.encrypted", data: "ZW5j", index: 1 },
    ];
    const frame = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
      id: "r",
      object: "chat.completion.chunk",
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const frames = [
      ...details.map((detail) => frame({ reasoning: detail.text ?? "", reasoning_details: [detail] })),
      frame({ content: "Yes." }, "stop"),
      "[DONE]",
    ];
    const message = { role: "assistant", content: "Yes.", reasoning: "Hm, so.", reasoning_details: merged };
    const whole = { id: "r", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] };
    const { ask, sent } = await serve("openrouter", [{ frames }, { whole }, "Again."], { validate: false });
    const streamed = await ask();
    expect((await ask({}, "whole")).message).toEqual(streamed.message);
    const stored = JSON.parse(JSON.stringify(streamed.message)) as AssistantMessage;
    await ask({ messages: [userMessage("Hi"), stored, userMessage("And?")] });
    expect((sent(2).messages as JsonObject[])[1]).toEqual({
      role: "assistant",
      content: "Yes.",
      reasoning_details: merged,
    });
  });
});

describe("Mistral", () => {
  const refuses = ({ body }: { readonly body: JsonObject }) =>
    body.stream_options === undefined ? undefined : "stream_options: Extra inputs are not permitted";

  it("is not asked for usage, and tells it in its last frame (USG-01)", async () => {
    const { ask } = await serve("mistral", [{ text: "Hi", usageIn: "finish_frame" }], { refuses });
    expect((await ask()).usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it("has its own words for settings and choices", async () => {
    const { ask, sent } = await serve("mistral", [{ toolCalls: [{ name: "look" }] }], { validate: false });
    await ask({ seed: 7, tools: [LOOK], toolChoice: "required" });
    expect(sent(0)).toMatchObject({ random_seed: 7, tool_choice: "any" });
    expect(sent(0)).not.toHaveProperty("seed");
  });

  it("gets ids of nine letters and digits, the same for call and result, and none twice (PA-27)", async () => {
    const { ask, sent } = await serve("mistral", ["Done."], { validate: false });
    const ids = ["abcDEF123", "call_1", "a.b", "a:b", `toolu|${"x".repeat(80)}`];
    const answer = assistantMessage(ids.map((id) => ({ type: "tool_call", id, name: "look", args: {} })));
    await ask({ messages: [userMessage("Hi"), answer, ...ids.map((id) => toolMessage({ id, name: "look" }, "seen"))] });
    const messages = sent(0).messages as JsonObject[];
    const called = ((messages[1]?.tool_calls ?? []) as JsonObject[]).map(({ id }) => id);
    expect(called).toEqual(messages.slice(2).map(({ tool_call_id }) => tool_call_id));
    expect(new Set(called).size).toBe(ids.length);
    expect(called[0]).toBe("abcDEF123");
    for (const id of called) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages[1]?.content).toBe("");
  });

  it("is read where its content is a list of thoughts and texts", async () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
      { type: "text", text: "Yes." },
    ];
    const message = { role: "assistant", content };
    const head = { id: "r", object: "chat.completion.chunk", model: "m" };
    const frames = [
      { ...head, choices: [{ index: 0, delta: { content: content.slice(0, 1) }, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: { content: "Yes." }, finish_reason: "stop" }] },
      "[DONE]",
    ];
    const whole = { ...head, choices: [{ index: 0, message, finish_reason: "stop" }] };
    const response = await bothWays("mistral", { frames }, { whole });
    expect([thoughts(response), text(response.message)]).toEqual(["Hm.", "Yes."]);
  });
});

describe("odd servers", () => {
  it.each<[PresetName, Partial<WireAnswer>]>([
    ["ollama", { toolIndexes: "constant", wholeCalls: true }],
    ["lmstudio", { toolIndexes: "missing", wholeCalls: true }],
    ["llamacpp", { toolIds: "empty", toolIndexes: [1, 5] }],
    ["vllm", { toolIds: "missing" }],
  ])("of %s have calls whose indexes or ids are wrong (PA-01)", async (preset, odd) => {
    const calls = [
      { name: "look", args: { at: 1 } },
      { name: "find", args: { at: 2 } },
    ];
    const { ask } = await serve(preset, [{ toolCalls: calls, ...odd }], {
      options: { profile: { capabilities: { tools: "yes" } } },
    });
    const { message } = await ask({ tools: [LOOK, { ...LOOK, name: "find" }] });
    expect(toolCalls(message).map(({ name, args }) => [name, args])).toEqual([
      ["look", { at: 1 }],
      ["find", { at: 2 }],
    ]);
    expect(new Set(toolCalls(message).map(({ id }) => id)).size).toBe(2);
  });

  it("that take words alone are told required in place of a tool's name (PA-21)", async () => {
    const refuses = ({ body }: { readonly body: JsonObject }) =>
      typeof body.tool_choice === "object" ? "Invalid tool_choice type: 'object'. Supported: string." : undefined;
    const { ask, sent } = await serve("lmstudio", [{ toolCalls: [{ name: "look" }] }], { refuses });
    const { warnings } = await ask({ tools: [LOOK], toolChoice: { type: "tool", name: "look" } });
    expect(sent(0).tool_choice).toBe("required");
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "toolChoice" }]);
  });

  it("that take no choice at all refuse a demand before it is sent", async () => {
    const { ask, sent } = await serve("ollama", []);
    await expect(ask({ tools: [LOOK], toolChoice: "required" })).rejects.toMatchObject({ code: "capability_missing" });
    expect(sent(0)).toEqual({});
  });

  it("tell usage in a field of their own", async () => {
    const { ask } = await serve("groq", [{ text: "Hi", usageIn: "x_groq" }]);
    expect((await ask()).usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it("tell an error inside an answer of status 200 (PA-18)", async () => {
    const error = { code: 429, message: "Slow down." };
    const { ask } = await serve("openrouter", [{ text: "", faults: [{ type: "error_frame", error }] }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_rate_limit" });
  });
});

describe("CST-05 what a router charged", () => {
  it.each<[number, string]>([
    [0.95, "0.95"],
    [0, "0"],
    [0.00000123, "0.00000123"],
    [12, "12"],
    [0.000012345678901234568, "0.000012345678901235"],
    [1e-18, "0.000000000000000001"],
  ])("%d is told with the usage, as it was written", async (cost, amount) => {
    const usage = { inputTokens: 3, outputTokens: 1, more: { cost } };
    const { ask } = await serve("openrouter", [
      { text: "Hi", usage },
      { text: "Hi", usage },
    ]);
    for (const delivery of ["incremental", "whole"] as const) {
      expect((await ask({}, delivery)).usage?.charged).toEqual({ amount, currency: "USD" });
    }
  });

  it("is not made up of a field that means something else elsewhere, or of what is no amount", async () => {
    const usage = { inputTokens: 3, outputTokens: 1 };
    const { ask } = await serve("vllm", [{ text: "Hi", usage: { ...usage, more: { cost: 1 } } }]);
    expect((await ask()).usage).not.toHaveProperty("charged");
    await server?.close();
    const wrong = { text: "Hi", usage: { ...usage, more: { cost: -1 } } };
    const router = await serve("openrouter", [wrong]);
    expect((await router.ask()).usage).not.toHaveProperty("charged");
  });
});
