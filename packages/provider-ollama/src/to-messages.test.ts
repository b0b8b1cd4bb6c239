import { assistantMessage, type Block, type Message, systemMessage, toolMessage, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { MessageConverter } from "./to-messages.js";

const PNG: Block = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } };
const LINK: Block = { type: "image", source: { type: "url", url: "https://x.test/a.png" } };
const WAV: Block = { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "BBBB" } };
const OWN: Block = { type: "reasoning", text: "hm", providerMetadata: { ollama: { field: "thinking" } } };

function convert(history: readonly Message[], sendReasoning = true) {
  return new MessageConverter(sendReasoning).convert(history);
}

function wire(history: readonly Message[], sendReasoning = true): unknown {
  return convert(history, sendReasoning).messages;
}

function call(id: string, extra: object = {}): Block {
  return { type: "tool_call", id, name: "look", args: { at: 1 }, ...extra };
}

describe("messages on the wire", () => {
  it("are texts", () => {
    expect(wire([systemMessage("Be brief."), userMessage("Hi"), assistantMessage("Ho")])).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Ho" },
    ]);
  });

  it("join several texts by lines, and write values as JSON", () => {
    const content: Block[] = [
      { type: "text", text: "See" },
      { type: "json", value: { a: 1 } },
    ];
    expect(wire([userMessage(content)])).toEqual([{ role: "user", content: 'See\n{"a":1}' }]);
  });

  it("carry the bytes of images, also of those in a data: URL", () => {
    const inline: Block = { type: "image", source: { type: "url", url: "data:image/png;base64,CCCC" } };
    const converted = convert([userMessage([{ type: "text", text: "See" }, PNG, inline])]);
    expect(converted.messages).toEqual([{ role: "user", content: "See", images: ["AAAA", "CCCC"] }]);
    expect([...converted.needs]).toEqual(["image_input"]);
  });

  it("refuse an image that somebody would have to fetch, and say what to do", () => {
    const kept: Block = { type: "image", source: { type: "provider_file", provider: "other", fileId: "f" } };
    for (const image of [LINK, kept]) {
      expect(() => wire([userMessage([image])])).toThrowError(
        expect.objectContaining({
          code: "invalid_request",
          details: { reason: "image_source" },
          message: expect.stringContaining("Send its bytes."),
        }),
      );
    }
  });

  it("need what Ollama has not for other media, and have a note in their place (MDL-09)", () => {
    const converted = convert([userMessage([WAV])]);
    expect(converted.messages).toEqual([{ role: "user", content: "[audio (audio/wav)]" }]);
    expect([...converted.needs]).toEqual(["audio_input"]);
    expect(converted.warnings).toMatchObject([{ code: "unsupported_setting", setting: "messages" }]);
  });

  it("move an image out of a tool result, behind the batch, with calls and results paired (PA-14)", () => {
    const history = [
      assistantMessage([call("a"), call("b")]),
      toolMessage({ id: "a", name: "look" }, [PNG]),
      toolMessage({ id: "b", name: "look" }, "nothing"),
      userMessage("And?"),
    ];
    const converted = convert(history);
    expect(converted.messages).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "a", function: { name: "look", arguments: { at: 1 } } },
          { id: "b", function: { name: "look", arguments: { at: 1 } } },
        ],
      },
      { role: "tool", content: "[image: see the next user message]", tool_name: "look", tool_call_id: "a" },
      { role: "tool", content: "nothing", tool_name: "look", tool_call_id: "b" },
      { role: "user", content: "Images that the tools returned:", images: ["AAAA"] },
      { role: "user", content: "And?" },
    ]);
    expect([...converted.needs]).toEqual(["image_input"]);
  });

  it("have a note, and a warning, for a medium of a tool that cannot be shown", () => {
    const converted = convert([toolMessage({ id: "a", name: "look" }, [LINK, WAV])]);
    expect(converted.messages).toMatchObject([{ content: "[image at https://x.test/a.png]\n[audio (audio/wav)]" }]);
    expect(converted.warnings).toHaveLength(2);
    expect([...converted.needs]).toEqual([]);
  });

  it("never have a medium's bytes in a text (PA-14)", () => {
    expect(wire([systemMessage([PNG]), assistantMessage([PNG])])).toEqual([
      { role: "system", content: "[image (image/png)]" },
      { role: "assistant", content: "[image (image/png)]" },
    ]);
  });

  it("have no empty text, and no message without content (PA-26)", () => {
    const blank: Block = { type: "text", text: " \n" };
    const history = [
      userMessage([blank]),
      systemMessage(""),
      assistantMessage([blank]),
      assistantMessage([blank, call("a")]),
    ];
    expect(wire(history)).toEqual([
      { role: "assistant", content: "", tool_calls: [{ id: "a", function: { name: "look", arguments: { at: 1 } } }] },
    ]);
  });

  it("have empty arguments in place of broken ones (PA-04)", () => {
    const broken = call("a", { args: {}, invalid: { reason: "cut", raw: '{"at":' } });
    const messages = wire([assistantMessage([broken]), toolMessage({ id: "a", name: "look" }, "no JSON", "invalid")]);
    expect(messages).toMatchObject([{ tool_calls: [{ function: { arguments: {} } }] }, { tool_call_id: "a" }]);
    expect(JSON.stringify(messages)).not.toContain('{\\"at\\":');
  });

  it("keep ids of any provider, the same in call and result (PA-27)", () => {
    const ids = [`a|b:c.${"x".repeat(70)}`, "functions.look:0"];
    const history = [
      assistantMessage(ids.map((id) => call(id))),
      ...ids.map((id) => toolMessage({ id, name: "look" }, "ok")),
    ];
    const [answer, ...results] = wire(history) as [{ tool_calls: { id: string }[] }, ...{ tool_call_id: string }[]];
    expect(answer.tool_calls.map(({ id }) => id)).toEqual(ids);
    expect(results.map((result) => result.tool_call_id)).toEqual(ids);
  });

  it("give a model its own reasoning back, unless it shall not have it, and never another provider's (PA-08, MSG-12)", () => {
    const foreign: Block = { type: "reasoning", text: "other", providerMetadata: { anthropic: { signature: "s" } } };
    const history = [assistantMessage([foreign, OWN, { type: "text", text: "Yes" }])];
    expect(wire(history)).toEqual([{ role: "assistant", content: "Yes", thinking: "hm" }]);
    expect(wire(history, false)).toEqual([{ role: "assistant", content: "Yes" }]);
  });

  it("leave out an answer that was broken off while the model thought (PA-06)", () => {
    expect(wire([assistantMessage([OWN]), userMessage("And?")])).toEqual([{ role: "user", content: "And?" }]);
  });

  it("give the server its own fields back, under ours (MSG-08)", () => {
    const signed = call("a", { providerMetadata: { ollama: { sig: 1, function: { note: "n" } }, other: { x: 1 } } });
    const message = { ...assistantMessage([signed]), providerMetadata: { ollama: { plan: "p", role: "robot" } } };
    expect(wire([message])).toEqual([
      {
        plan: "p",
        role: "assistant",
        content: "",
        tool_calls: [{ sig: 1, id: "a", function: { note: "n", name: "look", arguments: { at: 1 } } }],
      },
    ]);
  });

  it("give a refusal back as what was said", () => {
    expect(wire([assistantMessage([{ type: "refusal", text: "No." }])])).toEqual([
      { role: "assistant", content: "No." },
    ]);
  });

  it("leave names of speakers out, and say so once", () => {
    const named = (name: string): Message => ({ ...userMessage("Hi"), name });
    const converted = convert([named("Ann"), named("Ben")]);
    expect(converted.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Hi" },
    ]);
    expect(converted.warnings).toHaveLength(1);
  });

  it("are made once per message, however often the history is sent", () => {
    const converter = new MessageConverter(true);
    const history = [userMessage("Hi")];
    const first = converter.convert(history).messages[0];
    history.push(userMessage("And?"));
    expect(converter.convert(history).messages[0]).toBe(first);
  });

  it("are estimated by their text alone: images and reasoning cost models too different an amount (PA-19)", () => {
    const text = "word ".repeat(400);
    const bare = convert([userMessage(text), assistantMessage(text)]).tokens;
    expect(bare).toBe(2 * (4 + 500));
    expect(
      convert([userMessage([{ type: "text", text }, PNG]), assistantMessage([OWN, { type: "text", text }])]).tokens,
    ).toBe(bare);
  });
});
