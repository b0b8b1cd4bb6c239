import { isTinyAgentsError, type ModelProfile, type ModelRequest, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type OpenAIModelOptions, readOptions } from "../options.js";
import type { PreparedRequest } from "../prepare.js";
import { profileOf } from "../profiles.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
const FIND = { ...LOOK, name: "find" };

function prepare(
  request: Partial<ModelRequest>,
  options: Partial<OpenAIModelOptions> = {},
  model = "gpt-4o",
  delivery: "incremental" | "whole" = "whole",
): PreparedRequest {
  const settings = readOptions("openaiModel", model, { apiKey: "key-1234", ...options }, profileOf);
  const converter = new MessageConverter(settings.provider, settings.quirks);
  return toRequest(settings, { messages: [userMessage("Hi")], ...request }, delivery, converter);
}

function without(capability: keyof ModelProfile["capabilities"]): Partial<OpenAIModelOptions> {
  return { profile: { capabilities: { [capability]: "no" } } };
}

function fails(code: "capability_missing" | "invalid_request", capability?: string): unknown {
  return expect.toSatisfy(
    (error) =>
      isTinyAgentsError(error, code) &&
      (capability === undefined || JSON.stringify(error.details).includes(`"${capability}"`)),
  );
}

describe("a request", () => {
  it("has every normalized setting in the words of the wire (MDL-04)", () => {
    const { body, warnings } = prepare({
      tools: [LOOK],
      toolChoice: "required",
      responseFormat: { type: "json" },
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      seed: 7,
    });
    expect(body).toEqual({
      model: "gpt-4o",
      stream: false,
      messages: [{ role: "user", content: "Hi" }],
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: LOOK.inputSchema } }],
      tool_choice: "required",
      response_format: { type: "json_object" },
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      stop: ["END"],
      seed: 7,
    });
    expect(warnings).toEqual([]);
  });

  it("asks a stream for its usage", () => {
    expect(prepare({}, {}, "gpt-4o", "incremental").body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("passes the provider's options on, under normalized fields (PRV-06)", () => {
    const openai = { service_tier: "flex", model: "other", temperature: 2, max_tokens: 1, messages: [], stream: true };
    const { body } = prepare({ temperature: 0.5, maxOutputTokens: 9, providerOptions: { openai, other: { x: 1 } } });
    expect(body).toEqual({
      service_tier: "flex",
      model: "gpt-4o",
      messages: [{ role: "user", content: "Hi" }],
      stream: false,
      temperature: 0.5,
      max_completion_tokens: 9,
    });
  });

  it("names the longest answer as compatible servers do, where it goes to one", () => {
    expect(prepare({ maxOutputTokens: 9 }, { baseUrl: "http://localhost:1/v1/" }).body.max_tokens).toBe(9);
  });

  it("leaves out what the model does not take, and says so", () => {
    const { body, warnings } = prepare({ temperature: 0.5, topP: 0.9, reasoningEffort: "low" }, {}, "gpt-5");
    expect(body).not.toHaveProperty("temperature");
    expect(body.reasoning_effort).toBe("low");
    expect(warnings.map(({ code, setting }) => [code, setting])).toEqual([
      ["unsupported_setting", "temperature"],
      ["unsupported_setting", "topP"],
    ]);
    expect(prepare({ reasoningEffort: "low" }).warnings).toMatchObject([{ setting: "reasoningEffort" }]);
  });

  it("is refused when the profile does not affirm what it requires (MDL-06)", () => {
    expect(() => prepare({ requires: ["image_input"] }, {}, "unheard-of")).toThrowError(
      fails("capability_missing", "image_input") as Error,
    );
    expect(() => prepare({ requires: ["image_input"] })).not.toThrow();
  });

  it("is refused when it uses what the profile denies, and sent when nobody knows (MDL-09)", () => {
    const format = { type: "json_schema", name: "a", schema: { type: "object" } } as const;
    const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
    const uses: [keyof ModelProfile["capabilities"], Partial<ModelRequest>][] = [
      ["tools", { tools: [LOOK] }],
      ["structured_output", { responseFormat: format }],
      ["json_mode", { responseFormat: { type: "json" } }],
      ["image_input", { messages: [userMessage([image])] }],
    ];
    for (const [capability, request] of uses) {
      expect(() => prepare(request, without(capability))).toThrowError(
        fails("capability_missing", capability) as Error,
      );
      expect(() => prepare(request, {}, "unheard-of")).not.toThrow();
    }
  });

  it("is refused when it has nothing to say", () => {
    expect(() => prepare({ messages: [] })).toThrowError(fails("invalid_request") as Error);
  });
});

describe("a tool choice", () => {
  const named = { type: "tool", name: "look" } as const;

  it("names a tool where the model can be told", () => {
    expect(prepare({ tools: [LOOK, FIND], toolChoice: named }).body.tool_choice).toEqual({
      type: "function",
      function: { name: "look" },
    });
  });

  it("is `required` where only words are taken and one tool is offered (PA-21)", () => {
    const { body, warnings } = prepare({ tools: [LOOK], toolChoice: named }, without("tool_choice_named"));
    expect(body.tool_choice).toBe("required");
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "toolChoice" }]);
  });

  it("is refused before anything is sent where several tools are offered (PA-21)", () => {
    expect(() => prepare({ tools: [LOOK, FIND], toolChoice: named }, without("tool_choice_named"))).toThrowError(
      fails("capability_missing", "tool_choice_named") as Error,
    );
    expect(() => prepare({ tools: [LOOK], toolChoice: "required" }, without("tool_choice_required"))).toThrowError(
      fails("capability_missing", "tool_choice_required") as Error,
    );
  });

  it("is refused when it names a tool that is not offered", () => {
    expect(() => prepare({ tools: [FIND], toolChoice: named })).toThrowError(fails("invalid_request") as Error);
    expect(() => prepare({ toolChoice: "required" })).toThrowError(fails("invalid_request") as Error);
  });
});

describe("a response format", () => {
  const strictSchema = {
    type: "object",
    properties: { city: { type: "string" }, note: { type: ["string", "null"] } },
    required: ["city", "note"],
    additionalProperties: false,
  };
  const format = (schema: typeof strictSchema | object, strict?: boolean): Partial<ModelRequest> => ({
    responseFormat: {
      type: "json_schema",
      name: "place",
      schema: schema as typeof strictSchema,
      ...(strict === undefined ? {} : { strict }),
    },
  });

  it("is strict where that is asked for and the schema is", () => {
    const { body, warnings } = prepare(format(strictSchema, true));
    expect(body.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "place", schema: strictSchema, strict: true },
    });
    expect(warnings).toEqual([]);
  });

  it("is sent in its strict form, with a report of what that changed (PA-23)", () => {
    const { body, warnings } = prepare(format({ ...strictSchema, required: ["city"] }, true));
    expect(body.response_format).toMatchObject({ json_schema: { strict: true, schema: strictSchema } });
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "responseFormat.schema" }]);
    expect(warnings[0]?.message).toContain("note is null where it would be absent");
  });

  it("is not strict where the schema has no strict form, and names the place (PA-23)", () => {
    const map = { ...strictSchema, additionalProperties: { type: "string" } };
    const { body, warnings } = prepare(format(map, true));
    expect(body.response_format).toMatchObject({ json_schema: { strict: false, schema: map } });
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "responseFormat.strict" }]);
    expect(warnings[0]?.message).toContain("the root allows additional properties");
  });

  it("says nothing of strictness when nobody asked", () => {
    expect(prepare(format(strictSchema)).body.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "place", schema: strictSchema },
    });
  });
});

it.each(["text", ["list"], null])("a request with own settings that are no object is refused: %j (PRV-06)", (own) => {
  expect(() => prepare({ providerOptions: { openai: own as never } })).toThrow(fails("invalid_request"));
});
