import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractJson } from "../../src/output/extract.js";

const foundIn = (text: string): unknown => {
  const found = extractJson(text);
  return found.found ? found.value : undefined;
};

describe("JSON in a text", () => {
  test.each<[string, string, unknown]>([
    ["alone", '{"a":1}', { a: 1 }],
    ["among white space", '\n\t {"a":1} \r\n', { a: 1 }],
    ["a scalar", "42", 42],
    ["a text", '"yes"', "yes"],
    ["null", "null", null],
    ["in a fence", 'Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ["in a fence without a language", "```\n[1,2]\n```", [1, 2]],
    ["in a fence on one line", '```json {"a":1}```', { a: 1 }],
    ["in a fence of another language", '```typescript\n{"a":1}\n```', { a: 1 }],
    ["in a fence without a break after the language", '```json{"a":1}```', { a: 1 }],
    ["in the second fence, after code", '```ts\nconst a = { b };\n```\nso\n```json\n{"a":1}\n```', { a: 1 }],
    ["a scalar in a fence", "It is:\n```json\n42\n```", 42],
    ["in a fence rather than in words", 'Not {"b":[1,2,3,4,5]}, but\n```json\n{"a":1}\n```', { a: 1 }],
    ["in a fence that never closes", 'Sure:\n```json\n{"a":1}\n', { a: 1 }],
    ["after words", 'The answer is {"city":"Oslo"}. Anything else?', { city: "Oslo" }],
    ["after a footnote", 'As [1] and [2] say, it is {"city":"Oslo"} [3].', { city: "Oslo" }],
    ["as a list in words", 'They are [{"a":1},{"a":2}], I think.', [{ a: 1 }, { a: 2 }]],
    ["after a brace that opens nothing", 'Use { and then {"a":1}', { a: 1 }],
    ["after what only looks like JSON", 'First {a: 1}, then {"b": 2}', { b: 2 }],
    ["with brackets in its texts", 'x {"a":"}]{[","b":"\\"}"} y', { a: "}]{[", b: '"}' }],
    ["in another value that is broken", '[{"a":1}, oops]', { a: 1 }],
    ["an empty object", "{}", {}],
  ])("is found: %s (SO-04)", (_, text, value) => {
    expect(foundIn(text)).toEqual(value);
  });

  test.each([
    ["", "the answer is empty"],
    ["  \n ", "the answer is empty"],
    ["I do not know.", "JSON"],
    ['{"a":1', "JSON"],
    ["{'a':1}", "JSON"],
  ])("is not made up: %j (SO-04)", (text, reason) => {
    const found = extractJson(text);
    expect(found.found).toBe(false);
    expect(found.found ? "" : found.reason).toContain(reason);
  });

  test("is found as it was, whatever stands around it (SO-04)", () => {
    const json = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
      fc.array(fc.jsonValue({ maxDepth: 3 })),
    );
    const words = fc.stringMatching(/^[a-zA-Z ,.!?]*$/);
    fc.assert(
      fc.property(words, json, words, (before, value, after) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__") && !text.includes('"constructor"'));
        expect(foundIn(`${before} ${text} ${after}`)).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe("a text that is no JSON", () => {
  test("never makes it throw (SO-04)", () => {
    const noise = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc
        .array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "```", "json", "1", " ", "\n", "a"), {
          maxLength: 80,
        })
        .map((parts) => parts.join("")),
      fc.json().map((text) => text.slice(0, Math.floor(text.length / 2))),
    );
    fc.assert(
      fc.property(noise, (text) => {
        const found = extractJson(text);
        expect(typeof found.found).toBe("boolean");
        if (!found.found) expect(found.reason).not.toBe("");
      }),
      { numRuns: 2_000 },
    );
  });

  const long = 200_000;
  test.each<[string, string]>([
    ["opening brackets", "[".repeat(long)],
    ["opening braces", "{".repeat(long)],
    ["pairs that are no JSON", "{a}".repeat(long / 3)],
    ["a fence and white space", `\`\`\`${" ".repeat(long)}`],
    ["a fence and line feeds", `\`\`\`json${"\n".repeat(long)}x`],
    ["fences", "```".repeat(long / 3)],
    ["fences with white space", "``` ".repeat(long / 4)],
    ["a fence with a long word", `\`\`\`${"a".repeat(long)}\`\`\``],
    ["quotes", `{${'"'.repeat(long)}`],
    ["backslashes", `{"${"\\".repeat(long)}`],
    ["deep nesting", `${"[".repeat(long / 2)}${"]".repeat(long / 2)}`],
    ["one digit after the other", "1".repeat(long)],
  ])("takes time in proportion to its length, or this test would never end: %s (SO-04)", (_, text) => {
    expect(typeof extractJson(text).found).toBe("boolean");
  });
});
