import {
  assistantMessage,
  isTinyAgentsError,
  type JsonObject,
  type ModelRequest,
  systemMessage,
  userMessage,
} from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { BY_BUDGET, BY_EFFORT, LOOK, own, prepare, SEE, UNFORCED } from "../test/prepare.js";

describe("a request", () => {
  it("says what was asked, in the words of the Messages API", () => {
    const { body, warnings } = prepare({
      messages: [systemMessage("Be brief."), userMessage("Hi")],
      tools: [LOOK],
      toolChoice: "auto",
      maxOutputTokens: 50,
      stopSequences: ["END"],
    });
    expect(body).toEqual({
      model: BY_EFFORT,
      max_tokens: 50,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] }],
      tools: [
        {
          name: "look",
          description: "Looks.",
          input_schema: LOOK.inputSchema,
          cache_control: { type: "ephemeral" },
        },
      ],
      tool_choice: { type: "auto" },
      stop_sequences: ["END"],
    });
    expect(warnings).toEqual([]);
  });

  it("without a longest answer asks for the longest that the model can write", () => {
    expect(prepare().body.max_tokens).toBe(128_000);
    expect(prepare({}, BY_BUDGET).body.max_tokens).toBe(64_000);
    expect(prepare({}, "claude-next").body.max_tokens).toBe(4_096);
    expect(prepare(own({ max_tokens: 7 })).body.max_tokens).toBe(7);
  });

  it("for more than the model can write is cut, and a warning says so", () => {
    const { body, warnings } = prepare({ maxOutputTokens: 200_000 });
    expect(body.max_tokens).toBe(128_000);
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "maxOutputTokens" }]);
  });

  it("with nothing to say is refused before it is sent", () => {
    for (const messages of [[], [systemMessage("Be brief.")], [userMessage(" ")]]) {
      expect(() => prepare({ messages })).toThrowError(
        expect.toSatisfy((error) => isTinyAgentsError(error, "invalid_request")),
      );
    }
  });

  it("for what the profile denies, or does not affirm, is refused before it is sent (MDL-06, MDL-09)", () => {
    const wanting: [Partial<ModelRequest>, string][] = [
      [{ requires: ["audio_input"] }, "audio_input"],
      [{ responseFormat: { type: "json" } }, "json_mode"],
      [{ tools: [LOOK, SEE], toolChoice: "required" }, "tool_choice_required"],
      [{ tools: [LOOK, SEE], toolChoice: { type: "tool", name: "see" } }, "tool_choice_named"],
    ];
    for (const [request, capability] of wanting) {
      expect(() => prepare(request, UNFORCED)).toThrowError(
        expect.toSatisfy(
          (error) => isTinyAgentsError(error, "capability_missing") && error.details.capabilities.includes(capability),
        ),
      );
    }
  });

  it("leaves out what the API does not take, and warnings say what", () => {
    const { body, warnings } = prepare({
      temperature: 0.5,
      topP: 0.5,
      seed: 1,
      previousResponseId: "msg_1",
      stopSequences: [" ", "END"],
    });
    expect(body).not.toHaveProperty("temperature");
    expect(body).not.toHaveProperty("top_p");
    expect(body.stop_sequences).toEqual(["END"]);
    expect(warnings.map(({ code, setting }) => [code, setting])).toEqual([
      ["unsupported_setting", "temperature"],
      ["unsupported_setting", "topP"],
      ["unsupported_setting", "seed"],
      ["unsupported_setting", "previousResponseId"],
      ["changed_setting", "stopSequences"],
    ]);
  });

  it("sends sampling settings where the profile says that they are taken, but not with thinking", () => {
    const taken = { profile: { capabilities: { temperature: "yes" } } } as const;
    expect(prepare({ temperature: 0.5, topP: 0.9 }, BY_EFFORT, taken).body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
    });
    const { body, warnings } = prepare({ temperature: 0.5, reasoningEffort: "low" }, BY_EFFORT, taken);
    expect(body).not.toHaveProperty("temperature");
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "temperature" }]);
  });
});

describe("the provider's own options", () => {
  it("reach the wire, under normalized fields (PRV-06)", () => {
    const { body, betas } = prepare({
      ...own({
        metadata: { user_id: "u" },
        model: "other",
        messages: [],
        max_tokens: 5,
        thinking: { type: "disabled" },
        betas: ["mcp-client-2025-11-20"],
        output_config: { effort: "max" },
      }),
      maxOutputTokens: 50,
    });
    expect(body).toMatchObject({
      metadata: { user_id: "u" },
      model: BY_EFFORT,
      max_tokens: 50,
      thinking: { type: "disabled" },
      output_config: { effort: "max" },
    });
    expect(body.messages).toHaveLength(1);
    expect(body).not.toHaveProperty("betas");
    expect(betas).toEqual(["mcp-client-2025-11-20"]);
  });

  it("of other providers are not sent", () => {
    expect(prepare({ providerOptions: { openai: { metadata: {} } } }).body).not.toHaveProperty("metadata");
  });

  it("add the tools that the provider runs to ours, which win", () => {
    const search = { type: "web_search_20260318", name: "web_search" };
    const { body } = prepare({
      tools: [LOOK],
      ...own({
        tools: [search, { type: "x", name: "look" }],
        tool_choice: { disable_parallel_tool_use: true, name: "x" },
      }),
      toolChoice: "auto",
    });
    expect(body.tools).toMatchObject([search, { name: "look", description: "Looks." }]);
    expect(body.tool_choice).toEqual({ type: "auto", disable_parallel_tool_use: true });
  });
});

it("a tool whose schema had to be changed is named in a warning", () => {
  const either = { ...LOOK, inputSchema: { anyOf: [{ type: "object", properties: { a: {} } }] } };
  const { body, warnings } = prepare({ tools: [either, SEE] });
  expect(body.tools).toMatchObject([{ input_schema: { type: "object", properties: { a: {} } } }, { name: "see" }]);
  expect(warnings).toMatchObject([
    { code: "changed_setting", setting: "tools", message: expect.stringMatching(/: look\.$/) },
  ]);
});

describe("a tool choice", () => {
  const tools = [LOOK, SEE];

  it("is said in the words of the wire", () => {
    const said = (toolChoice: NonNullable<ModelRequest["toolChoice"]>): unknown =>
      prepare({ tools, toolChoice }).body.tool_choice;
    expect(said("auto")).toEqual({ type: "auto" });
    expect(said("none")).toEqual({ type: "none" });
    expect(said("required")).toEqual({ type: "any" });
    expect(said({ type: "tool", name: "see" })).toEqual({ type: "tool", name: "see" });
    expect(prepare({ toolChoice: "auto" }).body).not.toHaveProperty("tool_choice");
  });

  it("of a tool that is not offered is refused", () => {
    for (const request of [
      { toolChoice: "required" },
      { tools, toolChoice: { type: "tool", name: "other" } },
    ] as const) {
      expect(() => prepare(request)).toThrowError(
        expect.toSatisfy((error) => isTinyAgentsError(error, "invalid_request")),
      );
    }
  });

  it("of the one tool becomes `any` where no name can be told (PA-21)", () => {
    const profile = { capabilities: { tool_choice_named: "no" } } as const;
    const choice = { type: "tool", name: "look" } as const;
    const { body, warnings } = prepare({ tools: [LOOK], toolChoice: choice }, BY_EFFORT, { profile });
    expect(body.tool_choice).toEqual({ type: "any" });
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "toolChoice" }]);
  });
});

describe("a format", () => {
  it("is enforced by the server, beside what else its options say of the output", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const { body, warnings } = prepare({
      responseFormat: { type: "json_schema", name: "x", schema },
      reasoningEffort: "low",
    });
    expect(body.output_config).toEqual({ effort: "low", format: { type: "json_schema", schema } });
    expect(warnings).toEqual([]);
  });

  it("of plain text takes a format of the options away", () => {
    const { body } = prepare({
      responseFormat: { type: "text" },
      ...own({ output_config: { format: { type: "json_schema", schema: {} } } }),
    });
    expect(body).not.toHaveProperty("output_config");
  });
});

describe("a container", () => {
  const answered = (container: JsonObject): Partial<ModelRequest> => ({
    messages: [
      userMessage("Hi"),
      { ...assistantMessage("x"), providerMetadata: { anthropic: { container } } },
      userMessage("And?"),
    ],
  });

  it("of the last answer is gone on with while it lives", () => {
    const alive = answered({ id: "c", expires_at: "2026-11-30T12:00:01Z" });
    expect(prepare(alive).body.container).toBe("c");
    expect(prepare({ ...alive, ...own({ container: "mine" }) }).body.container).toBe("mine");
  });

  it("that has expired, or may have, is not", () => {
    for (const container of [{ id: "c", expires_at: "2026-11-30T12:00:00Z" }, { id: "c" }]) {
      expect(prepare(answered(container)).body).not.toHaveProperty("container");
    }
  });
});
