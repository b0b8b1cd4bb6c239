import { describe, expect, test } from "vitest";
import { checkRunPolicy } from "./check-run-policy.js";
import type { RunPolicy } from "./run-policy.js";

const EVERYTHING: Required<RunPolicy> = {
  limits: { maxModelCalls: 3, wallClockMs: 60_000 },
  retry: { maxAttempts: 2, initialDelayMs: 0, jitter: "none", codes: ["network"] },
  fallback: { codes: ["timeout"] },
  unknownTool: { type: "rewrite", tool: "search" },
  invalidArguments: { type: "fail" },
  approval: { effects: ["external"], tools: ["pay"], unclassified: true, withoutApprover: "ask" },
  toolExecution: "sequential",
  noProgress: { hintAfter: 1, refuseAfter: 2, stopAfter: 3 },
  onLimit: "finalize",
  strictTools: true,
  cancelGraceMs: 10,
};

describe("a run's policy", () => {
  test("is plain data: all of it survives JSON and is a policy again (MWH-08, CTX-07)", () => {
    expect(checkRunPolicy(JSON.parse(JSON.stringify(EVERYTHING)), "policies")).toEqual(EVERYTHING);
    expect(
      checkRunPolicy({ noProgress: false, unknownTool: { type: "fail" }, retry: undefined }, "policies"),
    ).toBeDefined();
  });

  test.each<[object | number | null, RegExp]>([
    [5, /^policies: an object/],
    [null, /^policies: an object/],
    [{ retrys: {} }, /^policies\.retrys: there is no such field; there are: .*retry/],
    [{ limits: { maxModelCall: 1 } }, /^policies\.limits\.maxModelCall: there is no such limit/],
    [{ limits: 5 }, /^policies\.limits: an object/],
    [{ limits: { maxToolCalls: -1 } }, /^policies\.limits\.maxToolCalls: a whole number/],
    [{ retry: { attempts: 2 } }, /^policies\.retry\.attempts: there is no such field/],
    [{ retry: { maxAttempts: 0 } }, /^policies\.retry\.maxAttempts: a whole number from 1 up/],
    [{ fallback: { codes: "network" } }, /^policies\.fallback\.codes: a list of codes/],
    [{ fallback: [] }, /^policies\.fallback: an object/],
    [{ unknownTool: "fail" }, /^policies\.unknownTool: an object with a type/],
    [{ unknownTool: null }, /^policies\.unknownTool: an object with a type/],
    [{ unknownTool: { type: "ignore" } }, /^policies\.unknownTool\.type: "return_error" or "fail" or "rewrite"/],
    [{ unknownTool: { type: "fail", tool: "x" } }, /^policies\.unknownTool\.tool: there is no such field/],
    [{ unknownTool: { type: "rewrite" } }, /^policies\.unknownTool\.tool: a text/],
    [{ invalidArguments: { type: "rewrite" } }, /^policies\.invalidArguments\.type: "return_error" or "fail"/],
    [{ invalidArguments: {} }, /^policies\.invalidArguments: an object with a type/],
    [{ approval: { effects: ["writes"] } }, /^policies\.approval\.effects: a list of effects/],
    [{ approval: { withoutApprover: "allow" } }, /^policies\.approval\.withoutApprover: "deny" or "ask"/],
    [{ approval: { tool: ["pay"] } }, /^policies\.approval\.tool: there is no such field/],
    [{ toolExecution: "serial" }, /^policies\.toolExecution: "parallel" or "sequential"/],
    [{ noProgress: true }, /^policies\.noProgress: an object/],
    [{ noProgress: { stopAfter: 0 } }, /^policies\.noProgress\.stopAfter: a whole number from 1 up/],
    [{ onLimit: "finalise" }, /^policies\.onLimit: "fail" or "finalize"/],
    [{ cancelGraceMs: 1.5 }, /^policies\.cancelGraceMs: a whole number/],
  ])("that cannot be is a TypeError that names the place and what is expected: %#", (wrong, message) => {
    expect(() => checkRunPolicy(wrong, "policies")).toThrow(TypeError);
    expect(() => checkRunPolicy(wrong, "policies")).toThrow(message);
  });
});
