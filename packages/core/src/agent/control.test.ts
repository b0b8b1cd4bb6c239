import { describe, expect, test } from "vitest";
import { TinyAgentsError } from "../errors.js";
import { type Control, strongerControl } from "./control.js";
import { isEnd, type Phase } from "./state.js";

const error = new TinyAgentsError("internal", "x", { details: { reason: "x" } });
const byRank: readonly Control[] = [
  { type: "retry" },
  { type: "jump", to: "model" },
  { type: "stop" },
  { type: "interrupt", payload: 1 },
  { type: "fail", error },
];

describe("of two controls", () => {
  test("the stronger is honoured, whichever came first (MWH-04)", () => {
    for (const [weak, one] of byRank.entries()) {
      for (const other of byRank.slice(weak + 1)) {
        expect(strongerControl(one, other)).toBe(other);
        expect(strongerControl(other, one)).toBe(other);
      }
    }
  });

  test("that are equals, the first is", () => {
    const first: Control = { type: "jump", to: "model" };
    const second: Control = { type: "jump", to: "end" };
    expect(strongerControl(first, second)).toBe(first);
  });

  test("one that was not asked for counts for nothing", () => {
    const stop: Control = { type: "stop" };
    expect(strongerControl(undefined, stop)).toBe(stop);
    expect(strongerControl(stop, undefined)).toBe(stop);
    expect(strongerControl(undefined, undefined)).toBeUndefined();
  });
});

test("nothing is due in three phases, and something in all others", () => {
  const phases: { readonly [P in Phase]: boolean } = {
    start: false,
    dispatch: false,
    parse: false,
    stop_check: false,
    tools: false,
    compact: false,
    validate: false,
    limit: false,
    finalize: false,
    paused: true,
    done: true,
    failed: true,
  };
  for (const [phase, ended] of Object.entries(phases)) expect(isEnd(phase as Phase), phase).toBe(ended);
});
