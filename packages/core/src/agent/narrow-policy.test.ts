import { describe, expect, test } from "vitest";
import { narrowPolicy } from "./narrow-policy.js";
import type { RunPolicy } from "./run-policy.js";

describe("the policy of a run below another (CTX-07)", () => {
  test("is its parent's where it says nothing", () => {
    const parent: RunPolicy = {
      retry: { maxAttempts: 2, initialDelayMs: 5, codes: ["network"] },
      fallback: { codes: ["timeout"] },
      invalidArguments: { type: "fail" },
      unknownTool: { type: "fail" },
      approval: { effects: ["external"], withoutApprover: "ask" },
      toolExecution: "sequential",
      noProgress: { stopAfter: 3 },
      onLimit: "finalize",
      strictTools: true,
      cancelGraceMs: 50,
    };
    expect(narrowPolicy({}, parent)).toEqual(parent);
  });

  test("is its own under a parent that bounds it in nothing", () => {
    const own: RunPolicy = {
      retry: { maxAttempts: 2, codes: ["network"], initialDelayMs: 900 },
      fallback: { codes: ["timeout"] },
      unknownTool: { type: "rewrite", tool: "search" },
      invalidArguments: { type: "fail" },
      approval: { tools: ["pay"] },
      toolExecution: "sequential",
      noProgress: { hintAfter: 1, refuseAfter: 2, stopAfter: 3 },
      onLimit: "finalize",
      strictTools: true,
      cancelGraceMs: 10,
    };
    expect(narrowPolicy(own, {})).toMatchObject(own);
  });

  test("repeats a model call no more often than its parent's, nor after shorter waits", () => {
    const { retry } = narrowPolicy(
      { retry: { maxAttempts: 9, initialDelayMs: 1, factor: 1, maxDelayMs: 10, maxRetryAfterMs: 5 } },
      { retry: { maxAttempts: 4, initialDelayMs: 100, factor: 3, maxDelayMs: 1_000, maxRetryAfterMs: 50 } },
    );
    expect(retry).toEqual({
      maxAttempts: 4,
      initialDelayMs: 100,
      factor: 3,
      maxDelayMs: 1_000,
      maxRetryAfterMs: 50,
    });
    expect(narrowPolicy({ retry: { maxAttempts: 9 } }, {}).retry?.maxAttempts).toBe(3);
    expect(narrowPolicy({ retry: { maxAttempts: 2 } }, { retry: { maxAttempts: 4 } }).retry?.maxAttempts).toBe(2);
  });

  test("repeats and falls back for no code that its parent would not", () => {
    const own: RunPolicy = {
      retry: { codes: ["network", "provider_auth"] },
      fallback: { codes: ["timeout", "provider_billing"] },
    };
    const byDefault = narrowPolicy(own, {});
    expect([byDefault.retry?.codes, byDefault.fallback?.codes]).toEqual([["network"], ["timeout"]]);
    const named = narrowPolicy(own, { retry: { codes: ["provider_auth"] }, fallback: { codes: ["provider_billing"] } });
    expect([named.retry?.codes, named.fallback?.codes]).toEqual([["provider_auth"], ["provider_billing"]]);
    const unnamed = narrowPolicy(
      { retry: {}, fallback: {} },
      { retry: { codes: [] }, fallback: { codes: ["timeout"] } },
    );
    expect([unnamed.retry?.codes, unnamed.fallback?.codes]).toEqual([[], ["timeout"]]);
  });

  test("ends a run over an unknown tool or wrong arguments where its parent's does", () => {
    const own: RunPolicy = { unknownTool: { type: "return_error" }, invalidArguments: { type: "return_error" } };
    const parent: RunPolicy = { unknownTool: { type: "fail" }, invalidArguments: { type: "fail" } };
    expect(narrowPolicy(own, parent)).toMatchObject(parent);
    expect(narrowPolicy(parent, own)).toMatchObject(parent);
  });

  test("runs no other tool in the place of an unknown one where its parent's tells the model", () => {
    const rewrite: RunPolicy = { unknownTool: { type: "rewrite", tool: "search" } };
    expect(narrowPolicy(rewrite, { unknownTool: { type: "return_error", message: "Of mine." } }).unknownTool).toEqual({
      type: "return_error",
    });
    expect(narrowPolicy({}, rewrite).unknownTool).toBeUndefined();
    expect(narrowPolicy(rewrite, { unknownTool: { type: "rewrite", tool: "other" } }).unknownTool).toEqual(
      rewrite.unknownTool,
    );
  });

  test("asks for approval of whatever either asks for, and denies where either does", () => {
    const { approval } = narrowPolicy(
      { approval: { effects: ["write"], tools: ["pay"], withoutApprover: "ask" } },
      { approval: { effects: ["external"], tools: ["mail"], unclassified: true, withoutApprover: "deny" } },
    );
    expect(approval).toEqual({
      effects: ["write", "external"],
      tools: ["pay", "mail"],
      unclassified: true,
      withoutApprover: "deny",
    });
    const asks = narrowPolicy({ approval: { withoutApprover: "ask" } }, { approval: { tools: ["mail"] } });
    expect(asks.approval).toMatchObject({ tools: ["mail"], unclassified: false, withoutApprover: "ask" });
  });

  test("stops a run that repeats itself no later than its parent's, and cannot turn that off", () => {
    const parent: RunPolicy = { noProgress: { refuseAfter: 3 } };
    expect(narrowPolicy({ noProgress: false }, parent).noProgress).toEqual({
      hintAfter: 2,
      refuseAfter: 3,
      stopAfter: 6,
    });
    expect(narrowPolicy({ noProgress: false }, { noProgress: { stopAfter: 9 } }).noProgress).toMatchObject({
      stopAfter: 9,
    });
    expect(narrowPolicy({ noProgress: false }, {}).noProgress).toEqual({ hintAfter: 2, refuseAfter: 4, stopAfter: 6 });
    expect(narrowPolicy({ noProgress: { hintAfter: 9, refuseAfter: 1, stopAfter: 9 } }, parent).noProgress).toEqual({
      hintAfter: 2,
      refuseAfter: 1,
      stopAfter: 6,
    });
    expect(narrowPolicy({ noProgress: { stopAfter: 9 } }, { noProgress: false }).noProgress).toEqual({ stopAfter: 9 });
    expect(narrowPolicy({}, { noProgress: false }).noProgress).toBe(false);
  });

  test("asks for no last answer where its parent's says fail, and is strict where its parent's is", () => {
    expect(narrowPolicy({ onLimit: "finalize" }, { onLimit: "fail" }).onLimit).toBe("fail");
    expect(narrowPolicy({ onLimit: "fail" }, { onLimit: "finalize" }).onLimit).toBe("fail");
    expect(narrowPolicy({ strictTools: false }, { strictTools: true }).strictTools).toBe(true);
    expect(narrowPolicy({ toolExecution: "parallel" }, { toolExecution: "sequential" }).toolExecution).toBe(
      "sequential",
    );
    expect(narrowPolicy({ cancelGraceMs: 9_000 }, {}).cancelGraceMs).toBe(2_000);
  });
});
