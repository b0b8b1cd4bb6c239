import { describe, expect, test } from "vitest";
import { type ApprovalRequest, askWhenResumed, readApprovalAnswer } from "./approval.js";

describe("an answer to an approval", () => {
  test.each([
    [{ approve: true }],
    [{ approve: true, args: { a: 1 }, by: "Ada" }],
    [{ approve: false, reason: "too risky", by: "Ada" }],
  ])("is read as it is: %j", (answer) => {
    expect(readApprovalAnswer(answer)).toBe(answer);
  });

  test.each([
    [true],
    ["yes"],
    [null],
    [[]],
    [{}],
    [{ approve: "true" }],
    [{ approve: 1 }],
    [{ approve: true, args: [] }],
    [{ approve: true, args: null }],
    [{ approve: true, args: "x" }],
    [{ approve: false, reason: 1 }],
    [{ approve: true, by: 1 }],
  ])("is not guessed from %j", (answer) => {
    expect(readApprovalAnswer(answer)).toBeUndefined();
  });
});

test("the approver that decides nothing leaves it to whoever resumes the run", () => {
  expect(askWhenResumed.decide({} as ApprovalRequest, new AbortController().signal)).toBe("ask");
});
