import {
  type Capability,
  collect,
  type JsonObject,
  type ModelRequest,
  resolvedModel,
  userMessage,
} from "@tinyagents/core";
import { compatiblePresets, openaiCompatible, type PresetName } from "@tinyagents/provider-openai";
import { openaiWireServer } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
const FIND = { ...LOOK, name: "find" };

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

/** What a server of this kind is sent. */
async function sentTo(preset: PresetName, request: Partial<ModelRequest>): Promise<JsonObject> {
  const server = await openaiWireServer(["Hello."], { validate: false });
  close = () => server.close();
  const model = openaiCompatible("m", { preset, apiKey: "key-1234", baseUrl: server.url });
  const deltas = model.stream(
    { messages: [userMessage("Hi")], ...request },
    { signal: undefined, delivery: "incremental" },
  );
  await collect(deltas, resolvedModel(model));
  return server.requests[0]?.body ?? {};
}

function namesWhere(holds: (preset: PresetName) => boolean): readonly string[] {
  return Object.keys(compatiblePresets).filter((name) => holds(name as PresetName));
}

function claims(preset: PresetName, capability: Capability, support: "yes" | "no"): boolean {
  return compatiblePresets[preset].capabilities[capability] === support;
}

describe("a preset knows how its server is told", () => {
  it.each<[PresetName, string]>([
    ["azure", "max_completion_tokens"],
    ["deepseek", "max_tokens"],
    ["groq", "max_completion_tokens"],
    ["llamacpp", "max_tokens"],
    ["lmstudio", "max_tokens"],
    ["mistral", "max_tokens"],
    ["ollama", "max_tokens"],
    ["openrouter", "max_tokens"],
    ["together", "max_tokens"],
    ["vllm", "max_tokens"],
    ["xai", "max_completion_tokens"],
  ])("the longest answer: %s calls it %s", async (preset, field) => {
    const { max_tokens: old, max_completion_tokens: now } = await sentTo(preset, { maxOutputTokens: 7 });
    expect({ max_tokens: old, max_completion_tokens: now }).toEqual({
      max_tokens: undefined,
      max_completion_tokens: undefined,
      [field]: 7,
    });
  });

  it.each(["groq", "mistral", "xai"] as const)("that %s must call one tool of several", async (preset) => {
    const body = await sentTo(preset, { tools: [LOOK, FIND], toolChoice: { type: "tool", name: "find" } });
    expect(body.tool_choice).toEqual({ type: "function", function: { name: "find" } });
  });

  it.each(["llamacpp", "lmstudio", "ollama"] as const)(
    "that %s cannot be told which of several tools to call, so it is not asked (PA-21)",
    async (preset) => {
      const asked = sentTo(preset, { tools: [LOOK, FIND], toolChoice: { type: "tool", name: "find" } });
      await expect(asked).rejects.toMatchObject({
        code: "capability_missing",
        details: { capabilities: ["tool_choice_named"] },
      });
    },
  );
});

describe("a preset claims what holds of every model of its server", () => {
  it.each<[Capability, readonly PresetName[]]>([
    ["tools", ["deepseek", "groq", "mistral", "xai"]],
    ["structured_output", ["vllm", "xai"]],
    ["json_mode", ["deepseek", "groq", "mistral", "together", "vllm", "xai"]],
  ])("%s", (capability, names) => {
    expect(namesWhere((name) => claims(name, capability, "yes"))).toEqual(names);
  });

  it("and denies what none of them can: DeepSeek has no schemas and sees no images", async () => {
    const schema = { type: "json_schema", name: "a", schema: { type: "object" } } as const;
    await expect(sentTo("deepseek", { responseFormat: schema })).rejects.toMatchObject({ code: "capability_missing" });
    const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
    await expect(sentTo("deepseek", { messages: [userMessage([image])] })).rejects.toMatchObject({
      code: "capability_missing",
      details: { capabilities: ["image_input"] },
    });
  });
});
