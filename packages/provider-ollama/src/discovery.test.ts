import { describe, expect, it } from "vitest";
import { answering, type Reply } from "../test/answering.js";
import { ollamaModel, ollamaModels, ollamaProfile } from "./index.js";

const QWEN = {
  parameters: 'temperature                    0.6\nstop                           "<|im_end|>"',
  details: { family: "qwen3", parameter_size: "8.2B", quantization_level: "Q4_K_M" },
  model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960, "qwen3.block_count": 36 },
  capabilities: ["completion", "tools", "thinking"],
};
const NOTHING_LOADED: Reply = { json: { models: [] } };

function withSetting(setting: string): Reply {
  return { json: { ...QWEN, parameters: `${QWEN.parameters}\n${setting}` } };
}

function loaded(...models: readonly object[]): Reply {
  return { json: { models } };
}

async function profileFrom(...replies: readonly Reply[]) {
  const { fetch, sent } = answering(...replies);
  return { profile: await ollamaProfile("qwen3", { fetch }), sent };
}

describe("the profile that a server gives (PRV-05)", () => {
  it("says what the model can do", async () => {
    const { profile, sent } = await profileFrom({ json: QWEN }, NOTHING_LOADED);
    expect(profile).toMatchObject({ provider: "ollama", model: "qwen3", family: "qwen3", source: "local" });
    expect(profile.capabilities).toMatchObject({
      tools: "yes",
      reasoning: "yes",
      image_input: "no",
      structured_output: "yes",
      tool_choice_required: "no",
    });
    expect(profile.capabilities.parallel_tool_calls).toBeUndefined();
    expect(sent.map(({ method, url, body }) => [method, url, body.model])).toEqual([
      ["POST", "http://127.0.0.1:11434/api/show", "qwen3"],
      ["GET", "http://127.0.0.1:11434/api/ps", undefined],
    ]);
  });

  it("has no context window while the model is not loaded: what it was made for is another thing (PA-19)", async () => {
    const { profile } = await profileFrom({ json: QWEN }, NOTHING_LOADED);
    expect(profile.contextWindow).toBeUndefined();
    expect(profile.trainedContextWindow).toBe(40_960);
  });

  it("has the context window that the model is set to", async () => {
    const { profile, sent } = await profileFrom(withSetting("num_ctx                        8192"));
    expect(profile.contextWindow).toBe(8_192);
    expect(sent).toHaveLength(1);
  });

  it("has no more context than the model was made for", async () => {
    expect((await profileFrom(withSetting("num_ctx 999999"))).profile.contextWindow).toBe(40_960);
  });

  it("has the context window of the model as it is loaded", async () => {
    const others = [
      { name: "qwen3:0.6b", model: "qwen3:0.6b", context_length: 2_048 },
      { name: "qwen3:latest", model: "qwen3:latest", context_length: 4_096 },
    ];
    expect((await profileFrom({ json: QWEN }, loaded(...others))).profile.contextWindow).toBe(4_096);
    expect((await profileFrom({ json: QWEN }, loaded(others[0]!))).profile.contextWindow).toBeUndefined();
    expect((await profileFrom({ json: QWEN }, loaded({ name: "qwen3:latest" }))).profile.contextWindow).toBeUndefined();
  });

  it("does without what old servers do not tell", async () => {
    const { profile } = await profileFrom({ json: { license: "MIT" } }, { text: "404 page not found", status: 404 });
    expect(profile.capabilities.tools).toBeUndefined();
    expect(profile.contextWindow).toBeUndefined();
    expect(profile.family).toBeUndefined();
  });

  it("has the whole context of a hosted model, which is loaded elsewhere", async () => {
    const { profile, sent } = await profileFrom({ json: { ...QWEN, remote_host: "https://ollama.com" } });
    expect(profile).toMatchObject({ source: "cloud", contextWindow: 40_960 });
    expect(profile.capabilities.structured_output).toBe("unknown");
    expect(sent).toHaveLength(1);
  });

  it("has what the model takes for thinking", async () => {
    const thinking = { values: ["low", "high", 7], default: "low" };
    const { profile } = await profileFrom({ json: { ...QWEN, thinking } }, NOTHING_LOADED);
    expect(profile.thinkValues).toEqual(["low", "high"]);
    expect(ollamaModel("qwen3", { profile }).profile).toMatchObject({ thinkValues: ["low", "high"] });
  });

  it("denies what belongs to tools where there are none", async () => {
    const { profile } = await profileFrom(
      { json: { ...QWEN, capabilities: ["completion", "vision"] } },
      NOTHING_LOADED,
    );
    expect(profile.capabilities).toMatchObject({ tools: "no", parallel_tool_calls: "no", image_input: "yes" });
  });

  it.each([
    null,
    [],
    { model_info: { "general.architecture": 7 }, details: "no", capabilities: "tools", thinking: {} },
  ])("is no worse for an odd answer: %j", async (json) => {
    const asked = profileFrom({ json }, NOTHING_LOADED);
    if (json === null || Array.isArray(json)) await expect(asked).rejects.toMatchObject({ code: "provider_server" });
    else expect((await asked).profile.capabilities.tools).toBeUndefined();
  });

  it("fails as a call fails", async () => {
    const missing = answering({ json: { error: "model 'qwen3' not found" }, status: 404 });
    await expect(ollamaProfile("qwen3", { fetch: missing.fetch })).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("ollama pull qwen3"),
    });
    const broken = answering({ json: QWEN }, { json: { error: "boom" }, status: 500 });
    await expect(ollamaProfile("qwen3", { fetch: broken.fetch })).rejects.toMatchObject({ code: "provider_server" });
    const unwilling = answering({ json: QWEN }, { json: { error: "no" }, status: 400 });
    await expect(ollamaProfile("qwen3", { fetch: unwilling.fetch })).rejects.toMatchObject({
      code: "provider_bad_request",
    });
    const refused = answering(Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" }));
    await expect(ollamaProfile("qwen3", { fetch: refused.fetch })).rejects.toMatchObject({ code: "network" });
  });

  it("is not asked for when nobody wants it any more", async () => {
    const { fetch, sent } = answering({ json: QWEN });
    const signal = AbortSignal.abort("enough");
    await expect(ollamaProfile("qwen3", { fetch, signal })).rejects.toMatchObject({ code: "cancelled" });
    expect(sent).toEqual([]);
  });
});

describe("the models of a server", () => {
  it("are listed with what is known of each, in order", async () => {
    const models = [
      {
        name: "qwen3:latest",
        model: "qwen3:latest",
        modified_at: "2026-05-10T08:06:48Z",
        size: 5_200_000_000,
        digest: "500a1f",
        details: { family: "qwen3", parameter_size: "8.2B", quantization_level: "Q4_K_M" },
      },
      { name: "gpt-oss:120b-cloud", remote_host: "https://ollama.com", size: 0 },
      { size: 1 },
    ];
    const { fetch, sent } = answering({ json: { models } });
    expect(await ollamaModels({ fetch, apiKey: "k" })).toEqual([
      {
        name: "qwen3:latest",
        source: "local",
        digest: "500a1f",
        sizeBytes: 5_200_000_000,
        modifiedAt: "2026-05-10T08:06:48Z",
        family: "qwen3",
        parameterSize: "8.2B",
        quantization: "Q4_K_M",
      },
      { name: "gpt-oss:120b-cloud", source: "cloud", sizeBytes: 0 },
    ]);
    expect(sent[0]?.url).toBe("http://127.0.0.1:11434/api/tags");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer k");
  });

  it("are none where the server has none", async () => {
    expect(await ollamaModels({ fetch: answering({ json: { models: null } }).fetch })).toEqual([]);
  });
});
