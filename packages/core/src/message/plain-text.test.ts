import { describe, expect, test } from "vitest";
import type { Block } from "./block.js";
import { isMedia, mediaNote, plainText } from "./plain-text.js";

const png = { type: "image", source: { type: "base64", mediaType: "image/png", data: "QUJDRA==" } } as const;
const named = {
  type: "file",
  name: "a.pdf",
  source: { type: "url", url: "https://a.test/a.pdf", mediaType: "application/pdf" },
} as const;
const inline = { type: "audio", source: { type: "url", url: "data:audio/wav;base64,QUJDRA==" } } as const;

describe("a block as text", () => {
  test.each<[string, Block, string]>([
    ["a text", { type: "text", text: "Hi." }, "Hi."],
    ["a refusal", { type: "refusal", text: "No." }, "No."],
    ["a value", { type: "json", value: { a: [1, null] } }, '{"a":[1,null]}'],
    [
      "a result of the provider's own",
      { type: "tool_result", callId: "c", isError: false, content: [{ type: "text", text: "a" }, png] },
      "a\n[image (image/png)]",
    ],
    ["a medium", named, "[file a.pdf (application/pdf) at https://a.test/a.pdf]"],
    ["a thought", { type: "reasoning", text: "Hm." }, ""],
    ["a citation", { type: "citation", source: {}, text: "cited" }, ""],
    ["a call", { type: "tool_call", id: "c", name: "t", args: {} }, ""],
    ["a block that only its provider understands", { type: "provider", provider: "acme", value: 1 }, ""],
  ])("is what can be read of it: %s", (_, block, text) => {
    expect(plainText(block)).toBe(text);
  });

  test("never has the bytes of a medium in it (PA-14)", () => {
    for (const block of [png, inline] as const) {
      expect(isMedia(block)).toBe(true);
      expect(mediaNote(block)).not.toContain("QUJD");
    }
    expect(mediaNote(inline)).toBe("[audio]");
    expect(isMedia({ type: "text", text: "" })).toBe(false);
  });
});
