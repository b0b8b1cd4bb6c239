import {
  type AgentRun,
  type AgentStreamItem,
  addModelCall,
  type CostTotals,
  emptyUsage,
  toolMessage,
  type Usage,
} from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { footer } from "./footer.js";
import { printable } from "./printable.js";
import { renderer } from "./render.js";

type FooterRun = Pick<AgentRun<unknown>, "treeUsage" | "cost" | "counters" | "elapsedMs">;

function runOf(usage: Usage | undefined, more: Partial<FooterRun> = {}): AgentRun<unknown> {
  return {
    status: "completed",
    treeUsage: addModelCall(emptyUsage(), usage),
    counters: { steps: 9, modelCalls: 1, toolCalls: 2, retries: 0, corrections: 0 },
    elapsedMs: 1_234,
    ...more,
  } as AgentRun<unknown>;
}

function costOf(amount: string, currency: string, unpricedCalls: number): CostTotals {
  return { amount, currency, charged: "0", estimated: amount, unpricedCalls };
}

function shown(items: readonly AgentStreamItem[], color = false): string {
  const output: string[] = [];
  const screen = renderer({ write: (text) => void output.push(text), color });
  for (const item of items) screen.show(item);
  return output.join("");
}

const call = { runId: "r", callId: "c", tool: "read_file" };
const block = { id: "c", name: "read_file" };

describe("footer", () => {
  it("has tokens, cost, calls and time", () => {
    const usage = { inputTokens: 1_234_567, outputTokens: 8, source: "reported" as const };
    expect(footer(runOf(usage, { cost: costOf("0.02", "USD", 0) }))).toBe(
      "1,234,567 tokens in, 8 out | 0.02 USD | 1 model call, 2 tool calls | 1.2 s",
    );
  });

  it("says unpriced where there is no price, never zero (CST-06, CST-07)", () => {
    const usage = { inputTokens: 5, outputTokens: 8, source: "estimated" as const };
    expect(footer(runOf(usage))).toContain("5 tokens in, 8 out (estimated) | unpriced |");
    expect(footer(runOf(usage, { cost: costOf("1", "EUR", 2) }))).toContain("1 EUR and 2 unpriced calls");
  });

  it("prints no amount that is not a decimal number, and nothing that commands the terminal", () => {
    const cost = (amount: string, currency = "USD") => footer(runOf(undefined, { cost: costOf(amount, currency, 0) }));
    for (const amount of ["\u001b[2J", "1e9", "NaN", "", "1\n2", "9".repeat(31)]) {
      expect(cost(amount)).toContain(" | cost unreadable | ");
    }
    expect(cost("9".repeat(30))).toContain(`${"9".repeat(30)} USD`);
    expect(cost("1", "U\u009b\u061c\nSD")).toContain(" | 1 U SD | ");
    const counters = { modelCalls: "\u001b]0;x\u0007\n1", toolCalls: 0 } as unknown as FooterRun["counters"];
    expect(footer(runOf(undefined, { counters }))).toContain(" | ]0;x 1 model calls, ");
  });

  it("says when the true number of tokens is higher", () => {
    expect(footer(runOf(undefined))).toContain("0 tokens in, 0 out or more (some calls did not say)");
  });
});

describe("renderer", () => {
  it("shows text as it comes, and each call and result on a line of its own", () => {
    const output = shown([
      { type: "text", runId: "r", callId: "m", index: 0, text: "Let me look" },
      { type: "tool_started", ...call, args: { path: "a.md", fromLine: 2 } },
      { type: "tool_result", ...call, result: { ...toolMessage(block, "text"), summary: "3 lines" } },
      { type: "text", runId: "r", callId: "m", index: 0, text: "Done." },
      { type: "final", run: runOf(undefined) },
    ]);
    expect(output).toMatch(
      /^Let me look\n> read_file a\.md 2\n< 3 lines {2}read_file a\.md 2\nDone\.\n\n.*unpriced.*\n$/,
    );
  });

  it("marks a call that failed with the reason", () => {
    expect(shown([{ type: "tool_result", ...call, result: toolMessage(block, "no such\nfile", "failed") }])).toBe(
      "! no such file  read_file\n",
    );
  });

  it("says when an answer is incomplete, and when it starts again", () => {
    const incomplete = { ...runOf(undefined), status: "incomplete", finishReason: "length" } as const;
    expect(shown([{ type: "final", run: incomplete }])).toContain("(incomplete: length)");
    expect(shown([{ type: "restart", runId: "r", callId: "m", attempt: 2, reason: "network" }])).toBe(
      "(the answer starts again)\n",
    );
  });

  it("uses colours only when told to", () => {
    const item: AgentStreamItem = { type: "tool_started", ...call, args: {} };
    expect(shown([item])).toBe("> read_file\n");
    expect(shown([item], true)).toBe("\u001b[2m> read_file\u001b[0m\n");
  });

  it("lets nothing that a file or model says command the terminal", () => {
    expect(printable("a\u001b]0;title\u0007b\u009bc\r\n\td\u202e")).toBe("a]0;titlebc\n\td");
    expect(printable("a\u061cb\u0080c\u0085d\u009fe\u2028f")).toBe("abcdef");
    const summary = { ...toolMessage(block, "x"), summary: "2\n> lines" };
    expect(shown([{ type: "tool_result", ...call, result: summary }])).toBe("< 2 > lines  read_file\n");
    expect(shown([{ type: "tool_started", ...call, tool: "a\n< b", args: {} }])).toBe("> a < b\n");
    expect(shown([{ type: "text", runId: "r", callId: "m", index: 0, text: "\u001b[2Jhello\n" }])).toBe("[2Jhello\n");
    expect(shown([{ type: "tool_started", ...call, args: { path: "\u001b[2J" } }])).toBe("> read_file [2J\n");
  });
});
