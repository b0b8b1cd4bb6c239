import { describe, expect, test, vi } from "vitest";
import type { Block } from "../message/block.js";
import { assistantMessage, userMessage } from "../message/build.js";
import { approximateTokens, estimateContext, estimateTokens } from "./estimate.js";
import type { ModelProfile } from "./profile.js";

const profile: ModelProfile = {
  provider: "mock",
  model: "one",
  capabilities: {},
  lifecycle: "active",
  source: "local",
};

/** A counter that tests can add up: one token a character. */
const chars = (text: string): number => text.length;
const blockTokens = (block: Block): number =>
  estimateTokens([userMessage([block])], chars) - estimateTokens([userMessage("")], chars);

describe("the default counter", () => {
  test("takes four characters for a token, and rounds up", () => {
    expect(["", "a", "abcd", "abcde"].map(approximateTokens)).toEqual([0, 1, 1, 2]);
  });

  test("takes each character of a script without spaces for one", () => {
    expect(approximateTokens("日本語")).toBe(3);
    expect(approximateTokens("abcd日")).toBe(2);
  });
});

describe("the tokens of messages", () => {
  test.each<[Block, number]>([
    [{ type: "text", text: "four" }, 4],
    [{ type: "reasoning", text: "hm" }, 2],
    [{ type: "refusal", text: "no" }, 2],
    [{ type: "json", value: { a: 1 } }, 7],
    [{ type: "tool_call", id: "ignored", name: "add", args: { a: 1 } }, 10],
    [{ type: "tool_call", id: "x", name: "add", args: {}, invalid: { reason: "ignored", raw: "{" } }, 4],
    [
      {
        type: "tool_result",
        callId: "x",
        content: [
          { type: "text", text: "abc" },
          { type: "text", text: "d" },
        ],
        isError: false,
      },
      4,
    ],
    [{ type: "citation", source: { ignored: 1 }, text: "ab" }, 2],
    [{ type: "citation", source: {} }, 0],
    [{ type: "provider", provider: "mock", value: "ab" }, 4],
    [{ type: "image", source: { type: "base64", mediaType: "image/png", data: "A".repeat(9_999) } }, 1_000],
    [{ type: "audio", source: { type: "provider_file", provider: "mock", fileId: "f" } }, 1_000],
    [{ type: "file", source: { type: "url", url: "https://example.com/a.pdf" } }, 1_000],
  ])("count what a model reads of each kind of block: %j", (block, tokens) => {
    expect(blockTokens(block)).toBe(tokens);
  });

  test("count a frame for each message", () => {
    expect(estimateTokens([])).toBe(0);
    expect(estimateTokens([userMessage("abcd"), assistantMessage("abcd")])).toBe(10);
  });

  test("are estimated without fetching anything (SE-02)", () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(() => {
      throw new Error("a fetch");
    });
    const url = { type: "url", url: "http://169.254.169.254/latest" } as const;
    const messages = [
      userMessage([
        { type: "image", source: url },
        { type: "audio", source: url },
        { type: "file", source: url },
      ]),
    ];
    expect(estimateTokens(messages)).toBe(3_004);
    expect(estimateContext({ messages }, { ...profile, contextWindow: 10_000 }).inputTokens).toBe(3_004);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("how full a context is", () => {
  const request = { messages: [userMessage("x".repeat(96))] };

  test("says only what is used when the window is not known", () => {
    expect(estimateContext(request, profile, chars)).toStrictEqual({ inputTokens: 100 });
  });

  test("counts tool declarations", () => {
    const tool = { name: "add", description: "", inputSchema: {} };
    const { inputTokens } = estimateContext({ ...request, tools: [tool] }, profile, chars);
    expect(inputTokens).toBe(100 + JSON.stringify(tool).length);
  });

  test("leaves room for the answer: what the request asks for, else what the model can give", () => {
    const window = { ...profile, contextWindow: 1_000 };
    expect(estimateContext(request, window, chars)).toEqual({ inputTokens: 100, contextWindow: 1_000, pressure: 0.1 });
    expect(estimateContext(request, { ...window, maxOutputTokens: 200 }, chars).pressure).toBe(0.125);
    const asked = { ...request, maxOutputTokens: 400 };
    expect(estimateContext(asked, { ...window, maxOutputTokens: 200 }, chars).pressure).toBeCloseTo(1 / 6);
  });

  test("reserves half of the window at most", () => {
    const asked = { ...request, maxOutputTokens: 10_000 };
    expect(estimateContext(asked, { ...profile, contextWindow: 400 }, chars).pressure).toBe(0.5);
  });
});
