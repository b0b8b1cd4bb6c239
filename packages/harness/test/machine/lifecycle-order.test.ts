import { describe, expect, it } from "vitest";
import { tracedRun } from "../support/traced-run.js";

/** Where lines stand in a trace; each must be there once. */
function places(trace: readonly string[], ...lines: readonly string[]): readonly number[] {
  return lines.map((line) => {
    const at = trace.indexOf(line);
    if (at < 0) throw new Error(`"${line}" is not in the trace:\n${trace.join("\n")}`);
    if (trace.lastIndexOf(line) !== at) throw new Error(`"${line}" is in the trace more than once`);
    return at;
  });
}

function inOrder(trace: readonly string[], ...lines: readonly string[]): void {
  const found = places(trace, ...lines);
  expect(found, `the order of ${lines.join(", ")}`).toEqual(found.toSorted((one, other) => one - other));
}

it("goes through all 21 steps of a run in their order (LOOP-13)", async () => {
  const { trace, output } = await tracedRun();
  expect(trace).toEqual([
    // 1 to 3: the run is there, memory is loaded, input becomes messages.
    "event run.started",
    "memory.load",
    "event memory.loaded",
    // 4: instructions are worked out.
    "system prompt",
    "outer.beforeAgent",
    "inner.beforeAgent",
    // 5 to 7: model and tools are chosen, and everything is in the request that hooks see.
    "outer.beforeModel 3 messages 1 tools",
    "inner.beforeModel 3 messages 1 tools",
    // 8 and 9: the call inside the wraps, each fragment through the hooks.
    "event model.started",
    "outer.wrapModel begins",
    "inner.wrapModel begins",
    ...["Hm.", ...TWO_CALLS, "finish"].flatMap((delta) => [
      `outer.onModelDelta ${delta}`,
      `inner.onModelDelta ${delta}`,
    ]),
    "inner.wrapModel ends",
    "outer.wrapModel ends",
    // 10 and 11: hooks after the call, then its event.
    "inner.afterModel",
    "outer.afterModel",
    "event model.completed",
    // 12 and 13: calls are checked and hooks see them, before any runs.
    "check Oslo",
    "outer.beforeTool call_1",
    "inner.beforeTool call_1",
    "check Bergen",
    "outer.beforeTool call_2",
    "inner.beforeTool call_2",
    // 14 to 17: tools run, their progress and their results pass the hooks.
    ...toolRuns("call_1", "Oslo"),
    ...toolRuns("call_2", "Bergen"),
    // 18: once more, with the results.
    "outer.beforeModel 6 messages 1 tools",
    "inner.beforeModel 6 messages 1 tools",
    "event model.started",
    "outer.wrapModel begins",
    "inner.wrapModel begins",
    ...['{"coat":true}', "finish"].flatMap((delta) => [`outer.onModelDelta ${delta}`, `inner.onModelDelta ${delta}`]),
    "inner.wrapModel ends",
    "outer.wrapModel ends",
    "inner.afterModel",
    "outer.afterModel",
    "event model.completed",
    // 19: no calls are left, so the structured answer is checked.
    "check output",
    "event output.validated",
    "inner.afterAgent",
    "outer.afterAgent",
    // 20 and 21: memory, the last event, the run.
    "memory.save",
    "event memory.saved",
    "event run.completed",
    "item final",
  ]);
  expect(output).toEqual({ coat: true });
});

const ONE_CALL = ["tool_call_start", "tool_call_args", "tool_call_end"];
const TWO_CALLS = [...ONE_CALL, ...ONE_CALL];

function toolRuns(id: string, city: string): readonly string[] {
  return [
    "event tool.started",
    `outer.wrapTool begins ${id}`,
    `inner.wrapTool begins ${id}`,
    `execute ${city}`,
    `outer.onToolDelta ${id} {"asked":"${city}"}`,
    `inner.onToolDelta ${id} {"asked":"${city}"}`,
    `inner.wrapTool ends ${id}`,
    `outer.wrapTool ends ${id}`,
    `inner.afterTool ${id}`,
    `outer.afterTool ${id}`,
    "event tool.completed",
  ];
}

describe("each part of the lifecycle", () => {
  it("loads memory after the run has begun and before instructions are worked out (LOOP-02)", async () => {
    const { trace } = await tracedRun();
    inOrder(trace, "event run.started", "memory.load", "event memory.loaded", "system prompt", "outer.beforeAgent");
  });

  it("shows the first hook a request with instructions, memory, input and tools in it (LOOP-03)", async () => {
    const { trace } = await tracedRun();
    inOrder(trace, "system prompt", "outer.beforeModel 3 messages 1 tools");
  });

  it("lets fragments pass the hooks inside the call and before the hooks after it (LOOP-06)", async () => {
    const { trace } = await tracedRun();
    inOrder(trace, "outer.onModelDelta Hm.", "inner.onModelDelta Hm.", "outer.beforeTool call_1");
    expect(trace.indexOf("outer.onModelDelta Hm.")).toBeGreaterThan(trace.indexOf("inner.wrapModel begins"));
    expect(trace.indexOf("outer.onModelDelta Hm.")).toBeLessThan(trace.indexOf("inner.wrapModel ends"));
  });

  it("runs the hooks after a model call before its event (LOOP-07)", async () => {
    const { trace } = await tracedRun();
    expect(trace.indexOf("outer.afterModel")).toBe(trace.indexOf("event model.completed") - 1);
  });

  it("checks every call of a batch before any of them runs (LOOP-08)", async () => {
    const { trace } = await tracedRun();
    expect(trace.indexOf("check Bergen")).toBeLessThan(trace.indexOf("execute Oslo"));
  });

  it("runs the hooks before a tool once per call (LOOP-09)", async () => {
    const { trace } = await tracedRun();
    inOrder(trace, "outer.beforeTool call_1", "inner.beforeTool call_1", "execute Oslo");
    inOrder(trace, "outer.beforeTool call_2", "inner.beforeTool call_2", "execute Bergen");
  });

  it("lets progress and result of each call pass their hooks (LOOP-10)", async () => {
    const { trace } = await tracedRun();
    inOrder(
      trace,
      "execute Oslo",
      'outer.onToolDelta call_1 {"asked":"Oslo"}',
      "inner.afterTool call_1",
      "outer.afterTool call_1",
    );
  });

  it("checks a structured answer once, when no calls are left (LOOP-11)", async () => {
    const { trace } = await tracedRun();
    inOrder(trace, "outer.afterTool call_2", "check output", "event output.validated");
  });

  it("saves memory, then tells of the end, then gives the run (LOOP-12)", async () => {
    const { trace } = await tracedRun();
    inOrder(trace, "memory.save", "event memory.saved", "event run.completed", "item final");
    expect(trace.at(-1)).toBe("item final");
  });
});
