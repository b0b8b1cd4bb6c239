import { describe, expect, test } from "vitest";
import { content, interrupt, isToolOutcome, stop } from "./outcome.js";

const secondCopy = (await import(/* @vite-ignore */ `./outcome.ts?copy=${2}`)) as typeof import("./outcome.js");

describe("outcomes of a tool", () => {
  test("carry content, of a text or of blocks", () => {
    expect(content("hi")).toStrictEqual({ type: "content", content: [{ type: "text", text: "hi" }], isError: false });
    const blocks = [{ type: "text", text: "a" }] as const;
    expect(content(blocks, { summary: "s", isError: true })).toStrictEqual({
      type: "content",
      content: blocks,
      isError: true,
      summary: "s",
    });
  });

  test("end or pause the run", () => {
    expect(stop({ done: true })).toStrictEqual({ type: "stop", payload: { done: true } });
    expect(stop()).toStrictEqual({ type: "stop", payload: null });
    expect(interrupt("which one?")).toStrictEqual({ type: "interrupt", payload: "which one?" });
    expect(interrupt("?", { state: 0 })).toStrictEqual({ type: "interrupt", payload: "?", state: 0 });
  });

  test("are told from data that only looks like one", () => {
    expect([content("x"), stop(), interrupt(1)].every(isToolOutcome)).toBe(true);
    const alike = [
      { ...stop() },
      JSON.parse(JSON.stringify(stop())),
      { type: "stop", payload: null },
      null,
      "stop",
      undefined,
    ];
    expect(alike.some(isToolOutcome)).toBe(false);
  });

  test("are not read out of what throws when it is looked at, or says yes to everything", () => {
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new Error("you may not look");
        },
      },
    );
    expect([throwing, new Proxy({}, { get: () => true })].map(isToolOutcome)).toEqual([false, false]);
  });

  test("carry nothing but a text or a list, and a summary that is a text", () => {
    const made = content as (value: unknown, options?: object) => unknown;
    for (const value of [undefined, null, 7, {}, { type: "text", text: "x" }])
      expect(() => made(value)).toThrow(TypeError);
    expect(() => made("x", { summary: 7 })).toThrow(/content: summary: a text is expected/);
  });

  test("count across two copies of the module (TY-02)", () => {
    expect(secondCopy.stop).not.toBe(stop);
    expect([secondCopy.content("x"), secondCopy.stop(), secondCopy.interrupt(1)].every(isToolOutcome)).toBe(true);
    expect([content("x"), stop(), interrupt(1)].every(secondCopy.isToolOutcome)).toBe(true);
  });
});
