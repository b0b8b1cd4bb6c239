import {
  assistantMessage,
  type Block,
  hashText,
  type JsonObject,
  type Message,
  systemMessage,
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
const HI = { role: "user", content: [text("Hi")] };

describe("the order of a conversation", () => {
  it("system messages that come first are the system prompt", () => {
    const { system, turns } = convert([systemMessage("Be brief."), systemMessage("Be kind."), userMessage("Hi")]);
    expect(system).toEqual([text("Be brief."), text("Be kind.")]);
    expect(turns).toEqual([HI]);
  });

  it("messages of one side that stand together become one turn", () => {
    expect(turnsOf([userMessage("Hi"), userMessage("You?"), assistantMessage("A"), assistantMessage("B")])).toEqual([
      { role: "user", content: [text("Hi"), text("You?")] },
      { role: "assistant", content: [text("A"), text("B")] },
    ]);
  });

  it("results stand first in the turn after their calls, in the order of the calls (PA-05)", () => {
    const messages = [
      userMessage("Hi"),
      assistantMessage([callOf("a"), callOf("b")]),
      toolMessage({ id: "a", name: "look" }, "one"),
      toolMessage({ id: "b", name: "look" }, "two"),
      userMessage("And?"),
    ];
    expect(convert(messages).turns[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [text("one")] },
        { type: "tool_result", tool_use_id: "b", content: [text("two")] },
        text("And?"),
      ],
    });
  });

  it("a system message between results and a question does not part them", () => {
    const messages = [
      userMessage("Hi"),
      assistantMessage([callOf("a")]),
      systemMessage("Be brief."),
      toolMessage({ id: "a", name: "look" }, "one"),
    ];
    const [, , last] = convert(messages).turns;
    expect(last?.content.map(({ type }) => type)).toEqual(["tool_result", "text"]);
  });

  it("a conversation that begins with an answer is given a beginning, and a warning", () => {
    const { turns, warnings } = convert([assistantMessage("Hello."), userMessage("Hi")]);
    expect(turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "messages" }]);
  });

  it("an answer that is to be gone on with ends without white space", () => {
    expect(turnsOf([userMessage("Hi"), assistantMessage("The answer is \n")])).toEqual([
      HI,
      { role: "assistant", content: [text("The answer is")] },
    ]);
  });

  it("says the same of old messages whatever follows them: prompts grow at their end alone", () => {
    const history: Message[] = [
      systemMessage("Be brief."),
      userMessage("Hi"),
      assistantMessage([callOf("a|1"), callOf("b")]),
      toolMessage({ id: "a|1", name: "look" }, "one"),
      toolMessage({ id: "b", name: "look" }, "two"),
      assistantMessage("Done."),
      userMessage("Thanks"),
      assistantMessage("Sure."),
    ];
    const whole = convert(history).turns;
    for (const length of [2, 5, 6, 7, 8]) {
      const { turns } = convert(history.slice(0, length));
      expect(whole.slice(0, turns.length)).toEqual(turns);
    }
  });
});

describe("system messages in the middle", () => {
  const messages = [userMessage("Hi"), assistantMessage("Hello."), userMessage("Sing."), systemMessage("Softly.")];

  it("stay where they are, for models that take them there", () => {
    const { turns, warnings } = convert(messages, true);
    expect(turns.at(-1)).toEqual({ role: "system", content: [text("Softly.")] });
    expect(warnings).toEqual([]);
  });

  it("become text of the user's turn for other models, and a warning says so", () => {
    const { turns, warnings } = convert(messages);
    expect(turns.at(-1)).toEqual({ role: "user", content: [text("Sing."), text("<system>\nSoftly.\n</system>")] });
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "messages" }]);
  });

  it("become text also where no model takes them: before a question, or after an answer", () => {
    for (const misplaced of [
      [userMessage("Hi"), systemMessage("Softly."), userMessage("Sing.")],
      [userMessage("Hi"), assistantMessage("Hello."), systemMessage("Softly."), userMessage("Sing.")],
    ]) {
      const { turns, warnings } = convert(misplaced, true);
      expect(turns.map(({ role }) => role)).not.toContain("system");
      expect(warnings).toHaveLength(1);
    }
  });
});

describe("empty content (PA-26)", () => {
  it("empty and blank texts are left out, and so are messages that have nothing else", () => {
    expect(turnsOf([userMessage("Hi"), assistantMessage(" \n"), userMessage(""), userMessage("And?")])).toEqual([
      { role: "user", content: [text("Hi"), text("And?")] },
    ]);
  });

  it("calls and thoughts of the same turn stay", () => {
    const thought: Block = {
      type: "reasoning",
      text: "Hm.",
      providerMetadata: { anthropic: { signature: "s", textHash: hashText("Hm.") } },
    };
    expect(contentOf(thought, { type: "text", text: "" }, callOf("a"))?.map(({ type }) => type)).toEqual([
      "thinking",
      "tool_use",
    ]);
  });

  it("a result with nothing in it is a result all the same", () => {
    const [, , last] = convert([
      userMessage("Hi"),
      assistantMessage([callOf("a")]),
      toolMessage({ id: "a", name: "look" }, ""),
    ]).turns;
    expect(last?.content).toEqual([{ type: "tool_result", tool_use_id: "a" }]);
  });
});

it("a speaker's name is left out, with a warning", () => {
  const { turns, warnings } = convert([{ ...userMessage("Hi"), name: "Ada" }]);
  expect(turns).toEqual([HI]);
  expect(warnings).toMatchObject([{ code: "unsupported_setting" }]);
});
