import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changed, inBatch, STATES } from "../../../test/stored-states.js";
import { isTinyAgentsError } from "../../errors.js";
import type { JsonObject, JsonValue } from "../../json.js";
import { checkHistory } from "../../message/check-history.js";
import { isEnd } from "../state.js";
import { readStateFields } from "./fields.js";
import { readAgentState } from "./read-state.js";

/** Where the error says that something is wrong. */
function placeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return isTinyAgentsError(error, "corrupt_data") ? error.details.place : `no corrupt_data but ${String(error)}`;
  }
  return "it was read";
}

const APPROVAL = { type: "approval", id: "r", runId: "run-1", callId: "c", tool: "t", args: {}, argsJson: "{}" };
const TRACE = { calls: 1, results: null, place: 0 };

describe("a stored state", () => {
  it("is read as it is in every phase, from its text and from its value", () => {
    expect(new Set(STATES.map(({ phase }) => phase))).toEqual(
      new Set(["start", "dispatch", "parse", "tools", "stop_check", "finalize", "done", "paused", "failed"]),
    );
    for (const state of STATES) {
      expect(readAgentState(JSON.stringify(state))).toEqual(state);
      expect(readAgentState(state)).toEqual(state);
    }
  });

  it("is copied when it is read: nobody else holds the result", () => {
    const stored = inBatch();
    const read = readAgentState(stored);
    expect(read).toEqual(stored);
    expect(read.messages).not.toBe(stored.messages);
    expect(read.counters).not.toBe(stored.counters);
  });

  it("of a later format is refused", () => {
    expect(() => readAgentState({ ...inBatch(), v: 2 })).toThrow(
      expect.objectContaining({
        code: "version_mismatch",
        details: { place: "the run's state", expected: 1, found: 2 },
      }),
    );
  });

  it.each<[string, JsonValue | undefined]>([
    ["v", undefined],
    ["agent", 7],
    ["phase", "tool"],
    ["phase", "toString"],
    ["config", undefined],
    ["config.runId", null],
    ["config.tags", ["a", 1]],
    ["config.limits.maxToolCalls", -1],
    ["config.limits.maxConcurrency", 0],
    ["config.limits.wallClockMs", "soon"],
    ["messages", {}],
    ["messages.1.role", "robot"],
    ["messages.1.content", "text"],
    ["messages.1.content.0.text", undefined],
    ["messages.1.content.0.type", "smell"],
    ["messages.2.content.1.id", null],
    ["messages.2.content.1.args", []],
    ["newFrom", 99],
    ["attempt", 0],
    ["attempt", "2"],
    ["counters.steps", null],
    ["usage.totalTokens", -1],
    ["usageByModel.0.model.id", undefined],
    ["cost", { amount: "much", currency: "USD", unpricedCalls: 0 }],
    ["middleware", []],
    ["lastResponse.finishReason", "tired"],
    ["lastResponse.offered", "search"],
    ["config.unknownTool", { type: "shrug" }],
    ["config.unknownTool", { type: "rewrite" }],
    ["batch", []],
    ["batch.calls.0.callId", "call_9"],
    ["batch.calls.0.result", {}],
    ["batch.calls.0.waiting", "yes"],
    ["batch.calls.0.approvedArgsJson", "[1]"],
    ["edits", [{}]],
    ["recentBatches", [{ ...TRACE, place: -1 }]],
    ["limit", { limit: "patience", allowed: 1 }],
    ["finalizing", "yes"],
    ["output", { strategy: "guess" }],
    ["stop", { by: "chance", name: "x" }],
    ["requests", [{ type: "approval" }]],
    ["requests", [{ ...APPROVAL, argsJson: "[]" }]],
    ["resumeAt", "done"],
    ["error", "bad"],
  ])("with a wrong %s is refused, and the place is named", (path, value) => {
    const place = path.replaceAll(/\.(\d+)/g, "[$1]");
    expect(placeOf(() => readAgentState(changed(path, value)))).toContain(`the run's state.${place}`);
  });

  it("is called in errors what its reader calls it", () => {
    expect(placeOf(() => readAgentState(changed("agent", 7), "state.json"))).toBe("state.json.agent");
    expect(placeOf(() => readAgentState("{", "state.json"))).toBe("state.json");
  });

  it("with calls and results that do not belong together is refused", () => {
    const open = inBatch();
    expect(() => readAgentState({ ...open, batch: null, phase: "dispatch" })).toThrow(
      /unanswered_call for the tool call "call_1"/,
    );
    expect(placeOf(() => readAgentState({ ...open, phase: "dispatch" }))).toBe("the run's state.batch");
    expect(() => readAgentState(changed("batch.calls", []))).toThrow(/the history has 1 open calls/);
    const content: JsonValue = [];
    const result = { role: "tool", toolCallId: "call_9", name: "x", content, isError: false, status: "ok" };
    expect(placeOf(() => readAgentState(changed("batch.calls.0.result", result)))).toBe(
      "the run's state.batch.calls[0].result.toolCallId",
    );
  });

  it("that is no JSON, or nothing, or that tries for a prototype is refused", () => {
    for (const bad of ["", "{", "null", "[]", '{"v":1,"__proto__":{"phase":"done"}}', undefined as unknown as string]) {
      expect(placeOf(() => readAgentState(bad))).toBe("the run's state");
    }
    const cyclic: { [key: string]: unknown } = { ...inBatch() };
    cyclic.middleware = { me: cyclic };
    expect(placeOf(() => readAgentState(cyclic as JsonObject))).toBe("the run's state");
  });

  it("is read when images make it long, from its text and from its value", () => {
    const long = changed("metadata", "x".repeat(17 * 1024 * 1024));
    expect(readAgentState(long)).toEqual(long);
    expect(readAgentState(JSON.stringify(long))).toEqual(long);
  });

  it("is read without its history where that is kept elsewhere", () => {
    const { messages: _, ...stored } = inBatch();
    expect(readStateFields(stored, "entry.state")).toEqual(stored);
    expect(placeOf(() => readStateFields({ ...stored, repeats: null }, "entry.state"))).toBe("entry.state.repeats");
    expect(placeOf(() => readStateFields(undefined, "entry.state"))).toBe("entry.state");
  });
});

/** All places of a value: what holds it, and under which key. */
function places(value: unknown): { readonly holder: { [key: string]: JsonValue }; readonly key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as { [key: string]: JsonValue };
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...places(holder[key])]);
}

const ODD: readonly JsonValue[] = [null, true, -1, 0, 1.5, "", "x", "tools", "done", [], {}, [null], [{}]];

describe("a damaged state", () => {
  it("is refused with a typed error, or read with a history that is whole up to what is due", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom(undefined, ...ODD)), { minLength: 1, maxLength: 3 });
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(fc.constantFrom(...STATES), damage, (stored, changes) => {
        const state = structuredClone(stored);
        for (const [at, value] of changes) {
          const all = places(state);
          const { holder, key } = all[at % all.length]!;
          if (value === undefined) delete holder[key];
          else holder[key] = structuredClone(value);
        }
        try {
          const { phase, batch, messages } = readAgentState(state);
          if (batch === null && !isEnd(phase) && phase !== "parse" && phase !== "start") {
            expect(checkHistory(messages)).toEqual([]);
          }
          seen.read++;
        } catch (error) {
          if (!isTinyAgentsError(error)) throw error;
          expect(["corrupt_data", "version_mismatch"]).toContain(error.code);
          seen.refused++;
        }
      }),
      { numRuns: 1_000 },
    );
    expect(seen.read).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(200);
  });

  it("whose text was cut or doubled is refused with a typed error", () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATES.map((state) => JSON.stringify(state))), fc.nat(), (text, place) => {
        const at = place % text.length;
        for (const broken of [text.slice(0, at), text.slice(at + 1), `${text}${text}`]) {
          expect(placeOf(() => readAgentState(broken))).toBe("the run's state");
        }
      }),
    );
  });
});
