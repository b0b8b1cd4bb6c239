import { type StreamMode, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const FLOOD = 5_000;

/** An agent whose one tool tells of its progress, again and again, without ever waiting. */
function flooding() {
  const flood = tool({
    name: "flood",
    description: "Tells of everything.",
    input: z.object({}),
    policy: { effect: "none" },
    execute: async (_input, runtime) => {
      for (let i = 1; i <= FLOOD; i++) {
        runtime.progress(i);
        runtime.run.emit("told", i);
      }
      return "done";
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: "flood" }] }, "fine"]);
  return createAgent({ name: "a", model, tools: [flood] });
}

async function slowly(...modes: StreamMode[]) {
  const stream = flooding().stream("Go.", { modes });
  const first = await stream.next();
  await new Promise<void>((resolve) => setImmediate(resolve));
  return { stream, items: [...(first.done ? [] : [first.value]), ...(await toArray(stream))] };
}

describe("progress that a tool floods its readers with", () => {
  test("waits for a slow reader up to 1,024 items; of more, the oldest are dropped and counted (STM-06)", async () => {
    const { stream, items } = await slowly("tools");
    const progress = items.filter((item) => item.type === "tool_progress");
    expect(progress.at(-1)).toMatchObject({ delta: FLOOD });
    expect(progress.length).toBeLessThanOrEqual(1_024);
    expect(stream.dropped).toBe(FLOOD - progress.length);
  });

  test("costs the reader nothing but progress (STM-06)", async () => {
    const { items } = await slowly("tools");
    expect(items.filter(({ type }) => type !== "tool_progress").map(({ type }) => type)).toEqual([
      "tool_started",
      "tool_result",
    ]);
  });

  test("is bounded as events too, and every other event is there (STM-06)", async () => {
    const { stream, items } = await slowly("events");
    const types = items.flatMap((item) => (item.type === "event" ? [item.event.type] : []));
    expect(types.filter((type) => type === "custom").length + stream.dropped).toBe(FLOOD);
    expect(stream.dropped).toBeGreaterThanOrEqual(FLOOD - 1_024);
    expect(types.filter((type) => type !== "custom")).toEqual([
      "run.started",
      "model.started",
      "usage.recorded",
      "model.completed",
      "tool.started",
      "tool.completed",
      "model.started",
      "usage.recorded",
      "model.completed",
      "run.completed",
    ]);
  });

  test("is bounded by an observer's capacity (STM-06)", async () => {
    const handle = flooding().start("Go.");
    const observer = handle.subscribe({ modes: ["tools"] });
    await handle.result;
    expect(observer.dropped).toBe(FLOOD + 2 - 1_024);
    expect(await toArray(observer)).toHaveLength(1_024);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "many"])(
    "has no capacity of %s: that is refused (STM-06)",
    (capacity) => {
      const handle = flooding().start("Go.");
      expect(() => handle.subscribe({ capacity: capacity as number })).toThrow(/^capacity: a whole number/);
    },
  );
});
