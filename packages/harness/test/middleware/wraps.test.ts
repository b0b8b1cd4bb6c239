import {
  type ChatModel,
  type Middleware,
  type ModelRequest,
  TinyAgentsError,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel, testSurroundings, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";

const network = (): TinyAgentsError => new TinyAgentsError("network", "reset", { details: {} });

/** Tries again at once, whatever it was. */
function retrying(attempts: number, owns: Middleware["owns"]): Middleware {
  return {
    name: "retrying",
    ...(owns === undefined ? {} : { owns }),
    async *wrapModel(request, _context, next) {
      for (let attempt = 1; ; attempt++) {
        try {
          return yield* next(request);
        } catch (error) {
          if (attempt >= attempts) throw error;
          yield { type: "restart", attempt: attempt + 1, reason: "again" };
        }
      }
    },
  };
}

describe("a wrap around the model", () => {
  test("may repeat the call: the answer is that of the last attempt (MWH-03)", async () => {
    const model = scriptedModel([{ text: "broken", error: network() }, "whole"]);
    const agent = createAgent({ name: "a", model, middleware: [retrying(2, ["retry"])] });
    expect((await agent.invoke("Go.")).text).toBe("whole");
  });

  test("that owns retries is the only one that repeats (MWH-03)", async () => {
    const once = scriptedModel([{ error: network() }, "never"]);
    const owner: Middleware = { name: "never again", owns: ["retry"] };
    const { error } = await failureOf(createAgent({ name: "a", model: once, middleware: [owner] }).invoke("Go."));
    expect([error.code, once.calls.length]).toEqual(["network", 1]);
    const { clock } = testSurroundings();
    const twice = scriptedModel([{ error: network() }, "after all"]);
    const running = createAgent({ name: "a", model: twice, middleware: [{ name: "other" }] }).invoke("Go.", { clock });
    await clock.advance(60_000);
    expect((await running).text).toBe("after all");
  });

  test("may fall back to another request (MWH-03)", async () => {
    const model = scriptedModel([{ error: network() }, "short"]);
    const shorter: Middleware = {
      name: "shorter",
      owns: ["retry"],
      async *wrapModel(request, _context, next) {
        try {
          yield* next(request);
        } catch {
          yield { type: "restart", attempt: 2, reason: "fallback" };
          yield* next({ ...request, messages: request.messages.slice(-1), temperature: 0 });
        }
      },
    };
    const agent = createAgent({ name: "a", system: "Be long.", model, middleware: [shorter] });
    const run = await agent.invoke("Go.");
    expect(model.requests.map(({ messages, temperature }) => [messages.length, temperature])).toEqual([
      [2, undefined],
      [1, 0],
    ]);
    expect(run.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
  });

  test("may answer without asking, also where tools are called (MWH-03)", async () => {
    const model = scriptedModel([]);
    const cached: Middleware = {
      name: "cache",
      async *wrapModel({ messages }) {
        if (messages.at(-1)?.role === "tool") {
          yield { type: "text", index: 0, text: "from the cache" };
          yield { type: "finish", finishReason: "stop" };
          return;
        }
        yield { type: "tool_call_start", index: 0, id: "c1", name: "look" };
        yield { type: "finish", finishReason: "tool_calls" };
      },
    };
    const look = fakeTool({ name: "look" });
    const run = await createAgent({ name: "a", model, tools: [look], middleware: [cached] }).invoke("Go.");
    expect([run.text, look.calls.length, model.calls.length]).toEqual(["from the cache", 1, 0]);
  });

  test("may set up and tear down around a whole stream, also when it fails or its reader leaves (MWH-03)", async () => {
    const trace: string[] = [];
    const around: Middleware = {
      name: "span",
      owns: ["retry"],
      async *wrapModel(request, _context, next) {
        trace.push("open");
        try {
          yield* next(request);
        } finally {
          trace.push("close");
        }
      },
    };
    const agentOf = (script: Parameters<typeof scriptedModel>[0]) =>
      createAgent({ name: "a", model: scriptedModel(script, { split: "characters" }), middleware: [around] });
    await agentOf(["fine"]).invoke("Go.");
    await failureOf(agentOf([{ text: "half", error: network() }]).invoke("Go."));
    for await (const item of agentOf(["a long answer"]).stream("Go.")) if (item.type === "text") break;
    expect(trace).toEqual(["open", "close", "open", "close", "open", "close"]);
  });

  test("sees an equal request at each attempt, whatever the wraps inside made of it (MW-09)", async () => {
    const model = scriptedModel([{ error: network() }, { error: network() }, "ok"]);
    const rules: Middleware = {
      name: "rules",
      wrapModel: (request, _context, next) =>
        next({ ...request, messages: [...request.messages, userMessage("Be brief.")] }),
    };
    await createAgent({ name: "a", model, middleware: [retrying(3, ["retry"]), rules] }).invoke("Go.");
    const [first, ...others] = model.requests;
    expect(first?.messages).toHaveLength(2);
    for (const other of others) expect(other).toEqual(first);
  });

  test("of one agent that serves runs at once never mixes their requests (MW-09)", async () => {
    const model = scriptedModel(
      Array.from(
        { length: 4 },
        () =>
          ({ messages }: ModelRequest) =>
            said(messages),
      ),
    );
    const prompt: Middleware = {
      name: "prompt",
      async *wrapModel(request, context, next) {
        await Promise.resolve();
        const rules = userMessage(`rules of ${context.config.runId}`);
        yield* next({ ...request, messages: [rules, ...request.messages] });
      },
    };
    const agent = createAgent({ name: "a", model, middleware: [prompt] });
    const runs = await Promise.all(["r1", "r2", "r3", "r4"].map((runId) => agent.invoke(`I am ${runId}.`, { runId })));
    expect(runs.map(({ text }) => text)).toEqual(["r1", "r2", "r3", "r4"].map((id) => `rules of ${id} I am ${id}.`));
  });

  const silently: Middleware = {
    name: "silently",
    owns: ["retry"],
    async *wrapModel(request, _context, next) {
      try {
        yield* next(request);
      } catch {
        yield* next(request);
      }
    },
  };
  test.each([
    ["and says so", retrying(3, ["retry"])],
    ["and says nothing", silently],
  ])("that repeats everything %s cannot bring a cancelled run back (MW-06)", async (_, wrap) => {
    const asked: number[] = [];
    const script: ChatModel = scriptedModel([{ text: "so", hang: true }, "again", "and again"]);
    const model: ChatModel = {
      ...script,
      stream: (request, call) => {
        asked.push(request.messages.length);
        return script.stream(request, call);
      },
    };
    const controller = new AbortController();
    const running = failureOf(
      createAgent({ name: "a", model, middleware: [wrap] }).invoke("Go.", { signal: controller.signal }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect((await running).error.code).toBe("cancelled");
    expect(asked).toHaveLength(1);
  });

  test("that swallows a cancellation and answers all the same does not save the run (MW-06)", async () => {
    const model = scriptedModel([{ hang: true }]);
    const swallowing: Middleware = {
      name: "swallowing",
      async *wrapModel(request, _context, next) {
        try {
          yield* next(request);
        } catch {
          yield { type: "text", index: 0, text: "made up" };
          yield { type: "finish", finishReason: "stop" };
        }
      },
    };
    const controller = new AbortController();
    const agent = createAgent({ name: "a", model, middleware: [swallowing] });
    const running = failureOf(agent.invoke("Go.", { signal: controller.signal }));
    await model.called();
    controller.abort();
    const { error, run } = await running;
    expect([error.code, run.text]).toEqual(["cancelled", ""]);
  });
});

describe("a wrap around a tool", () => {
  const script = [{ toolCalls: [{ name: "look", args: { at: "sea" } }] }, "done"];

  test("may run it several times with the same call, or another, or not at all (MWH-03)", async () => {
    const look = fakeTool({ name: "look", results: [new Error("fog"), "waves", "sand"] });
    const wrap: Middleware = {
      name: "wrap",
      async wrapTool(call, _context, next) {
        await next(call);
        await next(call);
        await next({ ...call, args: { at: "beach" } });
        return toolMessage(call, "a holiday");
      },
    };
    const run = await createAgent({
      name: "a",
      model: scriptedModel(script),
      tools: [look],
      middleware: [wrap],
    }).invoke("Go.");
    expect(look.calls.map(({ input }) => input)).toEqual([{ at: "sea" }, { at: "sea" }, { at: "beach" }]);
    expect(run.messages.at(-2)).toMatchObject({ role: "tool", content: [{ text: "a holiday" }] });
  });

  test("cannot run it for a run that was cancelled meanwhile (MW-06)", async () => {
    const controller = new AbortController();
    const look = fakeTool({
      name: "look",
      execute: async () => {
        controller.abort();
        throw new Error("interrupted");
      },
    });
    const wrap: Middleware = {
      name: "again",
      wrapTool: (call, _context, next) => next(call).catch(() => next(call)),
    };
    const agent = createAgent({ name: "a", model: scriptedModel(script), tools: [look], middleware: [wrap] });
    expect((await failureOf(agent.invoke("Go.", { signal: controller.signal }))).error.code).toBe("cancelled");
    expect(look.calls).toHaveLength(1);
  });
});

describe("hooks around a call", () => {
  test("edit the request of this call only, and the answer that is kept (MWH-01)", async () => {
    const model = scriptedModel(["secret 1234"]);
    const agent = createAgent({
      name: "a",
      model,
      middleware: [
        {
          name: "edits",
          beforeModel: (request) => ({
            replace: { ...request, messages: [...request.messages, userMessage("And quickly.")], temperature: 0.5 },
          }),
          afterModel: (response) => ({
            replace: {
              ...response,
              message: { ...response.message, content: [{ type: "text", text: "secret ****" }] },
            },
          }),
        },
      ],
    });
    const run = await agent.invoke("Go.");
    expect(model.requests[0]).toMatchObject({ temperature: 0.5 });
    expect(model.requests[0]?.messages).toHaveLength(2);
    expect(run.messages).toHaveLength(2);
    expect(run.text).toBe("secret ****");
  });

  test("may drop, split and change fragments, which then add up to the answer (MWH-01)", async () => {
    const model = scriptedModel([{ text: "abc" }], { split: "characters" });
    const agent = createAgent({
      name: "a",
      model,
      middleware: [
        {
          name: "letters",
          onModelDelta: async (delta) => {
            if (delta.type !== "text") return;
            if (delta.text === "a") return [];
            if (delta.text === "b") return [delta, { ...delta, text: "B" }];
            return { ...delta, text: "!" };
          },
        },
      ],
    });
    const items = await toArray(agent.stream("Go.", { modes: ["messages"] }));
    expect(items.flatMap((item) => (item.type === "text" ? [item.text] : []))).toEqual(["b", "B", "!"]);
    expect(items.at(-1)).toMatchObject({ type: "message", message: { content: [{ type: "text", text: "bB!" }] } });
  });
});

function said(messages: ModelRequest["messages"]): string {
  return messages
    .map(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join(""))
    .join(" ");
}
