import { hashText, type JsonObject } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { block, call, deltasOf, end, read, start, textBlock } from "../test/events.js";

describe("thinking in a stream", () => {
  const thinking = (...deltas: JsonObject[]): JsonObject[] =>
    block(0, { type: "thinking", thinking: "", signature: "" }, ...deltas);
  const thought = (text: string): JsonObject => ({ type: "thinking_delta", thinking: text });
  const signed = (signature: string): JsonObject => ({ type: "signature_delta", signature });

  it("is one block with its whole text and the signature that came alone (PA-07, MSG-06)", async () => {
    const { message } = await read([
      start(),
      ...thinking(thought("Let me "), thought("see."), signed("c2ln")),
      ...textBlock(1, "Yes."),
      ...end("end_turn"),
    ]);
    const anthropic = { signature: "c2ln", textHash: hashText("Let me see.") };
    expect(message.content).toEqual([
      { type: "reasoning", text: "Let me see.", providerMetadata: { anthropic } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("keeps a signature that comes in pieces, and one that has no text", async () => {
    const pieces = await read([start(), ...thinking(signed("c2"), signed("ln")), ...end("end_turn")]);
    expect(pieces.message.content).toMatchObject([
      { type: "reasoning", text: "", providerMetadata: { anthropic: { signature: "c2ln" } } },
    ]);
  });

  it("between calls stays between them", async () => {
    const { message } = await read([
      start(),
      ...thinking(thought("First."), signed("s1")),
      ...call(1, "a", "one", "{}"),
      ...block(2, { type: "thinking", thinking: "Then.", signature: "s2" }),
      ...call(3, "b", "two", "{}"),
      ...end("tool_use"),
    ]);
    expect(message.content.map(({ type }) => type)).toEqual(["reasoning", "tool_call", "reasoning", "tool_call"]);
  });

  it("that is withheld is kept as it is", async () => {
    const { message } = await read([
      start(),
      ...block(0, { type: "redacted_thinking", data: "ZGF0YQ==" }),
      ...textBlock(1, "Yes."),
      ...end("end_turn"),
    ]);
    expect(message.content[0]).toEqual({
      type: "reasoning",
      text: "",
      redacted: true,
      providerMetadata: { anthropic: { redactedData: "ZGF0YQ==" } },
    });
  });

  it("text, thoughts and arguments come on channels of their own (STM-07)", () => {
    const deltas = deltasOf([
      start(),
      ...thinking(thought("Hm.")),
      ...textBlock(1, "Hi."),
      ...call(2, "a", "one", "{}"),
      ...end("tool_use"),
    ]);
    const said = deltas.filter(({ type }) => ["text", "reasoning", "tool_call_args"].includes(type));
    expect(said).toEqual([
      { type: "reasoning", index: 0, text: "Hm." },
      { type: "text", index: 1, text: "Hi." },
      { type: "tool_call_args", index: 2, args: "{}" },
    ]);
  });
});
