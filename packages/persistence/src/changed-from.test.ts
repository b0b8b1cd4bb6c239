import { assistantMessage, type Message, userMessage } from "@tinyagents/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { changedFrom } from "./changed-from.js";

const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });

it("finds the first message that differs, whether or not equal messages are the same objects", () => {
  fc.assert(
    fc.property(texts, texts, fc.boolean(), (before, after, shared) => {
      const objects = new Map(["a", "b", "c"].map((text) => [text, userMessage(text)]));
      const make = (text: string): Message => (shared ? objects.get(text)! : userMessage(text));
      const differs = before.findIndex((text, index) => text !== after[index]);
      const expected = differs === -1 ? before.length : differs;
      expect(changedFrom(before.map(make), after.map(make))).toBe(expected);
    }),
  );
});

it("takes the objects of the newer history over, so that they need not be compared in depth again", () => {
  const recorded = [userMessage("a"), userMessage("b")];
  const messages = [userMessage("a"), assistantMessage("b")];
  expect(changedFrom(recorded, messages)).toBe(1);
  expect(recorded[0]).toBe(messages[0]);
  expect(recorded[1]).not.toBe(messages[1]);
});
