import { userMessage } from "@tinyagents/core";
import { expect, it } from "vitest";
import { runAll } from "../test/drive.js";
import { readTurn, sameCall } from "./turn.js";

const call = (name: string) => ({ name, args: { a: 1, b: 2 } });

it("a turn has the last question and the calls since, in their order", () => {
  const earlier = runAll([call("old")], 0, () => null);
  const first = runAll([call("one"), call("two")], 1, ({ name }) => name);
  const second = runAll([call("three")], 2, () => {
    throw new Error("oops");
  });
  const turn = readTurn([userMessage("Before?"), ...earlier, userMessage("Now?"), ...first, ...second]);
  expect(turn.question).toBe("Now?");
  expect(turn.calls.map(({ name, ok, text }) => [name, ok, text])).toEqual([
    ["one", true, "one"],
    ["two", true, "two"],
    ["three", false, "Error: oops"],
  ]);
});

it("a call without a result counts as failed", () => {
  const [asked] = runAll([call("one")], 0, () => null);
  expect(readTurn(asked === undefined ? [] : [userMessage("Now?"), asked]).calls).toMatchObject([
    { name: "one", ok: false },
  ]);
});

it("a call is the same when its arguments are, in whatever order", () => {
  const turn = readTurn([userMessage("Now?"), ...runAll([call("one")], 0, () => null)]);
  expect(sameCall(turn, "one", { b: 2, a: 1 })).toBeDefined();
  expect(sameCall(turn, "one", { a: 1 })).toBeUndefined();
  expect(sameCall(turn, "two", { a: 1, b: 2 })).toBeUndefined();
});
