import { expect, test } from "vitest";
import * as testkit from "../src/index.js";
import * as servers from "../src/servers/index.js";
import * as wire from "../src/wire/index.js";

test("the main entry exports these names at run time, and no others", () => {
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

test("the wire entry exports these names at run time, and no others", () => {
  expect(Object.keys(wire).sort()).toEqual(["anthropicWireServer", "ollamaWireServer", "openaiWireServer"]);
});

test("the servers entry exports these names at run time, and no others", () => {
  expect(Object.keys(servers).sort()).toEqual(["startMongodb", "startPostgres"]);
});
