import { callbackSink, type Middleware, type ModelDelta, type ShortTermMemory, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { z } from "zod";
import { threads } from "./threads.js";

/** Everything that happens in one run, in order: hooks, events, items, memory, tools. */
export interface TracedRun {
  readonly trace: readonly string[];
  readonly output: unknown;
}

function tracing(name: string, trace: string[]): Middleware {
  const note = (hook: string, more = ""): void => void trace.push(`${name}.${hook}${more}`);
  return {
    name,
    beforeAgent: () => note("beforeAgent"),
    afterAgent: () => note("afterAgent"),
    beforeModel: ({ messages, tools = [] }) =>
      note("beforeModel", ` ${messages.length} messages ${tools.length} tools`),
    async *wrapModel(request, _context, next) {
      note("wrapModel begins");
      yield* next(request);
      note("wrapModel ends");
    },
    onModelDelta: (delta) => note("onModelDelta", ` ${shown(delta)}`),
    afterModel: () => note("afterModel"),
    beforeTool: ({ id }) => note("beforeTool", ` ${id}`),
    async wrapTool(call, _context, next) {
      note("wrapTool begins", ` ${call.id}`);
      const result = await next(call);
      note("wrapTool ends", ` ${call.id}`);
      return result;
    },
    onToolDelta: (delta, { id }) => note("onToolDelta", ` ${id} ${JSON.stringify(delta)}`),
    afterTool: (_result, { id }) => note("afterTool", ` ${id}`),
  };
}

function shown(delta: ModelDelta): string {
  return delta.type === "text" ? delta.text : delta.type;
}

function tracedMemory(trace: string[]): ShortTermMemory {
  const memory = threads({
    t1: { v: 1, messages: [{ role: "user", content: [{ type: "text", text: "I live in Oslo." }] }] },
  });
  return {
    load: (threadId) => {
      trace.push("memory.load");
      return memory.load(threadId);
    },
    save: (threadId, state, options) => {
      trace.push("memory.save");
      return memory.save(threadId, state, options);
    },
  };
}

/** One run with memory, middleware, streaming, two tools and a structured answer. */
export async function tracedRun(): Promise<TracedRun> {
  const trace: string[] = [];
  const quiet = new Set(["middleware.started", "middleware.completed", "step.completed", "usage.recorded"]);
  const agent = createAgent({
    name: "advisor",
    model: scriptedModel([
      {
        text: "Hm.",
        toolCalls: [
          { name: "weather", args: { city: "Oslo" } },
          { name: "weather", args: { city: "Bergen" } },
        ],
      },
      { text: '{"coat":true}' },
    ]),
    system: ({ config }) => {
      trace.push("system prompt");
      return `You advise thread ${config.threadId}.`;
    },
    tools: [
      tool({
        name: "weather",
        description: "The weather in a city.",
        policy: { effect: "read" },
        input: z.object({
          city: z.string().refine((city) => {
            trace.push(`check ${city}`);
            return true;
          }),
        }),
        async *execute({ city }) {
          trace.push(`execute ${city}`);
          yield { asked: city };
          return "rain";
        },
      }),
    ],
    middleware: [tracing("outer", trace), tracing("inner", trace)],
    memory: tracedMemory(trace),
    output: {
      schema: z.object({ coat: z.boolean() }).refine(() => {
        trace.push("check output");
        return true;
      }),
      strategy: "native",
    },
    limits: { maxConcurrency: 1 },
    events: callbackSink(({ type }) => {
      if (!quiet.has(type)) trace.push(`event ${type}`);
    }),
  });
  let output: unknown;
  for await (const item of agent.stream("A coat?", {
    threadId: "t1",
    modes: ["messages", "tools", "updates", "final"],
  })) {
    if (item.type === "final") {
      trace.push("item final");
      output = item.run.output;
    }
  }
  return { trace, output };
}
