import type { AgentStreamItem, StreamMode } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import {
  eventRecorder,
  fakeTool,
  hangingTool,
  scriptedModel,
  streamingModel,
  testSurroundings,
  toArray,
} from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

const script = [{ text: "Let me look.", toolCalls: [{ name: "look" }] }, "There is fog."];
const agentOf = () =>
  createAgent({
    name: "a",
    model: scriptedModel(script, { split: "characters" }),
    tools: [fakeTool({ name: "look" })],
  });

/** What a run amounts to, its own time left out. */
async function outcome(watch: (handle: ReturnType<ReturnType<typeof agentOf>["start"]>) => unknown) {
  const events = eventRecorder();
  const { clock, ids } = testSurroundings();
  const handle = agentOf().start("Go.", { runId: "r", clock, ids, events });
  watch(handle);
  const run = await handle.result;
  return { text: run.text, messages: run.messages, counters: run.counters, usage: run.usage, events: events.events };
}

describe("a run in the background", () => {
  test("goes on by itself, and gives its id at once and its result later", async () => {
    const handle = agentOf().start("Go.", { runId: "r" });
    expect(handle.runId).toBe("r");
    expect((await handle.result).text).toBe("There is fog.");
  });

  test("has all items for whoever subscribes at once, in the modes that they ask for (STM-06)", async () => {
    const handle = agentOf().start("Go.");
    const types = async (...modes: StreamMode[]) =>
      (await toArray(handle.subscribe({ modes }))).map((item) => (item.type === "event" ? item.event.type : item.type));
    const [events, tools, final, all] = await Promise.all([
      types("events"),
      types("tools"),
      types("final"),
      toArray(handle.subscribe()),
    ]);
    expect([events[0], events.at(-1)]).toEqual(["run.started", "run.completed"]);
    expect(tools).toEqual(["tool_started", "tool_result"]);
    expect(final).toEqual(["final"]);
    expect(new Set(all.map(({ type }) => type))).toEqual(
      new Set([
        "text",
        "tool_call_start",
        "tool_call_args",
        "message",
        "tool_started",
        "tool_result",
        "usage",
        "update",
        "final",
      ]),
    );
  });

  test("shows a later observer what comes from then on, and one after its end nothing (STM-06)", async () => {
    const hanging = fakeTool({ name: "look", gate: new Promise((resolve) => setImmediate(resolve)) });
    const agent = createAgent({ name: "a", model: scriptedModel(script), tools: [hanging] });
    const handle = agent.start("Go.");
    await hanging.called();
    const late = toArray(handle.subscribe({ modes: ["messages"] }));
    await handle.result;
    expect((await late).filter(({ type }) => type === "message")).toHaveLength(1);
    expect(await toArray(handle.subscribe())).toEqual([]);
  });

  test("comes out the same without observers, and with ones that stall, leave or throw (STM-06)", async () => {
    const alone = await outcome(() => {});
    const modes: StreamMode[] = ["messages", "tools", "usage", "updates", "events", "final"];
    const watched = [
      await outcome((handle) => handle.subscribe({ modes })),
      await outcome((handle) => handle.subscribe({ modes, capacity: 1 })),
      await outcome(async (handle) => {
        for await (const _ of handle.subscribe({ modes })) break;
      }),
      await outcome((handle) => {
        void (async () => {
          for await (const _ of handle.subscribe({ modes })) throw new Error("the observer broke");
        })().catch(() => {});
      }),
      await outcome((handle) =>
        Promise.all([toArray(handle.subscribe({ modes })), toArray(handle.subscribe({ modes }))]),
      ),
    ];
    for (const other of watched) expect(other).toEqual(alone);
  });

  test("drops the oldest items of an observer that is too slow, and counts them (STM-06)", async () => {
    const agent = createAgent({ name: "a", model: streamingModel({ text: "0123456789" }) });
    const handle = agent.start("Go.");
    const slow = handle.subscribe({ modes: ["messages"], capacity: 4 });
    await handle.result;
    expect(slow.dropped).toBe(7);
    const left = await toArray(slow);
    expect(left.map((item) => (item.type === "text" ? item.text : item.type))).toEqual(["7", "8", "9", "message"]);
  });

  test("keeps nothing for an observer that has left (STM-06)", async () => {
    const agent = createAgent({ name: "a", model: streamingModel({ text: "0123456789" }) });
    const handle = agent.start("Go.");
    const leaving = handle.subscribe({ modes: ["messages"] });
    expect((await leaving.next()).done).toBe(false);
    await leaving.return?.();
    await handle.result;
    expect([leaving.dropped, await leaving.next()]).toEqual([0, { value: undefined, done: true }]);
  });

  test("ends when it is cancelled: its result rejects, its observers end", async () => {
    const hanging = hangingTool({ name: "hang" });
    const model = scriptedModel([{ toolCalls: [{ name: "hang" }] }]);
    const handle = createAgent({ name: "a", model, tools: [hanging] }).start("Go.");
    const items: Promise<AgentStreamItem[]> = toArray(handle.subscribe({ modes: ["tools"] }));
    await hanging.called();
    handle.cancel("no longer needed");
    await expect(handle.result).rejects.toMatchObject({ code: "cancelled", details: { reason: "no longer needed" } });
    expect((await items).map(({ type }) => type)).toEqual(["tool_started", "tool_result"]);
  });

  test("that fails, and whose result nobody reads, brings no process down", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    createAgent({ name: "a", model: scriptedModel([]), limits: { maxModelCalls: 0 } }).start("Go.");
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("asks the model for whole blocks while nobody watches its messages (PF-02)", async () => {
    const model = scriptedModel(["one", "two"]);
    const agent = createAgent({ name: "a", model });
    await agent.start("Go.").result;
    const handle = agent.start("Go.");
    await toArray(handle.subscribe({ modes: ["messages"] }));
    expect(model.calls.map(({ delivery }) => delivery)).toEqual(["whole", "incremental"]);
  });
});
