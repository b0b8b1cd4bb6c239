import { type AgentEvent, callbackSink, fanOut, redactingSink } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

const script = [{ text: "my key is sk-1234567890abcdef", toolCalls: [{ name: "look" }] }, "done"];
const agentOf = () => createAgent({ name: "a", model: scriptedModel(script), tools: [fakeTool({ name: "look" })] });

describe("a sink", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects later", async () => Promise.reject(new Error("disk full"))],
  ])("that %s fails neither the run nor another sink (EVT-12)", async (_, emit) => {
    const good = eventRecorder();
    const alone = await agentOf().invoke("Go.", { events: callbackSink(emit) });
    const beside = await agentOf().invoke("Go.", { events: fanOut([callbackSink(emit), good]) });
    expect([alone.text, beside.text]).toEqual(["done", "done"]);
    expect(good.types().at(-1)).toBe("run.completed");
    await new Promise((resolve) => setImmediate(resolve));
  });

  test("of the run stands in place of the agent's (EVT-12)", async () => {
    const [ofAgent, ofRun] = [eventRecorder(), eventRecorder()];
    const agent = createAgent({ name: "a", model: scriptedModel(["one", "two"]), events: ofAgent });
    await agent.invoke("Go.", { events: ofRun });
    expect([ofAgent.events.length, ofRun.events.length > 0]).toEqual([0, true]);
    await agent.invoke("Go.");
    expect(ofAgent.events.length).toBe(ofRun.events.length);
  });

  test("may have keys taken out before anything reaches it (EVT-12, SE-08)", async () => {
    const events = eventRecorder();
    await agentOf().invoke("and mine is hunter2222", { events: redactingSink(events, ["hunter2222"]) });
    const seen = JSON.stringify(events.events);
    expect(seen).toContain("my key is [redacted]");
    expect(seen).not.toMatch(/sk-1234|hunter2222/);
  });

  test("is called in order, at once, with envelopes that are plain JSON (EVT-11, EVT-12)", async () => {
    const seen: AgentEvent[] = [];
    const events = callbackSink((event) => void seen.push(event), { payloads: true });
    await agentOf().invoke("Go.", { events });
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1));
    for (const event of seen) expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event);
  });
});

test("every boundary of a run tells that it was passed (EVT-12)", async () => {
  const events = eventRecorder();
  const agent = createAgent({
    name: "a",
    model: scriptedModel(script),
    tools: [fakeTool({ name: "look" })],
    middleware: [{ name: "m", beforeModel: () => {}, afterTool: () => {} }],
  });
  await agent.invoke("Go.", { events });
  const around = ["middleware.started", "middleware.completed"];
  expect(events.types()).toEqual([
    "run.started",
    ...around,
    ...["model.started", "usage.recorded", "model.completed"],
    ...["tool.started", ...around, "tool.completed"],
    ...around,
    ...["model.started", "usage.recorded", "model.completed"],
    "run.completed",
  ]);
});

test("the events of a middleware name it and its hook (EVT-05, MWH-06)", async () => {
  const events = eventRecorder();
  const middleware = [{ name: "m", beforeAgent: () => {}, afterModel: async () => {} }];
  await createAgent({ name: "a", model: scriptedModel(["hi"]), middleware }).invoke("Go.", { events });
  expect(events.ofType("middleware.started").map(({ data }) => data)).toEqual([
    { middleware: "m", hook: "beforeAgent" },
    { middleware: "m", hook: "afterModel" },
  ]);
  expect(events.ofType("middleware.completed").map(({ data }) => data)).toEqual(
    events.ofType("middleware.started").map(({ data }) => data),
  );
});

test("events of the application come from tools and middleware, with its own name and payload (EVT-05)", async () => {
  const events = eventRecorder();
  const look = fakeTool({ name: "look", execute: async (_input, { run }) => run.emit("fog_seen", { dense: true }) });
  const middleware = [
    {
      name: "m",
      beforeAgent: (context: { emit(name: string, payload: string): void }) => context.emit("hello", "there"),
    },
  ];
  await createAgent({ name: "a", model: scriptedModel(script), tools: [look], middleware }).invoke("Go.", { events });
  expect(events.ofType("custom").map(({ data }) => data)).toEqual([
    { name: "hello", payload: "there" },
    { name: "fog_seen", payload: { dense: true } },
  ]);
});
