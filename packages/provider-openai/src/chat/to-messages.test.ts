import { assistantMessage, type Block, type Message, systemMessage, toolMessage, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import type { ChatQuirks } from "./quirks.js";
import { MessageConverter } from "./to-messages.js";

const PNG: Block = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } };

function wire(history: readonly Message[], quirks: ChatQuirks = {}): unknown {
  return new MessageConverter("openai", quirks).convert(history).messages;
}

function call(id: string, extra: object = {}): Block {
  return { type: "tool_call", id, name: "look", args: { at: 1 }, ...extra };
}

describe("messages on the wire", () => {
  it("are plain texts where they are plain texts", () => {
    expect(wire([systemMessage("Be brief."), userMessage("Hi"), assistantMessage("Ho")])).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Ho" },
    ]);
  });

  it("carry images, audio and files in a user message", () => {
    const content: Block[] = [
      { type: "text", text: "See" },
      { ...PNG, detail: "low" } as Block,
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
      { type: "audio", source: { type: "base64", mediaType: "audio/mpeg", data: "BBBB" } },
      { type: "file", name: "a.pdf", source: { type: "base64", mediaType: "application/pdf", data: "CCCC" } },
      { type: "file", source: { type: "provider_file", provider: "openai", fileId: "file-1" } },
    ];
    const converted = new MessageConverter("openai", {}).convert([userMessage(content)]);
    expect(converted.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
          { type: "image_url", image_url: { url: "https://x.test/a.png" } },
          { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,CCCC" } },
          { type: "file", file: { file_id: "file-1" } },
        ],
      },
    ]);
    expect([...converted.needs].sort()).toEqual(["audio_input", "file_input", "image_input"]);
  });

  it("have a short note, and a warning, for a medium that the wire has no form for", () => {
    const foreign: Block = {
      type: "file",
      source: { type: "provider_file", provider: "other", fileId: "f" },
      name: "a",
    };
    const converted = new MessageConverter("openai", {}).convert([userMessage([foreign])]);
    expect(converted.messages).toEqual([{ role: "user", content: "[file a]" }]);
    expect(converted.warnings).toMatchObject([{ code: "unsupported_setting", setting: "messages" }]);
  });

  it("move an image out of a tool result, behind the batch, with calls and results paired (PA-14)", () => {
    const history = [
      assistantMessage([call("a"), call("b")]),
      toolMessage({ id: "a", name: "look" }, [PNG]),
      toolMessage({ id: "b", name: "look" }, "nothing"),
      userMessage("And?"),
    ];
    const messages = wire(history) as { role: string; content: unknown }[];
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "tool", "user", "user"]);
    expect(messages[1]?.content).toBe("[image_url 1: see the next user message]");
    expect(messages[3]?.content).toEqual([
      { type: "text", text: "Media that look returned:" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ]);
  });

  it("never have a medium's bytes in a text (PA-14)", () => {
    const messages = wire([systemMessage([PNG]), assistantMessage([PNG])]);
    expect(messages).toEqual([
      { role: "system", content: "[image (image/png)]" },
      { role: "assistant", content: "[image (image/png)]" },
    ]);
  });

  it("have no empty text, and no message without content (PA-26)", () => {
    const blank: Block = { type: "text", text: " \n" };
    const history = [userMessage([blank]), assistantMessage([blank]), assistantMessage([blank, call("a")])];
    expect(wire(history)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
      },
    ]);
  });

  it("have empty arguments in place of broken ones (PA-04)", () => {
    const broken = call("a", { args: {}, invalid: { reason: "cut", raw: '{"at":' } });
    const messages = wire([assistantMessage([broken]), toolMessage({ id: "a", name: "look" }, "no JSON", "invalid")]);
    expect(JSON.stringify(messages)).not.toContain('{\\"at\\":');
    expect(messages).toMatchObject([{ tool_calls: [{ function: { arguments: "{}" } }] }, { tool_call_id: "a" }]);
  });

  it("rewrite ids that are too long, the same in call and result, and keep all others (PA-27)", () => {
    const long = [`a|b:c.${"x".repeat(70)}`, `a|b:c.${"x".repeat(71)}`];
    const history = [
      assistantMessage([call(long[0]!), call(long[1]!), call("functions.look:0")]),
      ...long.map((id) => toolMessage({ id, name: "look" }, "ok")),
    ];
    const [answer, ...results] = wire(history) as [{ tool_calls: { id: string }[] }, ...{ tool_call_id: string }[]];
    const ids = answer.tool_calls.map(({ id }) => id);
    expect(ids[2]).toBe("functions.look:0");
    expect(ids.every((id) => id.length <= 40)).toBe(true);
    expect(new Set(ids).size).toBe(3);
    expect(results.map((result) => result.tool_call_id)).toEqual(ids.slice(0, 2));
  });

  it("leave foreign reasoning out, and send own reasoning back where the server wants it", () => {
    const own: Block = { type: "reasoning", text: "hm", providerMetadata: { openai: { field: "reasoning" } } };
    const foreign: Block = { type: "reasoning", text: "other", providerMetadata: { anthropic: { signature: "s" } } };
    const history = [assistantMessage([foreign, own, { type: "text", text: "Yes" }])];
    expect(wire(history)).toEqual([{ role: "assistant", content: "Yes" }]);
    expect(wire(history, { reasoningField: "reasoning_content" })).toEqual([
      { role: "assistant", content: "Yes", reasoning_content: "hm" },
    ]);
  });

  it("give the server its own fields of a call back (MSG-08)", () => {
    const signed = call("a", { providerMetadata: { openai: { extra_content: { s: 1 } }, other: { x: 1 } } });
    expect(wire([assistantMessage([signed])])).toMatchObject([{ tool_calls: [{ id: "a", extra_content: { s: 1 } }] }]);
    expect(JSON.stringify(wire([assistantMessage([signed])]))).not.toContain('"x"');
  });

  it("give a refusal back as one", () => {
    expect(wire([assistantMessage([{ type: "refusal", text: "No." }])])).toEqual([
      { role: "assistant", content: null, refusal: "No." },
    ]);
  });

  it("are made once per message, however often the history is sent", () => {
    const converter = new MessageConverter("openai", {});
    const history = [userMessage("Hi")];
    const first = converter.convert(history).messages[0];
    history.push(userMessage("And?"));
    expect(converter.convert(history).messages[0]).toBe(first);
  });
});
