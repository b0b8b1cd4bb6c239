import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThinkTags } from "./think-tags.js";

/** What the pieces add up to: thoughts, then the answer. */
function read(...pieces: string[]): { readonly reasoning: string; readonly text: string } {
  const tags = new ThinkTags();
  const said = [...pieces.flatMap((piece) => tags.read(piece)), ...tags.end()];
  const joined = (kind: string): string => said.map((one) => (one.kind === kind ? one.text : "")).join("");
  return { reasoning: joined("reasoning"), text: joined("text") };
}

describe("thoughts between tags", () => {
  it.each<[string, string, string, string]>([
    ["stand before the answer", "<think>\nHm.\n\nSo.\n</think>\n\nYes. ", "Hm.\n\nSo.", "Yes. "],
    ["may be empty", "<think>\n\n</think>\n\nYes.", "", "Yes."],
    ["may follow space", " \n<think>Hm.</think>Yes.", "Hm.", "Yes."],
    ["may be all there is", "<think>Hm. And", "Hm. And", ""],
    ["may hold what looks like a tag", "<think>a < b </thin> c</think>Yes.", "a < b </thin> c", "Yes."],
    ["are none where the answer begins otherwise", "Use <think>x</think>.", "", "Use <think>x</think>."],
    ["are none where no tag comes of it", "<thi", "", "<thi"],
    ["are over with the first closing tag", "<think>a</think>b</think>c", "a", "b</think>c"],
  ])("%s", (_, whole, reasoning, text) => {
    expect(read(whole)).toEqual({ reasoning, text });
  });

  it("are the same wherever the text is cut (MSG-10)", () => {
    const part = fc.constantFrom("<think>", "</think>", "<", "thi", "nk>", " ", "\n", "a", "é", "b c");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 8 }), (parts, cuts) => {
        const whole = parts.join("");
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end));
        expect(read(...pieces)).toEqual(read(whole));
      }),
      { numRuns: 2_000 },
    );
  });

  it("come as they are thought", () => {
    const tags = new ThinkTags();
    expect(["<think>", "One ", "two", "</th", "ink>Y", "es"].map((piece) => tags.read(piece))).toEqual([
      [],
      [{ kind: "reasoning", text: "One" }],
      [{ kind: "reasoning", text: " two" }],
      [],
      [{ kind: "text", text: "Y" }],
      [{ kind: "text", text: "es" }],
    ]);
  });
});
