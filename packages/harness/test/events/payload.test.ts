import { type AgentEvent, callbackSink, fanOut, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { keptRuns } from "../support/kept-runs.js";

const CANARIES = ["canary-prompt", "canary-answer", "canary-args", "canary-result", "canary-progress", "canary-error"];

/** An agent whose prompts, answers, arguments, results and errors can each be told by a word. */
function talkative(options: Partial<Parameters<typeof createAgent>[0]> = {}) {
  return createAgent({
    name: "a",
    model: scriptedModel([
      {
        text: "canary-answer",
        toolCalls: [
          { name: "look", args: { at: "canary-args" } },
          { name: "fail" },
          { name: "nothing", args: { at: "canary-args" } },
        ],
      },
      {
        text: "canary-answer",
        error: new TinyAgentsError("provider_bad_request", "canary-error", { details: { provider: "test" } }),
      },
    ]),
    tools: [
      fakeTool({
        name: "look",
        execute: async (_input, runtime) => {
          runtime.progress("canary-progress");
          return "canary-result";
        },
      }),
      fakeTool({ name: "fail", result: new Error("canary-error") }),
    ],
    ...options,
  });
}

const leaked = (value: unknown): readonly string[] => CANARIES.filter((word) => JSON.stringify(value).includes(word));

describe("what was said", () => {
  test("is in no event, unless a sink asks for it: errors say their code only (EVT-12, SE-08)", async () => {
    const events: AgentEvent[] = [];
    const sink = callbackSink((event) => void events.push(structuredClone(event)), { deltas: true });
    await talkative({ events: sink })
      .invoke("canary-prompt")
      .catch(() => {});
    expect(leaked(events)).toEqual([]);
    const failed = events.filter(
      ({ type }) => type === "tool.failed" || type === "model.failed" || type === "run.failed",
    );
    expect(failed.map(({ data }) => ("error" in data ? data.error?.code : undefined))).toEqual([
      undefined,
      "tool_failed",
      "provider_bad_request",
      "provider_bad_request",
    ]);
  });

  test("is all there for a sink that asks (EVT-12)", async () => {
    const events = eventRecorder({ deltas: true, payloads: true });
    await talkative({ events })
      .invoke("canary-prompt")
      .catch(() => {});
    expect(leaked(events.events)).toEqual(CANARIES);
  });

  test("reaches only those of several sinks that ask, and not a stream of events (EVT-12)", async () => {
    const quiet: AgentEvent[] = [];
    const full = eventRecorder({ payloads: true });
    const events = fanOut([full, callbackSink((event) => void quiet.push(structuredClone(event)))]);
    const streamed: unknown[] = [];
    await talkative({ events })
      .invoke("canary-prompt")
      .catch(() => {});
    for await (const item of talkative({ events }).stream("canary-prompt", { modes: ["events"] })) {
      streamed.push(structuredClone(item));
      if (streamed.length > 12) break;
    }
    expect(leaked(full.events)).toContain("canary-answer");
    expect(leaked(quiet)).toEqual([]);
    expect(leaked(streamed)).toEqual([]);
  });

  test("stays out of the events of hooks that fail and of runs that were cancelled for a reason (SE-08)", async () => {
    const events = eventRecorder({ payloads: false });
    const middleware = [{ name: "m", beforeModel: () => Promise.reject(new Error("canary-error")) }];
    await talkative({ events, middleware })
      .invoke("Go.")
      .catch(() => {});
    const controller = new AbortController();
    controller.abort("canary-error");
    await talkative({ events })
      .invoke("Go.", { signal: controller.signal })
      .catch(() => {});
    expect(events.ofType("middleware.failed")).toHaveLength(1);
    expect(events.ofType("run.failed").map(({ data }) => data.error.code)).toEqual(["middleware_failed", "cancelled"]);
    expect(leaked(events.events)).toEqual([]);
  });
});

describe("secrets of the application", () => {
  const secret = "canary-key-9f31";
  const script = [{ toolCalls: [{ name: "look" }] }, "done"];

  test("in context data, injected arguments and provider options are in no event, state or result (SE-08, CTX-05)", async () => {
    const events = eventRecorder({ deltas: true, payloads: true });
    const recorder = keptRuns();
    const look = fakeTool({
      name: "look",
      input: { type: "object", properties: { token: { type: "string" } }, required: ["token"] },
      inject: { token: ({ data }) => (data as { readonly token: string }).token },
      execute: async ({ token }) => `${token}`.length,
    });
    const model = scriptedModel(script);
    const agent = createAgent({
      name: "a",
      model,
      tools: [look],
      settings: { providerOptions: { test: { headers: { authorization: secret } } } },
      events,
      recorder,
    });
    const run = await agent.invoke("Go.", { data: { token: secret } });
    expect(look.calls[0]?.input).toEqual({ token: secret });
    expect(JSON.stringify([events.events, recorder.states, run])).not.toContain(secret);
    const sent = model.requests.map(({ providerOptions: _, ...rest }) => rest);
    expect(JSON.stringify(sent)).not.toContain(secret);
    expect(JSON.stringify(sent)).not.toContain("token");
  });

  test("in a cause are not in the error's own text, nor in its JSON (SE-08)", async () => {
    const model = scriptedModel([
      {
        error: new TinyAgentsError("provider_auth", "The key was refused.", {
          details: { provider: "test" },
          cause: new Error(`401 for ${secret}`),
        }),
      },
    ]);
    const error = await createAgent({ name: "a", model })
      .invoke("Go.")
      .catch((thrown) => thrown);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(secret);
    expect(error.cause.message).toContain(secret);
  });
});

describe("fragments", () => {
  test("are events only for sinks that ask, with their length (EVT-03, EVT-04)", async () => {
    const plain = eventRecorder();
    const asking = eventRecorder({ deltas: true, payloads: false });
    await talkative({ events: fanOut([plain, asking]) })
      .invoke("Go.")
      .catch(() => {});
    expect(plain.types().filter((type) => type.endsWith(".delta"))).toEqual([]);
    expect(
      asking
        .ofType("model.delta")
        .slice(0, 2)
        .map(({ data }) => data),
    ).toEqual([
      { callId: expect.any(String), deltaType: "text", chars: 13 },
      { callId: expect.any(String), deltaType: "tool_call_start", chars: 0 },
    ]);
    expect(asking.ofType("tool.delta").map(({ data }) => data)).toEqual([{ callId: "call_1", tool: "look" }]);
  });

  test("are numbered inside the event before them (EVT-11)", async () => {
    const events = eventRecorder({ deltas: true });
    const model = scriptedModel([{ text: "abc" }], { split: "characters" });
    await createAgent({ name: "a", model, events }).invoke("Go.", { runId: "r" });
    expect(
      events
        .ofType("model.delta")
        .slice(0, 3)
        .map(({ id, seq }) => [id, seq]),
    ).toEqual([
      ["r/2.1", 2],
      ["r/2.2", 2],
      ["r/2.3", 2],
    ]);
  });

  test("in a stream's events are left out: its messages have them (STM-04)", async () => {
    const agent = createAgent({ name: "a", model: scriptedModel(["hello"], { split: "characters" }) });
    const items = await toArray(agent.stream("Go.", { modes: ["events"] }));
    expect(items.map((item) => (item.type === "event" ? item.event.type : item.type))).not.toContain("model.delta");
  });
});
