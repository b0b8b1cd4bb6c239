import { expect, test } from "vitest";
import { byStatements, byStore } from "./checkpoints-workload.js";

test.each([
  ["the store", byStore],
  ["statements", byStatements],
])("%s write and read the same checkpoints", async (_, create) => {
  const thread = create("normal");
  await thread.write(120);
  expect(await thread.load()).toBe(20);
  expect(await thread.history()).toBe(120);
  await thread.close();
});
