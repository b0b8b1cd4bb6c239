import { assistantMessage, type ModelRequest, toolMessage, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type OllamaModelOptions, readModelOptions } from "./options.js";
import { MessageConverter } from "./to-messages.js";
import { type PreparedRequest, toRequest } from "./to-request.js";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
const FIND = { ...LOOK, name: "find" };
const WIRE_LOOK = {
  type: "function",
  function: { name: "look", description: "Looks.", parameters: LOOK.inputSchema },
};

function prepare(
  request: Partial<ModelRequest>,
  options: OllamaModelOptions = {},
  delivery: "incremental" | "whole" = "whole",
  model = "qwen3",
): PreparedRequest {
  const settings = readModelOptions(model, options);
  return toRequest(settings, { messages: [userMessage("Hi")], ...request }, delivery, new MessageConverter(true));
}

function lacks(...capabilities: string[]): unknown {
  return expect.objectContaining({ code: "capability_missing", details: { model: "ollama/qwen3", capabilities } });
}

describe("a request", () => {
  it("has every normalized setting in the words of the wire (MDL-04)", () => {
    const { body, warnings } = prepare({
      tools: [LOOK],
      toolChoice: "auto",
      responseFormat: { type: "json" },
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      seed: 7,
    });
    expect(body).toEqual({
      model: "qwen3",
      messages: [{ role: "user", content: "Hi" }],
      stream: false,
      tools: [WIRE_LOOK],
      format: "json",
      truncate: false,
      shift: false,
      options: { temperature: 0.5, top_p: 0.9, num_predict: 100, stop: ["END"], seed: 7 },
    });
    expect(warnings).toEqual([]);
  });

  it("streams when somebody watches", () => {
    expect(prepare({}, {}, "incremental").body.stream).toBe(true);
  });

  it("has a schema for a format, whatever its name", () => {
    const schema = { type: "object", properties: { a: { type: "number" } } };
    const format = { type: "json_schema", name: "a", schema, strict: true } as const;
    expect(prepare({ responseFormat: format }).body.format).toEqual(schema);
  });

  it("passes the provider's options on, under normalized fields (PRV-06)", () => {
    const ollama = {
      keep_alive: "10m",
      logprobs: true,
      model: "other",
      stream: true,
      messages: [],
      format: "json",
      think: "max",
      truncate: true,
      options: { temperature: 2, num_predict: 1, top_k: 20, num_gpu: 1 },
    };
    const { body } = prepare({
      temperature: 0.5,
      maxOutputTokens: 9,
      responseFormat: { type: "text" },
      providerOptions: { ollama, other: { x: 1 } },
    });
    expect(body).toEqual({
      keep_alive: "10m",
      logprobs: true,
      think: "max",
      model: "qwen3",
      messages: [{ role: "user", content: "Hi" }],
      stream: false,
      truncate: false,
      shift: false,
      options: { temperature: 0.5, num_predict: 9, top_k: 20, num_gpu: 1 },
    });
  });

  it("leaves options out that are no object, and says so", () => {
    const { body, warnings } = prepare({ providerOptions: { ollama: { options: "canary" } } });
    expect(body).not.toHaveProperty("options");
    expect(warnings).toMatchObject([{ code: "unsupported_setting", setting: "providerOptions" }]);
  });

  it("asks for the context that the profile says, so that it is there (PA-19)", () => {
    const options: OllamaModelOptions = { profile: { contextWindow: 16_384 } };
    expect(prepare({}, options)).toMatchObject({ body: { options: { num_ctx: 16_384 } }, contextWindow: 16_384 });
    const own = { providerOptions: { ollama: { options: { num_ctx: 8_192 } } } };
    expect(prepare(own, options)).toMatchObject({ body: { options: { num_ctx: 8_192 } }, contextWindow: 8_192 });
    const unknown = prepare({});
    expect([unknown.body.options, unknown.contextWindow]).toEqual([undefined, undefined]);
  });

  it("asks no hosted model for a context: it has the one it has", () => {
    const hosted = prepare({}, { profile: { contextWindow: 16_384 } }, "whole", "glm:cloud");
    expect([hosted.body.options, hosted.contextWindow]).toEqual([undefined, undefined]);
  });

  it("has the server refuse a prompt that is too long, unless it may cut it (PA-19)", () => {
    expect(prepare({}).body).toMatchObject({ truncate: false, shift: false });
    const { body } = prepare({}, { onTruncation: "warn" });
    expect(body).not.toHaveProperty("truncate");
    expect(body).not.toHaveProperty("shift");
  });

  it("estimates messages and tools", () => {
    const tools = [LOOK];
    const extra = prepare({ tools }).estimatedTokens - prepare({}).estimatedTokens;
    expect(extra).toBe(Math.ceil(JSON.stringify(WIRE_LOOK.function).length / 4));
  });

  it("says how hard to think, and what became of that", () => {
    const { body, warnings } = prepare({ reasoningEffort: "high", providerOptions: { ollama: { think: false } } });
    expect(body.think).toBe(true);
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "reasoningEffort" }]);
    const deaf = prepare(
      { reasoningEffort: "high", providerOptions: { ollama: { think: true } } },
      { profile: { capabilities: { reasoning: "no" } } },
    );
    expect(deaf.body).not.toHaveProperty("think");
    expect(deaf.warnings).toMatchObject([{ code: "unsupported_setting", setting: "reasoningEffort" }]);
  });

  it("leaves out what the model does not take, and says so", () => {
    const options: OllamaModelOptions = { profile: { capabilities: { temperature: "no" } } };
    const { body, warnings } = prepare({ temperature: 0.5, topP: 0.9, seed: 1 }, options);
    expect(body.options).toEqual({ seed: 1 });
    expect(warnings.map(({ setting }) => setting)).toEqual(["temperature", "topP"]);
  });

  it("is refused when the profile does not affirm what it requires (MDL-06)", () => {
    expect(() => prepare({ requires: ["tools"] })).toThrowError(lacks("tools") as Error);
    expect(() => prepare({ requires: ["json_mode", "streaming"] })).not.toThrow();
  });

  it("is refused when it uses what the profile denies, and sent when nobody knows (MDL-09)", () => {
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
    const uses = [
      ["tools", { tools: [LOOK] }],
      ["image_input", { messages: [userMessage([image])] }],
    ] as const;
    for (const [capability, request] of uses) {
      const denied = { profile: { capabilities: { [capability]: "no" } } } as const;
      expect(() => prepare(request, denied)).toThrowError(lacks(capability) as Error);
      expect(() => prepare(request)).not.toThrow();
    }
    const file = { type: "file", source: { type: "base64", mediaType: "application/pdf", data: "AAAA" } } as const;
    expect(() => prepare({ messages: [userMessage([file])] })).toThrowError(lacks("file_input") as Error);
  });

  it("is refused when it demands a call: Ollama cannot be told that (PA-21)", () => {
    const tools = [LOOK, FIND];
    expect(() => prepare({ tools, toolChoice: "required" })).toThrowError(lacks("tool_choice_required") as Error);
    const named = { type: "tool", name: "look" } as const;
    for (const offered of [tools, [LOOK]]) {
      expect(() => prepare({ tools: offered, toolChoice: named })).toThrowError(lacks("tool_choice_named") as Error);
    }
  });

  it("offers what it can where the application insists, and says that it is no more (PA-21)", () => {
    const profile = { capabilities: { tool_choice_required: "yes", tool_choice_named: "yes" } } as const;
    const named = prepare({ tools: [LOOK, FIND], toolChoice: { type: "tool", name: "look" } }, { profile });
    expect(named.body.tools).toEqual([WIRE_LOOK]);
    expect(named.warnings).toMatchObject([{ code: "unsupported_setting", setting: "toolChoice" }]);
    expect(prepare({ tools: [LOOK, FIND], toolChoice: "required" }, { profile }).body.tools).toHaveLength(2);
    for (const toolChoice of ["required", { type: "tool", name: "none" }] as const) {
      expect(() => prepare({ toolChoice }, { profile })).toThrowError(
        expect.objectContaining({ code: "invalid_request", details: { reason: "tool_choice" } }),
      );
    }
  });

  it("offers no tool where none may be called", () => {
    expect(prepare({ tools: [LOOK], toolChoice: "none" }).body).not.toHaveProperty("tools");
  });

  it("is refused when no message has content (PA-26)", () => {
    for (const messages of [[], [userMessage("")]]) {
      expect(() => prepare({ messages })).toThrowError(
        expect.objectContaining({ code: "invalid_request", details: { reason: "no_messages" } }),
      );
    }
  });
});

describe("the id of a call that came without one", () => {
  const history = [userMessage("Hi")];
  const after = [...history, assistantMessage("Ho"), toolMessage({ id: "a", name: "look" }, "ok")];
  const id = (messages: ModelRequest["messages"], ...call: [number, string, string]) =>
    prepare({ messages }).callId(...call);

  it("is the same for the same answer to the same request", () => {
    expect(id(history, 0, "look", "{}")).toMatch(/^call_[0-9a-f]{14}$/);
    expect(id(history, 0, "look", "{}")).toBe(id([userMessage("Hi")], 0, "look", "{}"));
  });

  it("is another for each call, each turn and each place", () => {
    const ids = [
      id(history, 0, "look", "{}"),
      id(history, 1, "look", "{}"),
      id(history, 0, "find", "{}"),
      id(history, 0, "look", '{"a":1}'),
      id([userMessage("Hello")], 0, "look", "{}"),
      id(after, 0, "look", "{}"),
      id([...after, ...history], 0, "look", "{}"),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
