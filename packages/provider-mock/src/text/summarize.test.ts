import { describe, expect, it } from "vitest";
import { openingOf, shorten, summarize } from "./summarize.js";

const texts = (question: string, text: string): readonly string[] =>
  summarize(question, [{ name: "a.md", text }]).passages.map((each) => each.text);

describe("summarize", () => {
  it("quotes sentences whole, under the heading that they stand under", () => {
    const text = "# One\n\nNothing here.\n\n## Two\n\nThe **anchor** is [heavy](x.md)\nand old. The sail is light.";
    expect(summarize("How heavy is the anchor?", [{ name: "a.md", text }]).passages).toEqual([
      { source: "a.md", heading: "Two", text: "The anchor is heavy and old." },
    ]);
  });

  it("goes on with the sentence after the best one when that speaks of the same thing", () => {
    const text = "The hotel is in Bergen. It costs 90 a night. They serve fish. The sea is cold.";
    expect(texts("How much is the hotel?", text)).toEqual(["The hotel is in Bergen. It costs 90 a night."]);
    expect(texts("What is cold, the sea?", `${text} Boats are red.`)).toEqual(["The sea is cold."]);
  });

  it("ends no sentence at a title or an abbreviation", () => {
    const text = "Present are Mr. Olsen and Dr. Berg. The rest, e.g. Mara, is away.";
    expect(texts("Is Olsen present?", text)).toEqual(["Present are Mr. Olsen and Dr. Berg."]);
  });

  it("prefers sentences with rare words of the question to those with common ones", () => {
    const text = "A boat is wet. A boat is long. A boat is old. A boat is slow. A keel is deep.";
    expect(texts("boat keel", text)).toContain("A keel is deep.");
  });

  it("knows forms of a word", () => {
    expect(texts("What is promised?", "The king promises much. Rain falls.")).toEqual(["The king promises much."]);
    expect(texts("When does it close?", "The shop closes at six.")).toEqual(["The shop closes at six."]);
    expect(texts("What do they agree on?", "The two agreed on pets.")).toEqual(["The two agreed on pets."]);
  });

  it("reads list items and table rows as what they are, and neither code nor the names of columns", () => {
    const text =
      "- an oar floats\n- a stone sinks\n\n| thing | oar use |\n| --- | --- |\n| oar | rowing |\n\n```\noar oar oar\n```";
    expect(texts("oar", text)).toEqual(["an oar floats", "oar – rowing"]);
  });

  it("prefers sentences to rows of tables", () => {
    const rows = ["oars one", "oars two", "oars three", "oars four"].map(
      (row) => `| ${row} | and what belongs to it |`,
    );
    const sentences = ["ash", "oak", "elm", "fir"].map((wood) => `The oars of that boat are made of ${wood}.`);
    expect(texts("oars", [...rows, "", ...sentences].join("\n"))).toEqual(sentences);
  });

  it("prefers the file that is named after a word of the question", () => {
    const text = "Oars are old. Oars are wet. Oars are long. Oars are blue.";
    const sources = [
      { name: "a.md", text },
      { name: "docs/oars.md", text: text.replaceAll("are", "were") },
    ];
    const named = summarize("oars", sources).passages.map(({ source }) => source);
    expect(named).toEqual(Array.from({ length: 4 }, () => "docs/oars.md"));
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

describe("openingOf", () => {
  it("is the first sentence that is more than a fragment", () => {
    const text =
      "# Oars\n\n| a table that is long enough | b |\n\nShort.\n\nThis page is about oars and how they break. More.";
    expect(openingOf({ name: "a.md", text })).toEqual({
      source: "a.md",
      heading: "Oars",
      text: "This page is about oars and how they break.",
    });
    expect(openingOf({ name: "a.md", text: "Short." })?.text).toBe("Short.");
    expect(openingOf({ name: "a.md", text: "```\ncode\n```" })).toBeUndefined();
  });
});

describe("shorten", () => {
  it("cuts at a word and marks the cut", () => {
    expect(shorten("one two three", 10)).toBe("one two …");
    expect(shorten("one", 10)).toBe("one");
  });
});
