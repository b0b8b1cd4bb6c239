import { assistantMessage, type Message, systemMessage, type ThreadState, text, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type KeepSummaryOptions, keepSummary } from "./keep-summary.js";

const turn = (name: string): readonly Message[] => [userMessage(name), assistantMessage(`${name}!`)];
const turns = (...names: readonly string[]): readonly Message[] => names.flatMap(turn);
const summarize: KeepSummaryOptions["summarize"] = (messages) => userMessage(`[${messages.map(text).join(" ")}]`);

async function kept(options: KeepSummaryOptions, messages: readonly Message[]): Promise<readonly string[]> {
  const state = await keepSummary(options)({ v: 1, messages }, { threadId: "t", signal: undefined });
  return state.messages.map(text);
}

describe("keeping a summary of earlier turns (MEM-04)", () => {
  it("puts one message in their place, and keeps the newest whole", async () => {
    const options = { summarize, keepTurns: 1, maxTurns: 2 };
    expect(await kept(options, turns("a", "b", "c"))).toEqual(["[a a! b b!]", "c", "c!"]);
  });

  it("waits until there are too many, and then does not ask again before there are again", async () => {
    const options = { summarize, keepTurns: 2, maxTurns: 3 };
    expect(await kept(options, turns("a", "b", "c"))).toEqual(["a", "a!", "b", "b!", "c", "c!"]);
    const first = await keepSummary(options)(
      { v: 1, messages: turns("a", "b", "c", "d") },
      { threadId: "t", signal: undefined },
    );
    expect(first.messages.map(text)).toEqual(["[a a! b b!]", "c", "c!", "d", "d!"]);
    const third = [...first.messages, ...turn("e")];
    expect(await kept(options, third)).toEqual(third.map(text));
    const fourth = [...third, ...turn("f")];
    expect(await kept(options, fourth)).toEqual(["[[a a! b b!] c c! d d!]", "e", "e!", "f", "f!"]);
  });

  it("keeps five turns of at most ten, where nothing else is said", async () => {
    const names = [..."abcdefghijk"];
    expect(await kept({ summarize }, turns(...names.slice(0, 10)))).toHaveLength(20);
    expect(await kept({ summarize }, turns(...names))).toHaveLength(11);
  });

  it("keeps what middleware knows of the thread, and hands on the signal", async () => {
    const { signal } = new AbortController();
    const signals: unknown[] = [];
    const policy = keepSummary({
      keepTurns: 1,
      maxTurns: 1,
      summarize: (_, given) => {
        signals.push(given);
        return userMessage("[a]");
      },
    });
    const state: ThreadState = { v: 1, messages: turns("a", "b"), middleware: { notes: 1 } };
    const messages = [userMessage("[a]"), ...turn("b")];
    expect(await policy(state, { threadId: "t", signal })).toEqual({ ...state, messages });
    expect(signals).toEqual([signal]);
  });

  it.each([["a text"], [undefined], [systemMessage("[a]")], [assistantMessage("[a]")], [{ role: "user" }]])(
    "takes no summary that is no user message: %j",
    async (summary) => {
      const options = { summarize: () => summary as never, keepTurns: 1, maxTurns: 1 };
      await expect(kept(options, turns("a", "b"))).rejects.toMatchObject({
        code: "corrupt_data",
        details: { place: expect.stringMatching(/^summary/) },
      });
    },
  );

  it.each([{}, { summarize, keepTurns: 0 }, { summarize, keepTurns: 3, maxTurns: 2 }, { summarize, maxTurns: 1.5 }])(
    "refuses wrong options at once: %j",
    (options) => {
      expect(() => keepSummary(options as KeepSummaryOptions)).toThrow(TypeError);
    },
  );
});
