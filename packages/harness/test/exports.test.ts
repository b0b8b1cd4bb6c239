import * as harness from "@tinyagents/harness";
import { expect, test } from "vitest";

test("the package exports these names at run time, and no others", () => {
  expect(Object.keys(harness).sort()).toEqual(["createAgent", "readableStream", "runOf"]);
});
