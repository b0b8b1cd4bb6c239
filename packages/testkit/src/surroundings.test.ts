import { describe, expect, test } from "vitest";
import * as testkit from "./index.js";

describe("surroundings of a test (TST-07)", () => {
  test("are the same each time", async () => {
    const [one, other] = [testkit.testSurroundings(), testkit.testSurroundings()];
    expect([one.ids.next("run"), one.ids.next("run"), one.random(), one.random()]).toEqual([
      other.ids.next("run"),
      other.ids.next("run"),
      other.random(),
      other.random(),
    ]);
    await one.clock.advance(5);
    expect([one.clock.now(), other.clock.now()]).toEqual([5, 0]);
    expect(one.events.payloads).toBe(true);
  });

  test("start when they are told to, with another chance for another seed", () => {
    const one = testkit.testSurroundings({ startMs: 1_000, seed: 2 });
    expect(one.clock.now()).toBe(1_000);
    expect(one.random()).not.toBe(testkit.testSurroundings().random());
  });
});

test("seeded chance is spread over 0 up to 1, without 1", () => {
  const random = testkit.seededRandom(7);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 10_000; draw++) {
    const value = random();
    expect(value >= 0 && value < 1).toBe(true);
    counts[Math.floor(value * 10)]! += 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
});

test("an async iterable becomes an array, or throws what it throws", async () => {
  async function* numbers(fail: boolean) {
    yield 1;
    if (fail) throw new Error("no more");
    yield 2;
  }
  expect(await testkit.toArray(numbers(false))).toEqual([1, 2]);
  await expect(testkit.toArray(numbers(true))).rejects.toThrow("no more");
});

test("the package exports what its README names (TST-12)", () => {
  expect(Object.keys(testkit).sort()).toEqual([
    "eventRecorder",
    "failAt",
    "fakeChatModel",
    "fakeTool",
    "flakyTool",
    "gauge",
    "hangingTool",
    "scriptedModel",
    "seededRandom",
    "streamingModel",
    "testRuntime",
    "testSurroundings",
    "toArray",
    "trajectory",
  ]);
});
