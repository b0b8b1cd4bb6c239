import { expect, test } from "vitest";
import { oncePer } from "./once-per.js";

test("a thing is made once for each object", () => {
  let made = 0;
  const numbered = oncePer((_: object) => ++made);
  const [one, other] = [{}, {}];
  expect([numbered(one), numbered(other), numbered(one)]).toEqual([1, 2, 1]);
});
