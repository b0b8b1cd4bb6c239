import { abortError, manualClock, stop, tool } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeTool, flakyTool, gauge, hangingTool, testRuntime } from "./index.js";

describe("a fake tool (TST-04)", () => {
  test("records executions and returns results in order", async () => {
    const outcome = stop({ done: true });
    const search = fakeTool({ name: "search", results: [["a"], outcome, null] });
    const runtime = testRuntime(search, { callId: "call_7", attempt: 2 });
    expect(await search.execute({ q: 1 }, runtime)).toEqual(["a"]);
    expect(await search.execute({ q: 2 }, runtime)).toBe(outcome);
    expect(await search.execute({ q: 3 }, runtime)).toBeNull();
    expect(search.calls.map(({ input }) => input)).toEqual([{ q: 1 }, { q: 2 }, { q: 3 }]);
    expect(search.calls[0]).toMatchObject({ callId: "call_7", idempotencyKey: "run-1/call_7", attempt: 2 });
    search.assertDone();
  });

  test("throws scripted errors", async () => {
    const failure = new Error("no disk");
    const write = fakeTool({ name: "write", results: [failure, "done"] });
    await expect(write.execute({}, testRuntime(write))).rejects.toBe(failure);
    expect(await write.execute({}, testRuntime(write))).toBe("done");
  });

  test("says when results are left or did not suffice, since what a tool throws reaches the model alone", async () => {
    const search = fakeTool({ name: "search", results: ["a"] });
    expect(() => search.assertDone()).toThrow("has 1 results, and was executed 0 times");
    await search.execute({}, testRuntime(search));
    await expect(search.execute({}, testRuntime(search))).rejects.toThrow("has 1 results, and was executed 2 times");
    expect(() => search.assertDone()).toThrow("executed 2 times");
  });

  test("returns one result each time, or `ok`", async () => {
    const fixed = fakeTool({ name: "fixed", result: 42 });
    const plain = fakeTool({ name: "plain" });
    expect([await fixed.execute({}, testRuntime(fixed)), await fixed.execute({}, testRuntime(fixed))]).toEqual([
      42, 42,
    ]);
    expect(await plain.execute({}, testRuntime(plain))).toBe("ok");
  });

  test("runs a function with typed input", async () => {
    const add = fakeTool({
      name: "add",
      input: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    });
    expect(await add.execute({ a: 1, b: 2 }, testRuntime(add))).toBe(3);
    expect(add.calls[0]?.input.b).toBe(2);
    expect(add.spec.inputSchema).toMatchObject({ required: ["a", "b"] });
  });

  test("is declared to change nothing unless it says what it does", () => {
    expect(fakeTool({ name: "a" }).spec.policy).toEqual({ effect: "none" });
    expect(fakeTool({ name: "a", policy: { effect: "write" } }).spec.policy).toEqual({ effect: "write" });
  });

  test("refuses two ways to answer", () => {
    expect(() => fakeTool({ name: "a", result: 1, results: [] })).toThrow('"result" and "results" exclude each other');
  });

  test("waits for its gate and its delay, and stops when it is cancelled", async () => {
    const clock = manualClock();
    const slow = fakeTool({ name: "slow", gate: Promise.resolve(), delayMs: 10, clock });
    const result = slow.execute({}, testRuntime(slow));
    await slow.called();
    await clock.advance(10);
    expect(await result).toBe("ok");

    const controller = new AbortController();
    const stopped = slow.execute({}, testRuntime(slow, { signal: controller.signal }));
    await slow.called(2);
    controller.abort("enough");
    await expect(stopped).rejects.toEqual(abortError("enough"));
    expect(clock.timers).toBe(0);
  });
});

describe("a flaky tool (TST-04)", () => {
  test("fails so often and succeeds then", async () => {
    const fetcher = flakyTool({ name: "fetch", failures: 2, result: "page" });
    await expect(fetcher.execute({}, testRuntime(fetcher))).rejects.toThrow("failure 1 of 2");
    await expect(fetcher.execute({}, testRuntime(fetcher))).rejects.toThrow("failure 2 of 2");
    expect(await fetcher.execute({}, testRuntime(fetcher))).toBe("page");
    expect(fetcher.calls).toHaveLength(3);
  });

  test("throws the given error", async () => {
    const error = new Error("down");
    const fetcher = flakyTool({ name: "fetch", error });
    await expect(fetcher.execute({}, testRuntime(fetcher))).rejects.toBe(error);
  });
});

describe("a hanging tool (TST-04)", () => {
  test("fails as cancelled when its signal aborts", async () => {
    const controller = new AbortController();
    const hang = hangingTool({ name: "hang" });
    const result = hang.execute({}, testRuntime(hang, { signal: controller.signal }));
    await hang.called();
    controller.abort();
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    expect(hang.aborted).toBe(1);
  });

  test("goes on hanging when it ignores its signal, and notes it", async () => {
    const controller = new AbortController();
    const hang = hangingTool({ name: "hang", ignoreSignal: true });
    let settled = false;
    hang.execute({}, testRuntime(hang, { signal: controller.signal })).then(
      () => {
        settled = true;
      },
      () => {
        settled = true;
      },
    );
    controller.abort();
    await manualClock().advance(0);
    expect([hang.aborted, settled]).toEqual([1, false]);
  });
});

describe("a gauge (LIM-03)", () => {
  test("measures the most calls in flight at once, over several tools", async () => {
    const clock = manualClock();
    const meter = gauge();
    const [one, other] = ["one", "other"].map((name) => meter.tool(fakeTool({ name, delayMs: 10, clock })));
    const run = (measured: typeof one) => measured!.execute({}, testRuntime(measured!));
    const first = [run(one), run(other), run(one)];
    expect([meter.current, meter.highest]).toEqual([3, 3]);
    await clock.advance(10);
    await Promise.all(first);
    expect(meter.current).toBe(0);
    const last = run(other);
    await clock.advance(10);
    await last;
    expect([meter.highest, meter.total]).toEqual([3, 4]);
  });

  test("lets go of work that fails, at once or later", async () => {
    const meter = gauge();
    const broken = meter.tool(
      tool({
        name: "broken",
        description: "Fails.",
        input: { type: "object" },
        execute() {
          throw new Error("broken");
        },
      }),
    );
    await expect(broken.execute({}, testRuntime(broken))).rejects.toThrow("broken");
    await expect(meter.track(() => Promise.reject(new Error("late")))).rejects.toThrow("late");
    expect([meter.current, meter.total]).toEqual([0, 2]);
  });
});

describe("a test runtime", () => {
  test("remembers what a tool did with it", async () => {
    const subject = fakeTool({
      name: "report",
      async execute(_, runtime) {
        runtime.progress("half");
        runtime.run.emit("note", { n: 1 });
        return runtime.saveArtifact({ data: "é", mediaType: "text/plain", name: "a.txt" }) as Promise<unknown>;
      },
    });
    const runtime = testRuntime(subject, { data: { user: "u" } });
    expect(await subject.execute({}, runtime)).toEqual({
      key: ["artifact-1"],
      mediaType: "text/plain",
      bytes: 2,
      name: "a.txt",
    });
    expect(runtime.progressed).toEqual(["half"]);
    expect(runtime.emitted).toEqual([{ name: "note", payload: { n: 1 } }]);
    expect(runtime.artifacts).toHaveLength(1);
    expect(runtime.run.data).toEqual({ user: "u" });
    expect(() => runtime.run.stores.store("files")).toThrow('no store named "files"');
  });
});
