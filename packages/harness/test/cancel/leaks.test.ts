import { getEventListeners, setMaxListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { manualClock, TinyAgentsError } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { fakeChatModel, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { z } from "zod";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes in use once nothing more can be freed. */
async function heap(): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const tools = [fakeTool({ name: "unused", input: z.object({}) })];
const clock = manualClock();
const given = { tools, clock, limits: { wallClockMs: 60_000 } };
const broken = new TinyAgentsError("provider_auth", "no key", { details: { provider: "test" } });
const finishing = createAgent({ name: "a", model: quietModel({ text: "Done." }), ...given });
const failing = createAgent({ name: "a", model: quietModel({ error: broken }), ...given });
const hanging = createAgent({ name: "a", model: quietModel({ text: "one two", hang: true }), ...given });

/** A model that keeps no record of its calls: that would be what grows. */
function quietModel(answer: Parameters<typeof fakeChatModel>[0]): ReturnType<typeof scriptedModel> {
  const model = (): ReturnType<typeof fakeChatModel> => fakeChatModel(answer, { split: "characters" });
  return { ...scriptedModel([]), stream: (request, call) => model().stream(request, call) };
}

/** One run of each end with this signal, except the one that a signal itself ends. */
async function runOfEachEnd(signal: AbortSignal): Promise<void> {
  await finishing.invoke("go", { signal });
  await failing.invoke("go", { signal }).catch(() => {});
  for await (const _ of hanging.stream("go", { signal })) break;
  const handle = hanging.start("go", { signal });
  handle.cancel();
  await handle.result.catch(() => {});
  await stepped(finishing, signal);
}

async function stepped(agent: Agent, signal: AbortSignal): Promise<void> {
  const state = await agent.step(agent.initialState("go"), { signal });
  await agent.step(state, { signal });
}

it("leaves no listener on a signal that 10,000 runs share, whatever their ends were, and the heap is flat (PF-01)", async () => {
  const shared = new AbortController().signal;
  setMaxListeners(0, shared);
  for (let i = 0; i < 400; i++) await runOfEachEnd(shared);
  const before = await heap();
  for (let i = 0; i < 2_000; i++) await runOfEachEnd(shared);
  const after = await heap();
  expect(getEventListeners(shared, "abort")).toHaveLength(0);
  expect(clock.timers).toBe(0);
  expect((after - before) / 10_000, "bytes per run").toBeLessThan(100);
}, 120_000);

it("leaves no listener when the shared signal itself ends a thousand runs (PF-01)", async () => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const runs = Array.from({ length: 1_000 }, () =>
    hanging.invoke("go", { signal: controller.signal }).catch((error) => error.code),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(controller.signal, "abort").length).toBeGreaterThan(0);
  controller.abort();
  expect(new Set(await Promise.all(runs))).toEqual(new Set(["cancelled"]));
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  expect(clock.timers).toBe(0);
});

it("adds no listener to the shared signal for what runs inside a run (PF-01)", async () => {
  const shared = new AbortController().signal;
  const child = createAgent({ name: "child", model: fakeChatModel("ok") });
  let most = 0;
  const look = fakeTool({
    name: "look",
    input: z.object({}),
    execute: (_, { signal }) => {
      signal.addEventListener("abort", () => {});
      most = Math.max(most, getEventListeners(shared, "abort").length);
    },
  });
  const calls = Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0 ? { name: "look" } : { name: "child", args: { task: "x" } },
  );
  const model = scriptedModel([{ toolCalls: calls }, { toolCalls: calls }, "Done."]);
  await createAgent({ name: "a", model, tools: [look, child.asTool({ description: "x" })], clock }).invoke("go", {
    signal: shared,
  });
  expect(most).toBe(1);
  expect(getEventListeners(shared, "abort")).toHaveLength(0);
});

it("leaves no listener for a stream that nobody ever reads (PF-01)", async () => {
  const shared = new AbortController().signal;
  for (let i = 0; i < 100; i++) finishing.stream("go", { signal: shared });
  expect(getEventListeners(shared, "abort")).toHaveLength(0);
});
