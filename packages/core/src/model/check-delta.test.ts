import { describe, expect, test } from "vitest";
import { deltaFault } from "./check-delta.js";
import type { ModelDelta } from "./delta.js";

const SOUND: readonly ModelDelta[] = [
  { type: "start" },
  { type: "start", model: "one-2024", responseId: "r" },
  { type: "text", index: -1.5, text: "" },
  { type: "reasoning", index: 0, text: "x" },
  { type: "refusal", index: 0, text: "x" },
  { type: "tool_call_start", index: 0, id: "", name: "" },
  { type: "tool_call_args", index: 0, args: "{" },
  { type: "tool_call_end", index: 0 },
  { type: "block", index: 0, block: { type: "text", text: "x" } },
  { type: "block", index: 0, block: { type: "tool_call", id: "c", name: "n", args: { a: [1, { b: null }] } } },
  {
    type: "block",
    index: 0,
    block: { type: "tool_call", id: "c", name: "n", args: {}, invalid: { reason: "r", raw: "{" } },
  },
  { type: "block", index: 0, block: { type: "provider", provider: "p", value: { any: [1] } } },
  { type: "provider", providerMetadata: { p: { a: 1 } } },
  { type: "provider", index: 1, providerMetadata: {} },
  { type: "restart", attempt: 2, reason: "network" },
  { type: "restart", attempt: 2, reason: "network", model: { id: "a/b", provider: "a", model: "b" } },
  { type: "finish", finishReason: "stop" },
  {
    type: "finish",
    finishReason: "other",
    rawFinishReason: "odd",
    model: "m",
    responseId: "r",
    warnings: [{ code: "provider", message: "w" }],
    providerData: { tier: "x" },
  },
];

const text = { type: "text", index: 0, text: "x" };
const call = { type: "tool_call", id: "c", name: "n", args: {} };
const blockOf = (block: unknown) => ({ type: "block", index: 0, block });
const finishOf = (more: object) => ({ type: "finish", finishReason: "stop", ...more });

describe("a fragment of a response", () => {
  test.each(SOUND)("of a known form has no fault: %j", (delta) => {
    expect(deltaFault(delta)).toBeUndefined();
  });

  test("leaves its usage to whoever counts it", () => {
    expect(deltaFault({ type: "usage", usage: null })).toBeUndefined();
    expect(deltaFault(finishOf({ usage: "many" }))).toBeUndefined();
  });

  test.each<[unknown, string]>([
    [undefined, "it is nothing, and no fragment"],
    [null, "it is null, and no fragment"],
    ["text", "it is a string, and no fragment"],
    [[], "type: a string is expected, nothing found"],
    [{}, "type: a string is expected, nothing found"],
    [{ type: 5 }, "type: a string is expected, a number found"],
    [{ type: "toString" }, "its type is none that there is"],
    [{ ...text, index: "0" }, "index: a number is expected, a string found"],
    [{ ...text, index: Number.NaN }, "index: a number is expected, NaN found"],
    [{ ...text, text: 5 }, "text: a string is expected, a number found"],
    [{ ...text, type: "reasoning", text: null }, "text: a string is expected, null found"],
    [{ ...text, type: "refusal", text: undefined }, "text: a string is expected, nothing found"],
    [{ type: "tool_call_args", index: 0, args: {} }, "args: a string is expected, an object found"],
    [{ type: "tool_call_args", args: "" }, "index: a number is expected, nothing found"],
    [{ type: "tool_call_start", index: 0, name: "n" }, "id: a string is expected, nothing found"],
    [{ type: "tool_call_start", index: 0, id: "c" }, "name: a string is expected, nothing found"],
    [{ type: "tool_call_start", id: "c", name: "n" }, "index: a number is expected, nothing found"],
    [{ type: "tool_call_end" }, "index: a number is expected, nothing found"],
    [{ type: "block", index: 0 }, "block: an object is expected, nothing found"],
    [{ type: "block", block: call }, "index: a number is expected, nothing found"],
    [blockOf({ type: "smell" }), 'block.type: "smell" is none of'],
    [blockOf({ type: "text", text: 5 }), "block.text: a string is expected, a number found"],
    [blockOf({ type: "text", text: "x", providerMetadata: [] }), "block.providerMetadata: an object is expected"],
    [blockOf({ ...call, args: [] }), "block.args: an object is expected, an array found"],
    [blockOf({ ...call, args: null }), "block.args: an object is expected, null found"],
    [blockOf({ ...call, id: 5 }), "block.id: a string is expected, a number found"],
    [blockOf({ ...call, name: undefined }), "block.name: a string is expected, nothing found"],
    [blockOf({ ...call, args: { a: [() => 1] } }), "block.args.a[0] is a function"],
    [blockOf({ ...call, extra: new Map() }), "block.extra is no plain object"],
    [blockOf({ type: "text", text: "x", extra: 1n }), "block.extra is a bigint"],
    [blockOf({ type: "json", value: { n: Number.NaN } }), "block.value.n is NaN"],
    [blockOf({ type: "tool_result", callId: "c", isError: false, content: [null] }), "block.content[0]: an object"],
    [{ type: "provider", providerMetadata: null }, "providerMetadata: an object is expected, null found"],
    [{ type: "provider", providerMetadata: { p: 1 } }, "providerMetadata.p: an object is expected, a number found"],
    [{ type: "provider", providerMetadata: { p: { f: () => 1 } } }, "providerMetadata.p.f is a function"],
    [{ type: "provider", index: "0", providerMetadata: {} }, "index: a number is expected, a string found"],
    [{ type: "start", model: 5 }, "model: a string is expected, a number found"],
    [{ type: "start", responseId: {} }, "responseId: a string is expected, an object found"],
    [{ type: "restart", reason: "x" }, "attempt: a number is expected, nothing found"],
    [{ type: "restart", attempt: 2 }, "reason: a string is expected, nothing found"],
    [{ type: "restart", attempt: 2, reason: "x", model: "other" }, "model: an object is expected"],
    [{ type: "restart", attempt: 2, reason: "x", model: { id: "a" } }, "model.provider: a string is expected"],
    [{ type: "finish" }, "finishReason: a string is expected, nothing found"],
    [finishOf({ finishReason: "tired" }), "finishReason: it is none of stop, tool_calls"],
    [finishOf({ rawFinishReason: 1 }), "rawFinishReason: a string is expected, a number found"],
    [finishOf({ model: null }), "model: a string is expected, null found"],
    [finishOf({ responseId: 1 }), "responseId: a string is expected, a number found"],
    [finishOf({ warnings: "none" }), "warnings: an array is expected, a string found"],
    [finishOf({ warnings: [null] }), "warnings[0]: an object is expected, null found"],
    [finishOf({ warnings: [{ code: "provider" }] }), "warnings[0].message: a string is expected"],
    [finishOf({ warnings: [{ message: "x" }] }), "warnings[0].code: a string is expected"],
    [finishOf({ warnings: [{ code: "a", message: "x", extra: 1n }] }), "warnings[0].extra is a bigint"],
    [finishOf({ providerData: [] }), "providerData: an object is expected, an array found"],
    [finishOf({ providerData: { at: new Date(0) } }), "providerData.at is no plain object"],
  ])("that is none says which field is wrong (%#)", (delta, fault) => {
    expect(deltaFault(delta)).toContain(fault);
  });
});
