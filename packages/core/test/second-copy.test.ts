import { describe, expect, expectTypeOf, test, vi } from "vitest";
import type { AnyTool, ContentOutcome, ErrorRecord, TinyAgentsError, ToolOutcome } from "../src/index.js";
import * as first from "../src/index.js";

vi.resetModules();
const second = await import("../src/index.js");

describe("values of a second installed copy (TY-02)", () => {
  test("are of another copy indeed", () => {
    expect(second.TinyAgentsError).not.toBe(first.TinyAgentsError);
    expect(second.content).not.toBe(first.content);
  });

  test("are recognised as errors, in both directions, with their code", () => {
    const details = { provider: "mock", retryAfterMs: 7 };
    const theirs = new second.TinyAgentsError("provider_rate_limit", "x", { details });
    const ours = new first.TinyAgentsError("provider_rate_limit", "x", { details });
    expect(first.isTinyAgentsError(theirs, "provider_rate_limit")).toBe(true);
    expect(second.isTinyAgentsError(ours, "provider_rate_limit")).toBe(true);
    expect(first.decideRetry({}, 1, theirs, () => 0)).toEqual({ retry: true, delayMs: 7 });
    expect(first.abortError(theirs)).toBe(theirs);
    expect(first.toolError("t", "c", theirs)).toBe(theirs);
  });

  test("are recognised as outcomes of tools", () => {
    expect([second.content("x"), second.stop(), second.interrupt(1)].every(first.isToolOutcome)).toBe(true);
    expect([first.content("x"), first.stop(), first.interrupt(1)].every(second.isToolOutcome)).toBe(true);
  });

  test("pass through a first copy's functions: tools, middleware, sinks, clocks", async () => {
    const made = second.tool({ name: "t", description: "", input: { type: "object" }, execute: () => second.stop(1) });
    expect(first.toolsByName([made]).get("t")).toBe(made);
    const clock = second.manualClock();
    const done = first.retryCall({}, { clock, random: () => 0, signal: undefined }, (attempt) => {
      if (attempt === 1) throw new second.TinyAgentsError("network", "x", { details: {} });
      return attempt;
    });
    await clock.advance(1);
    expect(await done).toBe(2);
  });
});

/** The public face of another copy's error class, as its declaration file has it. */
declare class OtherError<C extends first.ErrorCode = first.ErrorCode> extends Error {
  override readonly name: "TinyAgentsError";
  readonly code: C;
  readonly details: first.ErrorDetails[C];
  readonly retryable: boolean;
  readonly runId?: string;
  toJSON(): ErrorRecord<C>;
}

/** The same for an outcome. */
interface OtherContentOutcome {
  readonly type: "content";
  readonly content: readonly first.Block[];
  readonly summary?: string;
  readonly isError: boolean;
}

test("types of two copies that are built alike are assignable both ways (TY-02)", () => {
  expectTypeOf<OtherError<"network">>().toExtend<TinyAgentsError<"network">>();
  expectTypeOf<TinyAgentsError<"network">>().toExtend<OtherError<"network">>();
  expectTypeOf<OtherContentOutcome>().toExtend<ContentOutcome>();
  expectTypeOf<ContentOutcome>().toExtend<OtherContentOutcome>();
  expectTypeOf<ReturnType<typeof second.tool>>().toExtend<AnyTool>();
  // No type of ours has a key that is a symbol: those are what makes copies differ.
  type SymbolKeys<T> = Extract<keyof T, symbol>;
  expectTypeOf<SymbolKeys<TinyAgentsError>>().toEqualTypeOf<never>();
  expectTypeOf<SymbolKeys<ToolOutcome>>().toEqualTypeOf<never>();
  expectTypeOf<SymbolKeys<AnyTool>>().toEqualTypeOf<never>();
  expect(first.REDACTED).toBe(second.REDACTED);
});
