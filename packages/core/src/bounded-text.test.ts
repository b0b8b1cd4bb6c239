import { describe, expect, test } from "vitest";
import { boundedText, firstCharacters, LONGEST_MESSAGE } from "./bounded-text.js";

describe("a bounded text", () => {
  test("is the text itself up to its bound", () => {
    expect(boundedText("x".repeat(LONGEST_MESSAGE))).toBe("x".repeat(LONGEST_MESSAGE));
    expect(boundedText("12345", 5)).toBe("12345");
  });

  test("says how long it was, and is within its bound with that note", () => {
    expect(boundedText("a".repeat(100), 40)).toBe(
      `${"a".repeat(40 - " [cut: 100 characters]".length)} [cut: 100 characters]`,
    );
    expect(boundedText("a".repeat(LONGEST_MESSAGE + 1))).toHaveLength(LONGEST_MESSAGE);
  });
});

test("a cut never splits a character of two units", () => {
  expect(firstCharacters("a😀b", 2)).toBe("a");
  expect(firstCharacters("a😀b", 3)).toBe("a😀");
  expect(firstCharacters("abc", 2)).toBe("ab");
  expect(firstCharacters("abc", 0)).toBe("");
});
