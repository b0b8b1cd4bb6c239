import { describe, expect, test } from "vitest";
import { TinyAgentsError } from "../errors.js";
import { assistantMessage, systemMessage, toolMessage, userMessage } from "../message/build.js";
import type { ModelResponse } from "../model/collect.js";
import type { ModelRequest } from "../model/request.js";
import { checkResult, checkToolMessage } from "./check-result.js";
import type { HookName } from "./middleware.js";

const history = [systemMessage("Be kind."), userMessage("Hi")];
const request: ModelRequest = { messages: history };
const model = { id: "mock/one", provider: "mock", model: "one" };
const response: ModelResponse = {
  message: assistantMessage("Hello"),
  finishReason: "stop",
  model,
  attempts: 1,
  warnings: [],
};
const result = toolMessage({ id: "c", name: "look" }, "Fog.");
const invocation = { id: "c", name: "look", args: {}, spec: {}, policy: {}, modelCallId: "m" };
const GIVEN: { readonly [H in HookName]?: unknown } = {
  beforeModel: request,
  afterModel: response,
  afterTool: result,
  beforeTool: invocation,
};

function check(hook: HookName, returned: unknown): void {
  checkResult(hook, returned, GIVEN[hook]);
}

describe("what a hook may return (MWH-03)", () => {
  test.each<[HookName, unknown]>([
    ["beforeModel", undefined],
    ["beforeModel", null],
    ["beforeModel", {}],
    ["beforeModel", { replace: request }],
    ["beforeModel", { replace: { ...request, temperature: 0, seed: 7, stopSequences: ["."] } }],
    ["beforeModel", { replace: { messages: [...history, userMessage("And?")], tools: undefined } }],
    ["beforeModel", { replace: { messages: [], tools: [{ name: "t", description: "", inputSchema: {} }] } }],
    [
      "beforeModel",
      { replace: { ...request, toolChoice: { type: "tool", name: "t" }, responseFormat: { type: "json" } } },
    ],
    ["beforeModel", { state: { seen: [1, null] } }],
    ["beforeModel", { history: { from: 0, to: 1, messages: [userMessage("short")] } }],
    ["beforeAgent", { control: { type: "stop" } }],
    ["afterModel", { replace: { ...response, message: assistantMessage("Other") } }],
    [
      "afterModel",
      { replace: { ...response, warnings: [{ code: "provider", message: "w" }], providerData: { a: 1 } } },
    ],
    ["afterTool", { replace: { ...result, summary: "fog" } }],
    ["beforeTool", { replace: { ...invocation, args: { place: "here" } } }],
    ["onError", { control: { type: "retry" } }],
    ["onError", { control: { type: "fail", error: new TinyAgentsError("network", "x", { details: {} }) } }],
    ["afterAgent", { control: { type: "interrupt", payload: { ask: "well?" } } }],
  ])("is a result of %s (%#)", (hook, returned) => {
    expect(() => check(hook, returned)).not.toThrow();
  });
});

describe("what a hook may not return", () => {
  test.each<[HookName, unknown, string]>([
    ["beforeModel", "yes", "it returned a string, where an object with replace"],
    ["beforeModel", 3, "it returned a number"],
    ["beforeModel", [], "it returned an array"],
    ["beforeModel", request, "it returned an object without any of them"],
    ["afterModel", response, "it returned an object without any of them"],
    ["beforeModel", { replace: null }, "replace: an object is expected, null found"],
    ["beforeModel", { replace: [] }, "replace: an object is expected, an array found"],
    ["beforeModel", { replace: {} }, "replace.messages: an array is expected, nothing found"],
    ["beforeModel", { replace: { messages: "hi" } }, "replace.messages: an array is expected, a string found"],
    ["beforeModel", { replace: { messages: [null] } }, "replace.messages[0]: an object is expected, null found"],
    [
      "beforeModel",
      { replace: { messages: [undefined] } },
      "replace.messages[0]: an object is expected, nothing found",
    ],
    [
      "beforeModel",
      { replace: { messages: [...history, { role: "robot", content: [] }] } },
      "replace.messages[2].role",
    ],
    ["beforeModel", { replace: { messages: [{ role: "user", content: [null] }] } }, "replace.messages[0].content[0]"],
    ["beforeModel", { replace: { messages: [{ role: "user", content: "hi" }] } }, "replace.messages[0].content"],
    ["beforeModel", { replace: { ...request, tools: [{}] } }, "replace.tools[0].name: a string is expected"],
    ["beforeModel", { replace: { ...request, temperature: "hot" } }, "replace.temperature: a number is expected"],
    [
      "beforeModel",
      { replace: { ...request, temperature: Number.NaN } },
      "replace.temperature: a number is expected, NaN",
    ],
    ["beforeModel", { replace: { ...request, maxOutputTokens: 0 } }, "replace.maxOutputTokens"],
    ["beforeModel", { replace: { ...request, timeoutMs: -1 } }, "replace.timeoutMs"],
    ["beforeModel", { replace: { ...request, toolChoice: 5 } }, "replace.toolChoice"],
    [
      "beforeModel",
      { replace: { ...request, providerOptions: { mock: { f: () => 1 } } } },
      "providerOptions.mock.f is a function",
    ],
    ["afterModel", { replace: null }, "replace: an object is expected, null found"],
    [
      "afterModel",
      { replace: { ...response, message: "Hello" } },
      "replace.message: an object is expected, a string found",
    ],
    ["afterModel", { replace: { ...response, message: userMessage("Hi") } }, "replace.message.role"],
    ["afterModel", { replace: { ...response, message: { role: "assistant" } } }, "replace.message.content: an array"],
    [
      "afterModel",
      { replace: { ...response, message: { ...response.message, content: [{}] } } },
      "replace.message.content[0].type",
    ],
    ["afterModel", { replace: { ...response, finishReason: "tired" } }, "replace.finishReason"],
    ["afterModel", { replace: { ...response, attempts: 0 } }, "replace.attempts"],
    ["afterModel", { replace: { ...response, model: "other" } }, "replace.model: an object is expected"],
    ["afterModel", { replace: { ...response, warnings: undefined } }, "replace.warnings: an array is expected"],
    [
      "afterModel",
      { replace: { ...response, usage: { inputTokens: -1, source: "reported" } } },
      "replace.usage.inputTokens",
    ],
    ["afterTool", { replace: "Fog." }, "replace: an object is expected, a string found"],
    ["afterTool", { replace: { ...result, content: "Fog." } }, "replace.content: an array is expected"],
    ["afterTool", { replace: { ...result, status: "fine" } }, "replace.status"],
    [
      "afterTool",
      { replace: { ...result, content: [{ type: "json", value: { n: 1n } }] } },
      "replace.content[0].value.n is a bigint",
    ],
    ["beforeTool", { replace: { ...invocation, args: "{}" } }, "replace.args: an object is expected, a string found"],
    ["beforeTool", { replace: { ...invocation, name: undefined } }, "replace.name: a string is expected"],
    ["beforeTool", { replace: { ...invocation, id: 5 } }, "replace.id: a string is expected"],
    ["beforeTool", { replace: 5 }, "replace: an object is expected, a number found"],
    ["beforeAgent", { replace: request }, "beforeAgent is given nothing that could be replaced"],
    ["beforeModel", { state: new Map() }, "state is no plain object"],
    ["beforeModel", { state: { f: () => 1 } }, "state.f is a function"],
    ["beforeModel", { history: null }, "history: an object is expected, null found"],
    ["beforeModel", { history: { from: 0, to: 1 } }, "history.messages: an array is expected, nothing found"],
    ["beforeModel", { history: { from: 0, to: 1, messages: [{}] } }, "history.messages[0].role"],
    ["beforeModel", { control: null }, "control: an object is expected, null found"],
    ["beforeModel", { control: { type: "explode" } }, "control.type: it is none of fail, interrupt, stop, jump, retry"],
    ["beforeModel", { control: { type: "interrupt" } }, "control.payload: a value is expected, nothing found"],
    ["beforeModel", { control: { type: "interrupt", payload: () => 1 } }, "control.payload is a function"],
    ["beforeModel", { control: { type: "stop", payload: new Date(0) } }, "control.payload is no plain object"],
    ["onError", { control: { type: "fail", error: new Error("x") } }, "control.error: a TinyAgentsError is expected"],
  ])("from %s is refused with the place that is wrong (%#)", (hook, returned, said) => {
    expect(() => check(hook, returned)).toThrow(TypeError);
    expect(() => check(hook, returned)).toThrow(said);
  });

  test("is not looked for in messages that stand where they stood", () => {
    const odd = [{ role: "robot" }, userMessage("Hi")] as unknown as ModelRequest["messages"];
    const replaced = (messages: readonly unknown[]) =>
      checkResult("beforeModel", { replace: { messages } }, { messages: odd });
    expect(() => replaced([...odd, userMessage("And?")])).not.toThrow();
    expect(() => replaced([systemMessage("First."), ...odd])).not.toThrow();
    expect(() => replaced([{ ...odd[0] }, odd[1]])).toThrow("replace.messages[0].role");
  });

  test("from a wrap around a tool is anything but a tool message", () => {
    expect(() => checkToolMessage(result)).not.toThrow();
    expect(() => checkToolMessage(undefined)).toThrow("it gave no tool message");
    expect(() => checkToolMessage("Fog.")).toThrow("its tool message: an object is expected, a string found");
    expect(() => checkToolMessage({ ...result, isError: "no" })).toThrow("its tool message.isError");
  });
});
