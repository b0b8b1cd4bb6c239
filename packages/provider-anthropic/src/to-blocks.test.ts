import {
  assistantMessage,
  type Block,
  hashText,
  type JsonObject,
  type Message,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { MessageConverter, type WireHistory } from "./to-messages.js";

function convert(messages: readonly Message[], midSystem = false): WireHistory {
  return new MessageConverter("anthropic", midSystem).convert(messages);
}

function turnsOf(messages: readonly Message[], midSystem = false): unknown {
  return convert(messages, midSystem).turns;
}

function contentOf(...blocks: Block[]): readonly JsonObject[] | undefined {
  return convert([userMessage("Hi"), assistantMessage(blocks), userMessage("And?")]).turns[1]?.content;
}

function callOf(id: string, name = "look"): Block {
  return { type: "tool_call", id, name, args: {} };
}

const text = (value: string): JsonObject => ({ type: "text", text: value });
const PNG = { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;

describe("tool calls", () => {
  it("whose ids have odd characters or are long get other ids, calls and results the same (PA-27)", () => {
    const ids = ["call|1", "call:1", "call.1", "x".repeat(65), "ключ", "ok_id-1"];
    const messages = [
      userMessage("Hi"),
      assistantMessage(ids.map((id) => callOf(id))),
      ...ids.map((id) => toolMessage({ id, name: "look" }, "done")),
    ];
    const [, calls, results] = convert(messages).turns;
    const sent = calls?.content.map(({ id }) => String(id)) ?? [];
    expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(sent);
    expect(new Set(sent).size).toBe(ids.length);
    for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(sent.at(-1)).toBe("ok_id-1");
    expect(convert(messages).turns).toEqual(convert(structuredClone(messages)).turns);
  });

  it("whose arguments could not be parsed are sent with none, and never with their text (PA-04)", () => {
    const broken: Block = {
      type: "tool_call",
      id: "a",
      name: "look",
      args: {},
      invalid: { reason: "no JSON", raw: "broken-raw" },
    };
    expect(contentOf(broken)).toEqual([{ type: "tool_use", id: "a", name: "look", input: {} }]);
  });

  it("take back what the server attached to them", () => {
    const caller = { type: "direct" };
    const wire = contentOf({ ...callOf("a"), providerMetadata: { anthropic: { caller }, openai: { x: 1 } } });
    expect(wire).toEqual([{ type: "tool_use", id: "a", name: "look", input: {}, caller }]);
  });

  it("that failed say so, in text alone, and never without a word", () => {
    const image: Block = { type: "image", source: PNG };
    const failures: [string | Block[], JsonObject[]][] = [
      ["no such file", [text("no such file")]],
      [[image], [text("[image (image/png)]")]],
      ["", [text("(failed without a word)")]],
    ];
    for (const [said, content] of failures) {
      const result = toolMessage({ id: "a", name: "look" }, said, "failed");
      const [, , last] = convert([userMessage("Hi"), assistantMessage([callOf("a")]), result]).turns;
      expect(last?.content).toEqual([{ type: "tool_result", tool_use_id: "a", content, is_error: true }]);
    }
  });
});

describe("media", () => {
  it("images stand in messages and in tool results as images, by bytes, by URL and by file (PA-14)", () => {
    const images: Block[] = [
      { type: "image", source: PNG },
      { type: "image", source: { type: "url", url: "https://a.test/b.png" } },
      { type: "image", source: { type: "provider_file", provider: "anthropic", fileId: "file_1" } },
    ];
    const { turns, needs } = convert([
      userMessage(images),
      assistantMessage([callOf("a")]),
      toolMessage({ id: "a", name: "look" }, images),
    ]);
    const sources = [
      { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
      { type: "url", url: "https://a.test/b.png" },
      { type: "file", file_id: "file_1" },
    ].map((source) => ({ type: "image", source }));
    expect(turns[0]?.content).toEqual(sources);
    expect(turns[2]?.content).toEqual([{ type: "tool_result", tool_use_id: "a", content: sources }]);
    expect([...needs]).toEqual(["image_input"]);
  });

  it("the bytes of a data URL are sent as bytes", () => {
    const image: Block = { type: "image", source: { type: "url", url: "data:image/png;base64,iVBORw0KGgo=" } };
    expect(convert([userMessage([image])]).turns[0]?.content).toMatchObject([{ source: { type: "base64" } }]);
  });

  it("PDF and text files are documents", () => {
    const files: Block[] = [
      { type: "file", name: "a.pdf", source: { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" } },
      { type: "file", source: { type: "base64", mediaType: "text/plain", data: "5L2g5aW9" } },
      { type: "file", source: { type: "url", url: "https://a.test/b.pdf" } },
      { type: "file", source: { type: "provider_file", provider: "anthropic", fileId: "file_1" } },
    ];
    const { turns, needs } = convert([userMessage(files)]);
    expect(turns[0]?.content).toEqual([
      { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "你好" } },
      { type: "document", source: { type: "url", url: "https://a.test/b.pdf" } },
      { type: "document", source: { type: "file", file_id: "file_1" } },
    ]);
    expect([...needs]).toEqual(["file_input"]);
  });

  it("what an application attaches to a document goes with it", () => {
    const file: Block = {
      type: "file",
      source: { type: "base64", mediaType: "text/plain", data: "aGk=" },
      providerMetadata: { anthropic: { citations: { enabled: true } } },
    };
    expect(convert([userMessage([file])]).turns[0]?.content).toMatchObject([{ citations: { enabled: true } }]);
  });

  it("that have no form here become a short note, with a warning, and never base64 in a text (PA-14)", () => {
    const odd: Block[] = [
      { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "UklGRg==" } },
      { type: "image", source: { type: "base64", mediaType: "image/tiff", data: "UklGRg==" } },
      { type: "file", source: { type: "base64", mediaType: "application/zip", data: "UklGRg==" } },
      { type: "file", source: { type: "base64", mediaType: "text/plain", data: "/w==" } },
      { type: "file", source: { type: "url", url: "https://a.test/b.zip", mediaType: "application/zip" } },
      { type: "file", source: { type: "provider_file", provider: "openai", fileId: "file_1" } },
      { type: "image", source: { type: "provider_file", provider: "openai", fileId: "file_1" } },
    ];
    const { turns, warnings, needs } = convert([userMessage(odd)]);
    expect(turns[0]?.content.map(({ type }) => type)).toEqual(odd.map(() => "text"));
    expect(JSON.stringify(turns)).not.toContain("UklGRg");
    expect(warnings).toHaveLength(odd.length);
    expect(needs.size).toBe(0);
  });

  it("in an answer become a note: the server takes none there", () => {
    expect(contentOf({ type: "image", source: PNG })).toEqual([text("[image (image/png)]")]);
  });

  it("a closer look that cannot be asked for is told of", () => {
    const { warnings } = convert([userMessage([{ type: "image", source: PNG, detail: "high" }])]);
    expect(warnings).toMatchObject([{ code: "unsupported_setting" }]);
    expect(convert([userMessage([{ type: "image", source: PNG, detail: "auto" }])]).warnings).toEqual([]);
  });
});

describe("thoughts", () => {
  const signed = (text: string, more: JsonObject = {}): Block => ({
    type: "reasoning",
    text,
    providerMetadata: { anthropic: { signature: "c2ln", textHash: hashText(text), ...more } },
  });
  const after = (block: Block): readonly JsonObject[] | undefined => contentOf(block, callOf("a"))?.slice(0, -1);

  it("go back byte for byte, also without text and after storage (MSG-12)", () => {
    for (const thought of ["Hm — 你好\n", ""]) {
      const stored = JSON.parse(JSON.stringify(signed(thought))) as Block;
      expect(after(stored)).toEqual([{ type: "thinking", thinking: thought, signature: "c2ln" }]);
    }
  });

  it("that were withheld go back as they came", () => {
    const redacted: Block = {
      type: "reasoning",
      text: "",
      redacted: true,
      providerMetadata: { anthropic: { redactedData: "ZGF0YQ==" } },
    };
    expect(after(redacted)).toEqual([{ type: "redacted_thinking", data: "ZGF0YQ==" }]);
  });

  it("are not sent without a signature, or with one for another text (PA-06)", () => {
    const broken: Block[] = [
      { type: "reasoning", text: "Hm." },
      { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: {} } },
      signed("Hm.", { signature: "" }),
      { ...signed("Hm. And more."), text: "Hm." } as Block,
    ];
    for (const thought of broken) expect(after(thought)).toEqual([]);
  });

  it("of other providers are not sent (PA-08)", () => {
    const foreign: Block = { type: "reasoning", text: "Hm.", providerMetadata: { openai: { signature: "x" } } };
    expect(after(foreign)).toEqual([]);
  });

  it("do not end an answer: the server takes none that does", () => {
    expect(turnsOf([userMessage("Hi"), assistantMessage([signed("Hm.")]), userMessage("And?")])).toEqual([
      { role: "user", content: [text("Hi"), text("And?")] },
    ]);
    expect(contentOf({ type: "text", text: "Yes." }, signed("Hm."))).toEqual([text("Yes.")]);
  });
});

describe("what only a provider understands", () => {
  const value = { type: "server_tool_use", id: "s", name: "web_search", input: {} };

  it("goes back to it unchanged, and to no other (MSG-09)", () => {
    expect(contentOf({ type: "provider", provider: "anthropic", value })).toEqual([value]);
    expect(contentOf({ type: "provider", provider: "openai", value }, { type: "text", text: "x" })).toEqual([
      text("x"),
    ]);
  });

  it("citations go back with the text that they belong to", () => {
    const source = { type: "char_location", cited_text: "green" };
    const own = { anthropic: { of: "text" } };
    const cited = contentOf(
      { type: "text", text: "Green." },
      { type: "citation", source, providerMetadata: own },
      { type: "citation", source: { ...source, cited_text: "grass" }, providerMetadata: own },
      { type: "text", text: "So." },
      { type: "citation", source: { url: "x" } },
    );
    expect(cited).toEqual([
      { ...text("Green."), citations: [source, { ...source, cited_text: "grass" }] },
      text("So."),
    ]);
  });

  it("its words for a refusal are not sent as the model's; those of another provider are text", () => {
    const own: Block = { type: "refusal", text: "No.", providerMetadata: { anthropic: { of: "stop_details" } } };
    expect(contentOf(own, { type: "text", text: "Well" })).toEqual([text("Well")]);
    expect(contentOf({ type: "refusal", text: "No." })).toEqual([text("No.")]);
  });

  it("results of tools that another provider ran are text", () => {
    const block: Block = {
      type: "tool_result",
      callId: "x",
      content: [
        { type: "json", value: { a: 1 } },
        { type: "image", source: PNG },
      ],
      isError: false,
    };
    expect(contentOf(block)).toEqual([text('{"a":1}\n[image (image/png)]')]);
  });

  it("the container of the last answer is found", () => {
    const container = { id: "c", expires_at: "2026-11-30T00:00:00Z" };
    const answer: Message = { ...assistantMessage("x"), providerMetadata: { anthropic: { container } } };
    expect(convert([userMessage("Hi"), answer, userMessage("And?")]).container).toEqual(container);
  });
});
