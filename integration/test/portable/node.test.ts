import { expect, it } from "vitest";
import { expectedReport } from "./expected.js";
import { program } from "./program.js";

it("the portable program does in Node what it does in a worker and in a browser", async () => {
  expect(await program()).toEqual(expectedReport("ajv"));
});
