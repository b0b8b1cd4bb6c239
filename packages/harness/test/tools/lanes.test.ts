import { describe, expect, test } from "vitest";
import { Lanes, type Schedule } from "../../src/tools/schedule.js";

interface Job {
  readonly name: string;
  /** Whether it may run beside others. Default: yes. */
  readonly alone?: boolean;
  /** How it ends before `start` returns; absent when a test ends it later. */
  readonly atOnce?: "ended" | Error;
}

/** Lanes over some jobs, and a trace of what they did. */
function lanesOf(jobs: readonly Job[], { most = 10, goesOn = (): boolean => true } = {}) {
  const trace: string[] = [];
  const schedule: Schedule<Job> = {
    jobs,
    most,
    mayOverlap: ({ alone = false }) => !alone,
    goesOn,
    start({ name, atOnce }) {
      trace.push(name);
      if (atOnce === "ended") lanes.ended();
      else if (atOnce !== undefined) lanes.failed(atOnce);
    },
    allEnded() {
      trace.push("all");
    },
  };
  const lanes: Lanes<Job> = new Lanes(schedule);
  return { lanes, trace };
}

describe("the lanes that calls run in (TOOL-17, LIM-03)", () => {
  test("cost no promise when all jobs end at once", () => {
    const { lanes, trace } = lanesOf([
      { name: "a", atOnce: "ended" },
      { name: "b", atOnce: "ended" },
    ]);
    expect(lanes.run()).toBeUndefined();
    expect(trace).toEqual(["a", "b", "all"]);
  });

  test("start no more at once than they may, and the next as soon as one has ended", async () => {
    const { lanes, trace } = lanesOf([{ name: "a" }, { name: "b" }, { name: "c" }], { most: 2 });
    const running = lanes.run();
    expect(trace).toEqual(["a", "b"]);
    lanes.ended();
    expect(trace).toEqual(["a", "b", "c"]);
    lanes.ended();
    lanes.ended();
    await running;
    expect(trace.at(-1)).toBe("all");
  });

  test("let a job that must be alone wait for those before it, and those after it wait", async () => {
    const { lanes, trace } = lanesOf([{ name: "a" }, { name: "b" }, { name: "lone", alone: true }, { name: "c" }]);
    const running = lanes.run();
    expect(trace).toEqual(["a", "b"]);
    lanes.ended();
    expect(trace).toEqual(["a", "b"]);
    lanes.ended();
    expect(trace).toEqual(["a", "b", "lone"]);
    lanes.ended();
    expect(trace).toEqual(["a", "b", "lone", "c"]);
    lanes.ended();
    await running;
  });

  test("start nothing after a failure, and tell of the first when those under way have ended", async () => {
    const { lanes, trace } = lanesOf([{ name: "a" }, { name: "b" }, { name: "c" }], { most: 2 });
    const running = lanes.run();
    lanes.failed(new Error("first"));
    lanes.failed(new Error("second"));
    await expect(running).rejects.toThrow("first");
    expect(trace).toEqual(["a", "b"]);
  });

  test("throw at once what fails at once", () => {
    const { lanes, trace } = lanesOf([{ name: "a", atOnce: new Error("broken") }, { name: "b" }]);
    expect(() => lanes.run()).toThrow("broken");
    expect(trace).toEqual(["a"]);
  });

  test("leave the rest undone when the run does not go on, and end all the same", async () => {
    let goesOn: boolean = true;
    const { lanes, trace } = lanesOf([{ name: "a" }, { name: "b" }], { most: 1, goesOn: (): boolean => goesOn });
    const running = lanes.run();
    goesOn = false;
    lanes.ended();
    await running;
    expect(trace).toEqual(["a", "all"]);
  });
});
