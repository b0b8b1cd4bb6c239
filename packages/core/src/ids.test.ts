import { expect, test } from "vitest";
import { randomIds, sequentialIds, systemRandom } from "./ids.js";

test("random ids say what they are for and never repeat", () => {
  const sources = [randomIds(), randomIds()];
  const ids = sources.flatMap((source) => Array.from({ length: 500 }, () => source.next("run")));
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => /^run_[0-9a-f-]{36}$/.test(id))).toBe(true);
});

test("sequential ids count from 1 per kind and per source", () => {
  const ids = sequentialIds();
  expect([ids.next("run"), ids.next("approval"), ids.next("run"), ids.next("approval")]).toEqual([
    "run-1",
    "approval-1",
    "run-2",
    "approval-2",
  ]);
  expect(sequentialIds().next("run")).toBe("run-1");
});

test("chance is a number from 0 up to 1, without 1, and not always the same", () => {
  const numbers = Array.from({ length: 200 }, systemRandom);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(numbers).size).toBeGreaterThan(1);
});
