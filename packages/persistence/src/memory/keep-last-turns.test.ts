import {
  assistantMessage,
  type Message,
  type ThreadState,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepLastTurns } from "./keep-last-turns.js";

const context = { threadId: "t", signal: undefined };
const said = (text: string): Message => userMessage(text);
const answer = assistantMessage("Yes.");
const call = (...ids: readonly string[]): Message =>
  assistantMessage(ids.map((id) => ({ type: "tool_call" as const, id, name: "look", args: {} })));
const result = (id: string): Message => toolMessage({ id, name: "look" }, "seen");

function kept(count: number, messages: readonly Message[]): readonly Message[] {
  return (keepLastTurns(count)({ v: 1, messages }, context) as ThreadState).messages;
}

/** A message of any kind; ids are few, so that calls are answered, repeated, left open and given results late. */
const anyMessage = fc.oneof(
  fc.constant(said("?")),
  fc.constant(answer),
  fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }).map((ids) => call(...ids)),
  fc.constantFrom("a", "b", "c").map(result),
);

describe("keeping the last turns of a thread (MEM-04)", () => {
  const turns = [said("1"), answer, said("2"), call("a", "b"), result("a"), result("b"), answer, said("3"), answer];

  it("keeps so many, each whole: with its calls and their results", () => {
    expect(kept(1, turns)).toEqual(turns.slice(7));
    expect(kept(2, turns)).toEqual(turns.slice(2));
    expect(kept(3, turns)).toEqual(turns);
    expect(kept(9, turns)).toEqual(turns);
  });

  it("takes what was said in several messages in a row for one turn", () => {
    const messages = [said("1"), answer, said("2"), said("and"), answer];
    expect(kept(1, messages)).toEqual(messages.slice(2));
    expect(kept(2, messages)).toEqual(messages);
  });

  it("keeps what middleware knows of the thread, and changes nothing in place", () => {
    const state: ThreadState = Object.freeze({ v: 1, messages: Object.freeze(turns), middleware: { notes: { a: 1 } } });
    expect(keepLastTurns(1)(state, context)).toEqual({ ...state, messages: turns.slice(7) });
  });

  it("leaves a history without turns alone", () => {
    expect(kept(1, [])).toEqual([]);
    expect(kept(1, [answer, answer])).toEqual([answer, answer]);
  });

  it("never separates a call from its result, however damaged the history is", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 20 }), fc.integer({ min: 1, max: 4 }), (messages, count) => {
        const after = kept(count, messages);
        const cut = messages.length - after.length;
        expect(after).toEqual(messages.slice(cut));
        messages.slice(cut).forEach((message, at) => {
          if (message.role !== "tool") return;
          const called = messages
            .slice(0, cut + at)
            .findLastIndex(
              (one) => one.role === "assistant" && toolCalls(one).some(({ id }) => id === message.toolCallId),
            );
          expect(called === -1 || called >= cut).toBe(true);
        });
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, "2"])("refuses %s turns at once", (count) => {
    expect(() => keepLastTurns(count as number)).toThrow(TypeError);
  });
});
