import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Block } from "./block.js";
import {
  assistantMessage,
  blocks,
  type ChatMessage,
  refusal,
  systemMessage,
  text,
  toMessages,
  toolCalls,
  toolMessage,
  toolText,
  toolValue,
  upgradeMessage,
  userMessage,
} from "./build.js";
import type { Message } from "./message.js";

const call = { type: "tool_call", id: "c1", name: "add", args: { a: 1 } } as const;
const image: Block = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };

describe("content", () => {
  test("that is a text becomes one text block, and an empty one none", () => {
    expect(blocks("hi")).toEqual([{ type: "text", text: "hi" }]);
    expect(blocks("")).toEqual([]);
    const list = [image];
    expect(blocks(list)).toBe(list);
  });

  test("is put under its role", () => {
    const content = [{ type: "text", text: "hi" }];
    expect(systemMessage("hi")).toEqual({ role: "system", content });
    expect(userMessage("hi")).toEqual({ role: "user", content });
    expect(assistantMessage("hi")).toEqual({ role: "assistant", content });
    expect(userMessage([image]).content).toEqual([image]);
  });
});

describe("a tool message", () => {
  test("names its call and is no error by default (MSG-03)", () => {
    expect(toolMessage(call, "3")).toEqual({
      role: "tool",
      toolCallId: "c1",
      name: "add",
      content: [{ type: "text", text: "3" }],
      isError: false,
      status: "ok",
    });
  });

  test("is an error for every other status", () => {
    for (const status of ["failed", "denied", "timeout", "not_run"] as const) {
      expect(toolMessage(call, "no", status)).toMatchObject({ isError: true, status });
    }
  });

  test("reads as plain text: text as it is, values as JSON, media as a note", () => {
    const content: Block[] = [
      { type: "text", text: "a" },
      { type: "json", value: { b: [1] } },
      image,
      { type: "citation", source: {}, text: "quoted" },
      { type: "citation", source: {} },
      { type: "reasoning", text: "hm" },
      { type: "refusal", text: "no" },
    ];
    expect(toolText(toolMessage(call, content))).toBe('a\n{"b":[1]}\n[image]\nquoted\n[citation]\nhm\nno');
  });

  test("has the value that the tool returned", () => {
    expect(toolValue(toolMessage(call, [{ type: "json", value: null }]))).toBeNull();
    expect(toolValue(toolMessage(call, "plain"))).toBe("plain");
    expect(toolValue(toolMessage(call, [image]))).toBeUndefined();
    expect(toolValue(toolMessage(call, ""))).toBeUndefined();
  });
});

describe("short messages", () => {
  const short = fc.record({
    role: fc.constantFrom("system" as const, "user" as const, "assistant" as const),
    content: fc.string(),
  });

  test("become canonical ones and lose nothing", () => {
    fc.assert(
      fc.property(short, (message) => {
        const upgraded = upgradeMessage(message);
        expect(upgraded.role).toBe(message.role);
        expect(text(upgraded)).toBe(message.content);
      }),
    );
  });

  test("keep what else they carry, and canonical messages stay the same objects", () => {
    const named = { role: "user", content: "hi", name: "Ada" } as const;
    expect(upgradeMessage(named)).toEqual({ role: "user", content: [{ type: "text", text: "hi" }], name: "Ada" });
    const canonical = userMessage("hi");
    expect(upgradeMessage(canonical)).toBe(canonical);
  });

  test("stand wherever a run takes input", () => {
    expect(toMessages("hi")).toEqual([userMessage("hi")]);
    expect(toMessages({ role: "assistant", content: "hi" })).toEqual([assistantMessage("hi")]);
    expect(toMessages(userMessage("hi"))).toEqual([userMessage("hi")]);
    const mixed = [systemMessage("s"), { role: "user", content: "u" } as ChatMessage, toolMessage(call, "3")];
    expect(toMessages(mixed)).toEqual([systemMessage("s"), userMessage("u"), toolMessage(call, "3")]);
  });
});

describe("input that is none", () => {
  test.each([
    [{ role: "robot", content: "x" }, "input[0]"],
    [[userMessage("x"), { content: "x" }], "input[1]"],
    [[userMessage("x"), null], "input[1]"],
    [undefined, "input[0]"],
    [[{ role: "user" }], "input[0].content"],
    [[{ role: "user", content: { type: "text", text: "x" } }], "input[0].content"],
  ])("is refused where it stands: %j", (input, place) => {
    expect(() => toMessages(input as never)).toThrow(TypeError);
    expect(() => toMessages(input as never)).toThrow(place);
  });
});

describe("messages that could not be stored", () => {
  test.each<[unknown, string]>([
    [{ role: "user", content: [null] }, "input[0].content[0]: an object is expected, null found"],
    [{ role: "user", content: [{ type: "smell" }] }, 'input[0].content[0].type: "smell" is none of'],
    [{ role: "user", content: [{ type: "text" }] }, "input[0].content[0].text: a string is expected, nothing found"],
    [{ role: "user", content: [{ type: "text", text: 5 }] }, "input[0].content[0].text"],
    [{ role: "user", content: [{ type: "image", source: { type: "url" } }] }, "input[0].content[0].source.url"],
    [{ role: "user", content: ["hi"] }, "input[0].content[0]: an object is expected, a string found"],
    [{ role: "user", content: "hi", metadata: { at: new Date(0) } }, "input[0].metadata.at is no plain object"],
    [{ role: "user", content: [{ type: "json", value: { f: () => 1 } }] }, "input[0].content[0].value.f is a function"],
    [{ role: "assistant", content: [{ ...call, args: "{}" }] }, "input[0].content[0].args: an object is expected"],
    [{ role: "assistant", content: [{ ...call, id: undefined }] }, "input[0].content[0].id: a string is expected"],
    [{ role: "assistant", content: "hi", usage: { inputTokens: Number.NaN, source: "reported" } }, "usage.inputTokens"],
    [{ role: "tool", toolCallId: "c", content: [] }, "input[0].name: a string is expected, nothing found"],
  ])("are no input, and the place is named (%#)", (message, said) => {
    expect(() => toMessages([message] as never)).toThrow(TypeError);
    expect(() => toMessages([message] as never)).toThrow(said);
    expect(() => toMessages([userMessage("hi"), message] as never)).toThrow(said.replace("input[0]", "input[1]"));
  });
});

describe("reading a message", () => {
  test("gives its tool calls in the model's order", () => {
    const second = { ...call, id: "c2" };
    const message = assistantMessage([{ type: "text", text: "a" }, call, { type: "reasoning", text: "r" }, second]);
    expect(toolCalls(message)).toEqual([call, second]);
    expect(toolCalls(assistantMessage("none"))).toEqual([]);
  });

  test("joins its text and leaves out reasoning and refusals (MSG-06)", () => {
    const message = assistantMessage([
      { type: "text", text: "a" },
      { type: "reasoning", text: "hidden" },
      { type: "refusal", text: "no" },
      { type: "text", text: "b" },
    ]);
    expect(text(message)).toBe("ab");
    expect(text(assistantMessage(""))).toBe("");
  });

  test("gives its refusal, or nothing when the model did not decline (PA-10)", () => {
    const message = assistantMessage([
      { type: "refusal", text: "I " },
      { type: "refusal", text: "won't" },
    ]);
    expect(refusal(message)).toBe("I won't");
    expect(refusal(assistantMessage("yes"))).toBeUndefined();
    expect(refusal(assistantMessage([{ type: "refusal", text: "" }]))).toBe("");
  });
});

describe("the message union", () => {
  test("is told apart by role, with nothing left over (MSG-01)", () => {
    const roleOf = (message: Message): string => {
      switch (message.role) {
        case "system":
        case "user":
        case "assistant":
          return message.role;
        case "tool":
          return message.toolCallId;
      }
    };
    expect(roleOf(toolMessage(call, "3"))).toBe("c1");
    expectTypeOf<Message["role"]>().toEqualTypeOf<"system" | "user" | "assistant" | "tool">();
  });

  test("survives a JSON round trip in every kind of block (MSG-02)", () => {
    const every: { readonly [T in Block["type"]]: Extract<Block, { type: T }> } = {
      text: { type: "text", text: "a", providerMetadata: { mock: { id: "x" } } },
      json: { type: "json", value: [null, { a: 1 }] },
      image: { type: "image", source: { type: "base64", mediaType: "image/png", data: "AA==" }, detail: "low" },
      audio: { type: "audio", source: { type: "provider_file", provider: "mock", fileId: "f" } },
      file: { type: "file", source: { type: "url", url: "https://example.com" }, name: "a.pdf" },
      tool_call: { ...call, invalid: { reason: "r", raw: "{" }, originalId: "c0" },
      tool_result: { type: "tool_result", callId: "c1", content: [{ type: "text", text: "x" }], isError: false },
      reasoning: { type: "reasoning", text: "", redacted: true },
      citation: { type: "citation", source: { url: "u" }, text: "q" },
      refusal: { type: "refusal", text: "no", safety: { score: 1 } },
      provider: { type: "provider", provider: "mock", value: { any: [1] } },
    };
    const message = assistantMessage(Object.values(every));
    expect(JSON.parse(JSON.stringify(message))).toEqual(message);
  });
});
