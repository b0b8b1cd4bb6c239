import { type ModelRequest, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type OpenAIModelOptions, readOptions } from "../options.js";
import type { PreparedRequest } from "../prepare.js";
import { profileOf } from "../profiles.js";
import { responses } from "./dialect.js";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };

function prepare(
  request: Partial<ModelRequest> = {},
  options: Partial<OpenAIModelOptions> = {},
  model = "gpt-4o",
): PreparedRequest {
  const settings = readOptions("openaiModel", model, { apiKey: "key-1234", api: "responses", ...options }, profileOf);
  return responses(settings).prepare({ messages: [userMessage("Hi")], ...request }, "whole");
}

describe("a request of the Responses API", () => {
  it("has every normalized setting in the words of the wire (MDL-04)", () => {
    const { body, warnings } = prepare({
      tools: [LOOK],
      toolChoice: { type: "tool", name: "look" },
      responseFormat: { type: "json_schema", name: "answer", schema: { type: "object", properties: {} } },
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 99,
    });
    expect(body).toEqual({
      model: "gpt-4o",
      input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }],
      store: false,
      stream: false,
      tools: [{ type: "function", name: "look", description: "Looks.", parameters: LOOK.inputSchema, strict: false }],
      tool_choice: { type: "function", name: "look" },
      text: {
        format: { type: "json_schema", name: "answer", schema: { type: "object", properties: {} }, strict: false },
      },
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 99,
    });
    expect(warnings).toEqual([]);
  });

  it("asks for thoughts in encrypted form unless the server keeps answers", () => {
    expect(prepare({}, {}, "gpt-5").body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    const kept = prepare({}, { store: true }, "gpt-5").body;
    expect(kept.store).toBe(true);
    expect(kept).not.toHaveProperty("include");
    expect(prepare().body).not.toHaveProperty("include");
  });

  it("goes on from an earlier response (MSG-07, MDL-05)", () => {
    expect(prepare({ previousResponseId: "resp_1" }, { store: true }).body.previous_response_id).toBe("resp_1");
  });

  it("has the provider's own options, which never override (PRV-06)", () => {
    const own = {
      model: "other",
      store: true,
      tools: [{ type: "web_search" }],
      include: ["message.output_text.logprobs"],
      text: { verbosity: "low" },
      reasoning: { summary: "auto", effort: "low" },
    };
    const { body } = prepare(
      { tools: [LOOK], responseFormat: { type: "json" }, reasoningEffort: "high", providerOptions: { openai: own } },
      {},
      "gpt-5",
    );
    expect(body).toMatchObject({
      model: "gpt-5",
      store: false,
      include: ["message.output_text.logprobs", "reasoning.encrypted_content"],
      text: { verbosity: "low", format: { type: "json_object" } },
      reasoning: { summary: "auto", effort: "high" },
    });
    expect(body.tools).toEqual([expect.objectContaining({ name: "look" }), { type: "web_search" }]);
  });

  it("is not sent to the background, and says so", () => {
    const { body, warnings } = prepare({ providerOptions: { openai: { background: true } } });
    expect(body).not.toHaveProperty("background");
    expect(warnings).toMatchObject([{ code: "unsupported_setting", setting: "providerOptions.openai.background" }]);
  });

  it.each<[keyof ModelRequest, Partial<ModelRequest>, string]>([
    ["temperature", { temperature: 1 }, "gpt-5"],
    ["topP", { topP: 1 }, "gpt-5"],
    ["reasoningEffort", { reasoningEffort: "low" }, "gpt-4o"],
    ["stopSequences", { stopSequences: ["."] }, "gpt-4o"],
    ["seed", { seed: 1 }, "gpt-4o"],
  ])("leaves out %s where it has no place, with a warning", (setting, request, model) => {
    const { body, warnings } = prepare(request, {}, model);
    expect(warnings).toMatchObject([{ code: "unsupported_setting", setting }]);
    expect(Object.keys(body).sort()).toEqual(
      [...(model === "gpt-5" ? ["include"] : []), "input", "model", "store", "stream"].sort(),
    );
  });

  it("is refused before it is sent when nothing is in it, or the model lacks what it needs (MDL-06)", () => {
    expect(() => prepare({ messages: [] })).toThrow(expect.objectContaining({ code: "invalid_request" }));
    expect(() => prepare({ requires: ["audio_input"] })).toThrow(
      expect.objectContaining({ code: "capability_missing" }),
    );
  });

  it("may choose among the server's own tools alone", () => {
    const own = { openai: { tools: [{ type: "web_search" }] } };
    expect(prepare({ providerOptions: own, toolChoice: "required" }).body.tool_choice).toBe("required");
    expect(prepare({ providerOptions: own, toolChoice: "none" }).body.tool_choice).toBe("none");
    expect(prepare({ toolChoice: "none" }).body).not.toHaveProperty("tool_choice");
    expect(() => prepare({ toolChoice: "required" })).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  it.each(["text", ["list"], 1, null])("is refused where the provider's own settings are no object: %j", (own) => {
    expect(() => prepare({ providerOptions: { openai: own as never } })).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringContaining("providerOptions.openai: an object"),
      }),
    );
  });

  it("asks for encrypted thoughts once, also where the provider's own settings do", () => {
    const own = { openai: { include: ["reasoning.encrypted_content"] } };
    expect(prepare({ providerOptions: own }, {}, "gpt-5").body.include).toEqual(["reasoning.encrypted_content"]);
  });

  it("takes no settings from what every object has", () => {
    expect(prepare({ providerOptions: {} }, { provider: "constructor" }).warnings).toEqual([]);
  });

  it("replaces settings of the provider's own that are no objects where something has to be in them", () => {
    const own = { openai: { text: "long", reasoning: "deep" } };
    const request = { providerOptions: own, responseFormat: { type: "json" }, reasoningEffort: "low" } as const;
    expect(prepare(request, {}, "gpt-5").body).toMatchObject({
      text: { format: { type: "json_object" } },
      reasoning: { effort: "low" },
    });
    expect(prepare(request, {}, "gpt-5").body.text).toEqual({ format: { type: "json_object" } });
    expect(prepare(request, {}, "gpt-5").body.reasoning).toEqual({ effort: "low" });
  });
});
