import { describe, expect, it } from "vitest";
import { shorten, summarize } from "./summarize.js";

const texts = (question: string, text: string): readonly string[] =>
  summarize(question, [{ name: "a.md", text }]).passages.map((each) => each.text);

describe("summarize", () => {
  it("quotes sentences whole, under the heading that they stand under", () => {
    const text = "# One\n\nNothing here.\n\n## Two\n\nThe **anchor** is [heavy](x.md)\nand old. The sail is light.";
    expect(summarize("How heavy is the anchor?", [{ name: "a.md", text }]).passages).toEqual([
      { source: "a.md", heading: "Two", text: "The anchor is heavy and old." },
    ]);
  });

  it("prefers sentences with rare words of the question to those with common ones", () => {
    const text = "A boat is wet. A boat is long. A boat is old. A boat is slow. A keel is deep.";
    expect(texts("boat keel", text)).toContain("A keel is deep.");
  });

  it("knows forms of a word", () => {
    expect(texts("What is promised?", "It promises much. It rains.")).toEqual(["It promises much."]);
  });

  it("reads list items and table rows as what they are, and no code", () => {
    const text =
      "- an oar floats\n- a stone sinks\n\n| thing | oar use |\n| --- | --- |\n| oar | rowing |\n\n```\noar oar oar\n```";
    expect(texts("oar", text)).toEqual(["an oar floats", "thing – oar use", "oar – rowing"]);
  });

  it("gives nothing, and covers nothing, when no word fits", () => {
    expect(summarize("zebra", [{ name: "a.md", text: "An oar." }])).toEqual({ passages: [], coverage: 0 });
    expect(summarize("", [{ name: "a.md", text: "An oar." }])).toEqual({ passages: [], coverage: 0 });
  });

  it("covers all of a question whose words stand in one sentence", () => {
    const sources = [{ name: "a.md", text: "The broken oar is replaced by the harbour master at once. Rain." }];
    expect(summarize("replaced broken oar", sources).coverage).toBe(1);
    expect(summarize("replaced broken rudder", sources).coverage).toBeLessThan(0.7);
  });

  it("stays short whatever it is given", () => {
    const text = Array.from({ length: 50 }, (_, at) => `The oar number ${at} ${"is long and ".repeat(30)} wet.`).join(
      " ",
    );
    expect(texts("oar", text).join("").length).toBeLessThan(1_000);
  });
});

describe("shorten", () => {
  it("cuts at a word and marks the cut", () => {
    expect(shorten("one two three", 10)).toBe("one two …");
    expect(shorten("one", 10)).toBe("one");
  });
});
