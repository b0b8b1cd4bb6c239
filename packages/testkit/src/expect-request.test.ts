import { assistantMessage, type ModelRequest, systemMessage, toolMessage, userMessage } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { describeRequest, type ExpectedRequest, expectRequest } from "./expect-request.js";

const call = { type: "tool_call", id: "call_1", name: "search", args: { q: "tea" } } as const;
const request: ModelRequest = {
  messages: [
    systemMessage("Be brief."),
    userMessage("Find tea"),
    assistantMessage([call]),
    toolMessage(call, "green"),
    toolMessage({ id: "call_2", name: "read" }, "too late", "timeout"),
  ],
  tools: [{ name: "search", description: "", inputSchema: { type: "object" } }],
  toolChoice: { type: "tool", name: "search" },
};

describe("an expectation of a request", () => {
  test("holds when all of its facts do", () => {
    expectRequest(request, {
      roles: ["system", "user", "assistant", "tool", "tool"],
      systemText: "Be brief.",
      lastUserText: /tea/,
      toolResults: ["green", /late/],
      toolNames: ["search"],
      toolChoice: { name: "search", type: "tool" },
    });
    expectRequest({ messages: [] }, { toolNames: [], toolResults: [], roles: [] });
  });

  test.each<[ExpectedRequest, string]>([
    [{ roles: ["user"] }, 'roles: expected ["user"], found ["system","user","assistant","tool","tool"]'],
    [{ systemText: "Be" }, 'systemText: expected "Be", found "Be brief."'],
    [{ lastUserText: /coffee/ }, 'lastUserText: expected /coffee/, found "Find tea"'],
    [{ toolResults: ["green"] }, 'toolResults: expected 1 results, found 2: ["green","too late"]'],
    [{ toolResults: ["green", "x"] }, 'toolResults[1]: expected "x", found "too late"'],
    [{ toolNames: [] }, 'toolNames: expected [], found ["search"]'],
    [{ toolChoice: "auto" }, 'toolChoice: expected "auto", found {"name":"search","type":"tool"}'],
    [{ responseFormat: { type: "json" } }, 'responseFormat: expected {"type":"json"}, found nothing'],
  ])("names the fact that does not hold: %j", (expected, message) => {
    expect(() => expectRequest(request, expected)).toThrow(new Error(message));
  });

  test("looks at the results since the last answer, not at earlier ones", () => {
    const messages = [...request.messages, assistantMessage([call]), toolMessage(call, "black")];
    expectRequest({ messages }, { toolResults: ["black"] });
  });

  test("says what it found when there is nothing", () => {
    expect(() => expectRequest({ messages: [] }, { lastUserText: "x" })).toThrow('expected "x", found nothing');
  });

  test("may be a function", () => {
    expect(() =>
      expectRequest(request, () => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
  });
});

test("a request is described by its last messages and its tools", () => {
  expect(describeRequest(request)).toBe(
    [
      "  (1 earlier messages)",
      "  user: Find tea",
      '  assistant: [call search {"q":"tea"}]',
      "  tool: search (ok) green",
      "  tool: read (timeout) too late",
      "  tools: search",
    ].join("\n"),
  );
  const long = describeRequest({ messages: [userMessage("x ".repeat(100))] });
  expect(long).toMatch(/^ {2}user: (x )+x?\.\.\.\n {2}tools: none$/);
});
