import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, toolMessage, userMessage } from "../message/build.js";
import type { ModelRequest } from "../model/request.js";
import { responseCacheKey } from "./response-cache.js";

const profile = { provider: "p", model: "m", capabilities: {}, lifecycle: "active", source: "local" } as const;
const model = { id: "p/m", profile };
const schema = { type: "object" };

/** Two values of every field that a request has. The type holds the list against the fields there are. */
const FIELDS: { readonly [K in keyof ModelRequest]-?: readonly [ModelRequest[K], ModelRequest[K]] } = {
  model: ["a", "b"],
  hints: [["a"], ["b"]],
  reuseModel: [true, false],
  messages: [[userMessage("a")], [userMessage("b")]],
  tools: [
    [{ name: "t", description: "a", inputSchema: schema }],
    [{ name: "t", description: "b", inputSchema: schema }],
  ],
  toolChoice: ["auto", { type: "tool", name: "t" }],
  responseFormat: [{ type: "json" }, { type: "json_schema", name: "n", schema }],
  temperature: [0, 1],
  topP: [0.5, 1],
  maxOutputTokens: [1, 2],
  stopSequences: [["a"], ["a", "b"]],
  seed: [1, 2],
  reasoningEffort: ["low", "high"],
  requires: [["tools"], ["reasoning"]],
  timeoutMs: [1, 2],
  previousResponseId: ["a", "b"],
  providerOptions: [{ p: { a: 1 } }, { p: { a: 2 } }],
};
/** Those that say how the call is made. */
const UNASKED = new Set(["model", "hints", "reuseModel", "requires", "timeoutMs"]);
const names = Object.keys(FIELDS) as readonly (keyof ModelRequest)[];

/** For each field: which of its two values, or none. */
const choice = fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(0, 1, undefined)])));

function requestOf(chosen: { readonly [name: string]: number | undefined }): ModelRequest {
  const entries = names.map((name) => [name, FIELDS[name][chosen[name] ?? 2]] as const);
  return { messages: [], ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

describe("the key of a question (CCH-03)", () => {
  it("changes with every field that can change the answer, and with no other", () => {
    fc.assert(
      fc.property(choice, fc.constantFrom(...names), (chosen, flipped) => {
        const other = { ...chosen, [flipped]: chosen[flipped] === 0 ? 1 : 0 };
        const same = responseCacheKey(requestOf(chosen), model) === responseCacheKey(requestOf(other), model);
        expect(same).toBe(UNASKED.has(flipped));
      }),
    );
  });

  it("is the same whatever order fields were written in, and for fields that are undefined", () => {
    const one = { messages: [userMessage("a")], seed: 1, topP: 1 };
    const other = { topP: 1, seed: 1, temperature: undefined, messages: [userMessage("a")] } as unknown as ModelRequest;
    expect(responseCacheKey(other, model)).toBe(responseCacheKey(one, model));
  });

  it("changes with the model, by id, provider and name", () => {
    const request = { messages: [userMessage("a")] };
    const keys = [
      model,
      { ...model, id: "p/other" },
      { ...model, profile: { ...profile, provider: "other" } },
      { ...model, profile: { ...profile, model: "other" } },
    ].map((asked) => responseCacheKey(request, asked));
    expect(new Set(keys).size).toBe(4);
  });

  it("has nothing in it of runs: ids, metadata, times and tokens of messages", () => {
    const result = toolMessage({ id: "c", name: "t" }, "seen");
    const plain = [userMessage("a"), assistantMessage("b"), result];
    const [asked, answered] = plain;
    const used = [
      { ...asked, id: "1", metadata: { tag: "x" } },
      { ...answered, id: "2", usage: { inputTokens: 1, source: "reported" } },
      { ...result, id: "3", elapsedMs: 5, attempts: 2, summary: "saw" },
    ] as ModelRequest["messages"];
    expect(responseCacheKey({ messages: used }, model)).toBe(responseCacheKey({ messages: plain }, model));
  });

  it("has what a model sees of messages: names, signatures and what is marked as an error", () => {
    const result = toolMessage({ id: "c", name: "t" }, "seen");
    const keys = [
      [userMessage("a"), result],
      [{ ...userMessage("a"), name: "Ann" }, result],
      [userMessage("a"), { ...result, isError: true }],
      [userMessage("a"), { ...result, toolCallId: "d" }],
      [{ ...assistantMessage("a"), providerMetadata: { p: { signature: "s" } } }, result],
      [assistantMessage("a"), result],
    ].map((messages) => responseCacheKey({ messages: messages as ModelRequest["messages"] }, model));
    expect(new Set(keys).size).toBe(6);
  });

  it("is of whole characters, whatever a question is made of: stores take it as bytes", () => {
    const question = { messages: [userMessage("half \ud800 a character")], stopSequences: ["\udc00"] };
    const key = responseCacheKey(question, { ...model, id: "p/\ud83d" });
    expect(key).toBe(new TextDecoder().decode(new TextEncoder().encode(key)));
    expect(key).not.toBe(responseCacheKey({ ...question, stopSequences: ["\udc01"] }, { ...model, id: "p/\ud83d" }));
  });
});
