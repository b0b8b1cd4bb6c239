import { expect, it } from "vitest";

it("exports its factories and nothing else", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(["fileBackend"]);
});
