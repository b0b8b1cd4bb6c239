import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedReport } from "../portable/expected.js";
import { type Bundle, bundle } from "../support/bundle.js";
import { startWorkerd, type Workerd } from "./start-workerd.js";
import type { WorkerAnswer } from "./worker.js";

let made: Bundle;
let workerd: Workerd | undefined;

beforeAll(async () => {
  made = await bundle(new URL("./worker.ts", import.meta.url), "workerd");
  workerd = await startWorkerd(made.code);
});

afterAll(() => workerd?.stop());

it("agents run in workerd as they do in Node: tools, streams, output, memory, cancellation, approval", async () => {
  const response = await fetch(workerd?.url ?? "");
  const { report } = (await response.json()) as WorkerAnswer;
  expect(report).toEqual(expectedReport("cfworker"));
});

it("the validator of workerd makes no code, which workerd forbids, and the other one is not even there", async () => {
  const response = await fetch(workerd?.url ?? "");
  expect(((await response.json()) as WorkerAnswer).forbidsCodeGeneration).toBe(true);
  expect(made.packages).toContain("@cfworker/json-schema");
  expect(made.packages).not.toContain("ajv");
});
