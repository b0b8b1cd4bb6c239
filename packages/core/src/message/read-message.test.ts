import { describe, expect, it } from "vitest";
import { isTinyAgentsError } from "../errors.js";
import type { JsonValue } from "../json.js";
import type { Block } from "./block.js";
import { assistantMessage, systemMessage, toolMessage, userMessage } from "./build.js";
import type { Message } from "./message.js";
import { readMessages, readToolMessage } from "./read-message.js";

const SOURCE = { type: "url", url: "https://example.com/a" } as const;

/** One block of every type, and of every source. */
const BLOCKS: { readonly [T in Block["type"]]: Block } = {
  text: { type: "text", text: "a", providerMetadata: { mock: { id: "1" } } },
  reasoning: { type: "reasoning", text: "", redacted: true },
  refusal: { type: "refusal", text: "no", safety: { category: "x" } },
  json: { type: "json", value: null },
  image: { type: "image", source: SOURCE, detail: "low" },
  audio: { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "AAAA" } },
  file: { type: "file", source: { type: "provider_file", provider: "mock", fileId: "f" }, name: "a.pdf" },
  tool_call: { type: "tool_call", id: "c", name: "look", args: {}, invalid: { reason: "cut", raw: "{" } },
  tool_result: { type: "tool_result", callId: "s", content: [{ type: "text", text: "found" }], isError: false },
  citation: { type: "citation", source: { url: "https://example.com" }, text: "a" },
  provider: { type: "provider", provider: "mock", value: [1] },
};
const ALL = Object.values(BLOCKS);
const RESULT = toolMessage({ id: "c", name: "look" }, ALL);
const HISTORY: readonly Message[] = [
  systemMessage("rules"),
  { ...userMessage(ALL), name: "Ann", metadata: { from: "chat" } },
  {
    ...assistantMessage(ALL),
    usage: { inputTokens: 1, source: "reported" },
    finishReason: "tool_calls",
    model: { id: "mock/m", provider: "mock", model: "m" },
  },
  { ...RESULT, elapsedMs: 0.5, artifacts: [{ key: ["run-1", "c", "0"], mediaType: "text/plain", bytes: 3 }] },
];

function stored(): { [key: string]: JsonValue }[] {
  return structuredClone(HISTORY) as unknown as { [key: string]: JsonValue }[];
}

function placeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return isTinyAgentsError(error, "corrupt_data") ? error.details.place : `no corrupt_data but ${String(error)}`;
  }
  return "it was read";
}

describe("a stored history", () => {
  it("is read with messages of every role and blocks of every type", () => {
    expect(readMessages(stored(), "history")).toEqual(HISTORY);
  });

  it.each<[string, JsonValue | undefined]>([
    ["0.role", "robot"],
    ["0.role", "toString"],
    ["0.content", "rules"],
    ["1.name", 1],
    ["1.metadata", "chat"],
    ["1.content.0.text", 1],
    ["1.content.0.providerMetadata", { mock: 1 }],
    ["1.content.3.value", undefined],
    ["1.content.4.detail", "very"],
    ["1.content.4.source.url", null],
    ["1.content.4.source.type", "disk"],
    ["1.content.7.args", undefined],
    ["1.content.7.invalid", "{"],
    ["1.content.8.content.0.text", 1],
    ["2.finishReason", "tired"],
    ["2.usage.inputTokens", "1"],
    ["2.usage.source", "guessed"],
    ["2.model.id", undefined],
    ["3.toolCallId", undefined],
    ["3.status", "odd"],
    ["3.isError", null],
    ["3.elapsedMs", -1],
    ["3.artifacts.0.key", "run-1/c/0"],
    ["3.artifacts.0.bytes", 1.5],
  ])("with a wrong %s is refused, and the place is named", (path, value) => {
    const history = stored();
    const keys = path.split(".");
    const last = keys.pop() as string;
    let holder = history as unknown as { [key: string]: unknown };
    for (const key of keys) holder = holder[key] as typeof holder;
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    const place = `.${path}`.replaceAll(/\.(\d+)/g, "[$1]");
    expect(placeOf(() => readMessages(history, "history"))).toContain(`history${place}`);
  });

  it("that is no list is refused", () => {
    expect(placeOf(() => readMessages({}, "history"))).toBe("history");
  });
});

describe("the stored result of a call", () => {
  it("is read", () => {
    expect(readToolMessage(structuredClone(RESULT), "result")).toEqual(RESULT);
  });

  it("is refused when it is another message, or nothing", () => {
    expect(placeOf(() => readToolMessage(assistantMessage("a"), "result"))).toBe("result.role");
    expect(placeOf(() => readToolMessage(undefined, "result"))).toBe("result");
  });
});
