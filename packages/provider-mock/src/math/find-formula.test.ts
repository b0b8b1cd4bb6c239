import { describe, expect, it } from "vitest";
import { findFormula } from "./find-formula.js";
import { formatFormula, parseFormula } from "./formula.js";

function found(question: string): string | undefined {
  const formula = findFormula(question);
  return formula === undefined ? undefined : formatFormula(formula);
}

describe("findFormula", () => {
  it.each([
    ["What is 2+2?", "2 + 2"],
    ["12 × 7", "12 * 7"],
    ["Calculate 3 times 4 minus 5.", "3 * 4 - 5"],
    ["What's the sum of 1, 2 and 3?", "1 + 2 + 3"],
    ["Subtract 3 from 10", "10 - 3"],
    ["Add 3 to 10", "10 + 3"],
    ["What is the product of 4 and 5?", "4 * 5"],
    ["How much is 10 divided by 4?", "10 / 4"],
    ["What is 2 to the power of 10?", "2 ^ 10"],
    ["1,000,000 / 8", "1000000 / 8"],
    ["What is -3 * -(2 + 1)?", "(-3) * (0 - (2 + 1))"],
  ])("reads %j", (question, formula) => {
    expect(found(question)).toBe(formula);
  });

  it.each([
    "What happened on 2024-05-01?",
    "How does the retry policy of version 1.2.3 - 1.3 treat errors of providers?",
    "What is the answer?",
    "Which 3 files are there?",
    "What is 2 + ?",
    "(((((",
  ])("leaves %j to others", (question) => {
    expect(found(question)).toBeUndefined();
  });
});

describe("parseFormula", () => {
  it("knows precedence and which side operations bind to", () => {
    expect(parseFormula("2 - 3 - 4")).toEqual({ operator: "-", left: { operator: "-", left: 2, right: 3 }, right: 4 });
    expect(parseFormula("2 ^ 3 ^ 2")).toEqual({ operator: "^", left: 2, right: { operator: "^", left: 3, right: 2 } });
  });

  it("writes the parentheses that a formula needs and no others", () => {
    for (const text of ["2 - (3 - 4)", "2 - 3 - 4", "(2 + 3) * 4", "(2 ^ 3) ^ 2", "2 ^ (3 ^ 2)", "8 / (4 / 2)"]) {
      expect(formatFormula(parseFormula(text) ?? 0)).toBe(text);
    }
  });

  it("refuses what nests too deep instead of exhausting the stack", () => {
    expect(parseFormula(`${"(".repeat(100_000)}1${")".repeat(100_000)}`)).toBeUndefined();
    expect(parseFormula(`${"-".repeat(100_000)}1`)).toBeUndefined();
  });
});
