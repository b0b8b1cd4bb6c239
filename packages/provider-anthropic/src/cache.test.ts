import type { JsonObject, ModelWarning } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { markPrompt, type Prompt } from "./cache.js";
import type { CacheMode } from "./options.js";
import type { Turn } from "./turns.js";

const MARK = { type: "ephemeral" };
const HOUR = { type: "ephemeral", ttl: "1h" };

const text = (value: string, hint?: JsonObject): JsonObject => ({
  type: "text",
  text: value,
  ...(hint === undefined ? {} : { cache_control: hint }),
});
const user = (...content: JsonObject[]): Turn => ({ role: "user", content });
const answer = (...content: JsonObject[]): Turn => ({ role: "assistant", content });
const TOOL = { name: "look" };

function mark(prompt: Partial<Prompt>, mode: CacheMode = "auto", reserved = 0) {
  const warnings: ModelWarning[] = [];
  const marked = markPrompt({ tools: [], system: [], turns: [user(text("Hi"))], ...prompt }, mode, reserved, warnings);
  return { marked, warnings, marks: marksOf(marked) };
}

/** Where a prompt is marked, in its order. */
function marksOf({ tools, system, turns }: Prompt): [string, unknown][] {
  const blocks: [string, JsonObject][] = [
    ...tools.map((block, at): [string, JsonObject] => [`tools.${at}`, block]),
    ...system.map((block, at): [string, JsonObject] => [`system.${at}`, block]),
    ...turns.flatMap(({ content }, turn) =>
      content.map((block, at): [string, JsonObject] => [`turns.${turn}.${at}`, block]),
    ),
  ];
  return blocks.flatMap(([path, { cache_control }]) => (cache_control === undefined ? [] : [[path, cache_control]]));
}

const LONG: Partial<Prompt> = {
  tools: [TOOL, { name: "see" }],
  system: [text("One"), text("Two")],
  turns: [user(text("a")), answer(text("b")), user(text("c")), answer(text("d")), user(text("e"), text("f"))],
};

describe("marks for the cache", () => {
  it("stand at the ends of tools, system prompt and the last two user turns", () => {
    expect(mark(LONG).marks).toEqual([
      ["tools.1", MARK],
      ["system.1", MARK],
      ["turns.2.0", MARK],
      ["turns.4.1", MARK],
    ]);
  });

  it("are not made for a single question, whose beginning nobody sends again", () => {
    expect(mark({ system: [text("One")] }).marks).toEqual([]);
    expect(mark({ system: [text("One")] }, { ttl: "5m" }).marks).toHaveLength(2);
  });

  it("are made from the first request when tools are offered", () => {
    expect(mark({ tools: [TOOL] }).marks.map(([path]) => path)).toEqual(["tools.0", "turns.0.0"]);
  });

  it("are only those of hints when the cache is off", () => {
    expect(mark(LONG, "off").marks).toEqual([]);
    expect(mark({ ...LONG, system: [text("One", MARK)] }, "off").marks).toEqual([["system.0", MARK]]);
  });

  it("live as long as is asked for", () => {
    expect(mark(LONG, { ttl: "1h" }).marks.map(([, one]) => one)).toEqual([HOUR, HOUR, HOUR, HOUR]);
  });

  it("are never more than four, hints first, whatever comes together (PA-25)", () => {
    for (let hints = 0; hints <= 9; hints++) {
      for (const turns of [1, 2, 30]) {
        for (const reserved of [0, 1]) {
          const hinted = Array.from({ length: hints }, (_, at) => text(`h${at}`, MARK));
          const talk = Array.from({ length: turns }, (_, at) => [user(text(`q${at}`)), answer(text(`a${at}`))]).flat();
          const { marks, marked, warnings } = mark({ ...LONG, system: hinted, turns: talk }, "auto", reserved);
          expect(marks.length).toBeLessThanOrEqual(4 - reserved);
          const kept = marked.system
            .filter(({ cache_control }) => cache_control !== undefined)
            .map((one): unknown => one.text);
          const newest = hinted.slice(-(4 - reserved)).map((one): unknown => one.text);
          expect(kept).toEqual(expect.arrayContaining<unknown>(newest));
          expect(warnings).toHaveLength(hints > 4 - reserved ? 1 : 0);
        }
      }
    }
  });

  it("of which there are too many lose the oldest, and a warning says how many (PA-25)", () => {
    const turns = [user(...["a", "b", "c", "d", "e", "f"].map((one) => text(one, MARK)))];
    const { marks, warnings } = mark({ turns }, "off");
    expect(marks.map(([path]) => path)).toEqual(["turns.0.2", "turns.0.3", "turns.0.4", "turns.0.5"]);
    expect(warnings).toMatchObject([{ code: "changed_setting", message: expect.stringContaining("2 oldest") }]);
  });

  it("that live an hour stand before those that do not", () => {
    const turns = [user(text("a", HOUR)), answer(text("b")), user(text("c"))];
    expect(mark({ ...LONG, turns }).marks).toEqual([
      ["tools.1", HOUR],
      ["system.1", HOUR],
      ["turns.0.0", HOUR],
      ["turns.2.0", MARK],
    ]);
  });

  it("that a block asked for and that had to be changed are told of", () => {
    const turns = [user(text("a", MARK)), answer(text("b")), user(text("c", HOUR))];
    const { marks, warnings } = mark({ turns }, "off");
    expect(marks.map(([, one]) => one)).toEqual([HOUR, HOUR]);
    expect(warnings).toMatchObject([{ code: "changed_setting", message: expect.stringContaining("an hour") }]);
  });

  it("are not set on thoughts", () => {
    const turns = [user(text("a")), answer({ type: "thinking", thinking: "x" }), user({ type: "thinking" })];
    expect(mark({ turns }, { ttl: "5m" }).marks.map(([path]) => path)).toEqual(["turns.0.0"]);
  });

  it("change no block that others hold", () => {
    const shared = Object.freeze(text("c"));
    const turns = [user(text("a")), answer(text("b")), Object.freeze({ role: "user", content: [shared] } as Turn)];
    expect(mark({ turns }).marks).toHaveLength(2);
    expect(shared).toEqual(text("c"));
  });
});
