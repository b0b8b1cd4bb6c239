import { type Message, type Middleware, text, toolCalls } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, toArray } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { threads } from "../support/threads.js";
import { resultStatuses, transcript } from "../support/transcript.js";

const KEYED = z.object({ key: z.string() });

function echo(ran: string[]): ReturnType<typeof fakeTool<typeof KEYED>> {
  return fakeTool({
    name: "echo",
    input: KEYED,
    execute: ({ key }) => {
      ran.push(key);
      return key;
    },
  });
}

it("puts instructions first, then what the thread remembers, then the input (LOOP-02)", async () => {
  const said = (words: string): Message => ({ role: "user", content: [{ type: "text", text: words }] });
  const memory = threads({ t1: { v: 1, messages: [said("earlier")] } });
  const model = scriptedModel(["Fine."]);
  const run = await createAgent({ name: "a", model, system: "Be brief.", memory }).invoke("now", { threadId: "t1" });
  expect(model.requests[0]?.messages.map((message) => text(message))).toEqual(["Be brief.", "earlier", "now"]);
  expect(run.newMessages.map((message) => text(message))).toEqual(["now", "Fine."]);
  expect(memory.saves.map(({ state }) => state.messages.map((message) => text(message)))).toEqual([
    ["earlier", "now", "Fine."],
  ]);
});

it("shows the first hook everything that the request will have: messages, tools and settings (LOOP-03)", async () => {
  const seen: unknown[] = [];
  const model = scriptedModel(["Fine."]);
  const agent = createAgent({
    name: "a",
    model,
    system: ({ config }) => `Tenant ${String(config.configurable.tenant)}.`,
    tools: [echo([])],
    settings: { temperature: 0.5 },
    middleware: [
      { name: "look", beforeModel: (request) => void seen.push({ ...request, messages: request.messages.map(text) }) },
    ],
  });
  await agent.invoke("hello", { configurable: { tenant: "blue" } });
  expect(seen).toMatchObject([{ messages: ["Tenant blue.", "hello"], temperature: 0.5, tools: [{ name: "echo" }] }]);
  expect(model.requests[0]).toMatchObject({ temperature: 0.5, tools: [{ name: "echo" }] });
});

it("refuses tools for a model whose profile rules them out, before it is asked (LOOP-04)", async () => {
  const model = scriptedModel(["never"], { profile: { capabilities: { tools: "no" } } });
  const { error } = await failureOf(createAgent({ name: "a", model, tools: [echo([])] }).invoke("hello"));
  expect(error).toMatchObject({ code: "capability_missing", details: { capabilities: ["tools"] } });
  expect(model.calls).toHaveLength(0);
});

it("lets a hook choose the tools of a call, knowing what the request is for (LOOP-04, LOOP-05)", async () => {
  const model = scriptedModel(["Fine."]);
  const none: Middleware = { name: "none", beforeModel: (request) => ({ replace: { ...request, tools: [] } }) };
  await createAgent({ name: "a", model, tools: [echo([])], middleware: [none] }).invoke("hello");
  expect(model.requests[0]?.tools).toEqual([]);
});

it("sends what hooks before the call made of the request, in the order of the list (LOOP-05)", async () => {
  const model = scriptedModel(["Fine."]);
  const says = (name: string): Middleware => ({
    name,
    beforeModel: (request) => ({
      replace: {
        ...request,
        messages: [...request.messages, { role: "user", content: [{ type: "text", text: name }] }],
      },
    }),
  });
  const run = await createAgent({ name: "a", model, middleware: [says("one"), says("two")] }).invoke("hello");
  expect(model.requests[0]?.messages.map(text)).toEqual(["hello", "one", "two"]);
  expect(run.messages.map(text)).toEqual(["hello", "Fine."]);
});

it("shows watchers the fragments that the delta hooks made, and adds those up (LOOP-06)", async () => {
  const loud: Middleware = {
    name: "loud",
    onModelDelta: (delta) => (delta.type === "text" ? { ...delta, text: delta.text.toUpperCase() } : undefined),
  };
  const agent = createAgent({
    name: "a",
    model: scriptedModel(["so", "so"], { split: "characters" }),
    middleware: [loud],
  });
  const items = await toArray(agent.stream("hello"));
  expect(items.flatMap((item) => (item.type === "text" ? [item.text] : []))).toEqual(["S", "O"]);
  expect((await agent.invoke("hello")).text).toBe("SO");
});

it("puts into the history, and into the event, what the hooks after the call made of the answer (LOOP-07)", async () => {
  const events = eventRecorder();
  const tidy: Middleware = {
    name: "tidy",
    afterModel: (response) => ({
      replace: { ...response, message: { ...response.message, content: [{ type: "text", text: "tidied" }] } },
    }),
  };
  const run = await createAgent({ name: "a", model: scriptedModel(["raw"]), middleware: [tidy], events }).invoke(
    "hello",
  );
  expect(transcript(run.messages)).toEqual(["user: hello", "assistant: tidied"]);
  expect(events.ofType("model.completed")[0]?.data.payload?.content).toEqual([{ type: "text", text: "tidied" }]);
});

it("runs none of a batch when a later call of it ends the run (LOOP-08)", async () => {
  const ran: string[] = [];
  const agent = createAgent({
    name: "a",
    model: scriptedModel([{ toolCalls: [{ name: "echo", args: { key: "x" } }, { name: "nobody" }] }]),
    tools: [echo(ran)],
    policies: { unknownTool: { type: "fail" } },
  });
  const { error, run } = await failureOf(agent.invoke("hello"));
  expect(error.code).toBe("tool_not_found");
  expect(ran).toEqual([]);
  expect(resultStatuses(run.messages)).toEqual(["echo#call_1 not_run", "nobody#call_2 not_run"]);
});

it("appends results in the order of the calls, whatever finished first (LOOP-10)", async () => {
  const done: string[] = [];
  let second: () => void = () => {};
  const secondDone = new Promise<void>((resolve) => {
    second = resolve;
  });
  const agent = createAgent({
    name: "a",
    model: scriptedModel([
      {
        toolCalls: [
          { name: "echo", args: { key: "slow" } },
          { name: "echo", args: { key: "quick" } },
        ],
      },
      "Fine.",
    ]),
    tools: [
      fakeTool({
        name: "echo",
        input: KEYED,
        execute: async ({ key }) => {
          if (key === "slow") await secondDone;
          done.push(key);
          second();
          return key;
        },
      }),
    ],
  });
  const run = await agent.invoke("hello");
  expect(done).toEqual(["quick", "slow"]);
  expect(transcript(run.messages).slice(2, 4)).toEqual(["tool: echo#call_1 ok slow", "tool: echo#call_2 ok quick"]);
});

it("calls the model again until an answer has no calls, and checks a structured answer only then (LOOP-11)", async () => {
  const checks: unknown[] = [];
  const agent = createAgent({
    name: "a",
    model: scriptedModel([{ text: '{"n":1}', toolCalls: [{ name: "echo", args: { key: "x" } }] }, { text: '{"n":2}' }]),
    tools: [echo([])],
    output: {
      strategy: "native",
      schema: z.object({ n: z.number() }).refine((value) => {
        checks.push(value);
        return true;
      }),
    },
  });
  const run = await agent.invoke("hello");
  expect(run.output).toEqual({ n: 2 });
  expect(checks).toEqual([{ n: 2 }]);
  expect(run.messages.filter((message) => toolCalls(message).length > 0)).toHaveLength(1);
});

it("gives the run's end and tells of it only when memory has been saved (LOOP-12)", async () => {
  const events = eventRecorder();
  const memory = threads();
  const failing = { ...memory, save: () => Promise.reject(new Error("disk full")) };
  const agent = createAgent({ name: "a", model: scriptedModel(["Fine."]), memory: failing, events });
  const { error, run } = await failureOf(agent.invoke("hello", { threadId: "t1" }));
  expect(error).toMatchObject({ code: "memory_failed", details: { threadId: "t1", operation: "save" } });
  expect(events.ofType("run.completed")).toEqual([]);
  expect(run).toMatchObject({ status: "failed", text: "Fine." });
  const again = await createAgent({ name: "a", model: scriptedModel([]), memory }).resume(run.state);
  expect(again).toMatchObject({ status: "completed", text: "Fine." });
  expect(memory.saves).toHaveLength(1);
});
