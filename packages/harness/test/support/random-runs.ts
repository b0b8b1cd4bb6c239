import { interrupt, type Middleware, stop, TinyAgentsError } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { fakeTool, type ScriptedAnswer, scriptedModel, seededRandom, testSurroundings } from "@tinyagents/testkit";
import fc from "fast-check";
import { z } from "zod";

/** Everything that decides how one run goes, so that a failing one can be shown and run again. */
export interface RunPlan {
  readonly answers: readonly ScriptedAnswer[];
  /** What tools do, call by call. */
  readonly tools: readonly ToolDeed[];
  /** At which event the run is cancelled; never when it has fewer. */
  readonly cancelAt: number;
  readonly limits: { readonly maxModelCalls: number; readonly maxToolCalls: number; readonly maxCorrections: number };
  readonly finalize: boolean;
  readonly maxConcurrency: number;
  readonly middleware: "none" | "looks" | "throws" | "stops" | "jumps";
}

type ToolDeed = "value" | "throws" | "hangs" | "deaf" | "stop" | "interrupt" | "late";

const call = fc.record(
  {
    name: fc.constantFrom("work", "work", "work", "write", "nobody"),
    id: fc.constantFrom("same", "", "other"),
    rawArgs: fc.constantFrom("{}", '{"n":1}', "{", "[]", '{"n":"one"}', ""),
  },
  { requiredKeys: ["name"] },
);

const failure = fc
  .constantFrom("network", "provider_auth", "provider_server")
  .map((code) => new TinyAgentsError(code, `a scripted ${code}`, { details: { provider: "test" } }));

const answer: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ toolCalls: fc.array(call, { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ text: fc.constantFrom("words", "") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      text: fc.constant("cut"),
      toolCalls: fc.array(call, { maxLength: 3 }),
      finishReason: fc.constantFrom("length", "content_filter", "pause", "error", "other", "stop", "tool_calls"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ refusal: fc.constant("no"), toolCalls: fc.array(call, { maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ toolCalls: fc.array(call, { maxLength: 2 }), error: failure }) },
  { weight: 1, arbitrary: fc.constant({ deltas: [{ type: "text", index: 0, text: "short" }] } as const) },
  { weight: 1, arbitrary: fc.constant({ text: "silence", hang: true }) },
);

export const runPlan: fc.Arbitrary<RunPlan> = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
  tools: fc.array(fc.constantFrom<ToolDeed>("value", "value", "throws", "hangs", "deaf", "stop", "interrupt", "late"), {
    minLength: 1,
    maxLength: 8,
  }),
  cancelAt: fc.integer({ min: 1, max: 60 }),
  limits: fc.record({
    maxModelCalls: fc.integer({ min: 0, max: 6 }),
    maxToolCalls: fc.integer({ min: 0, max: 8 }),
    maxCorrections: fc.integer({ min: 0, max: 4 }),
  }),
  finalize: fc.boolean(),
  maxConcurrency: fc.integer({ min: 1, max: 3 }),
  middleware: fc.constantFrom("none", "none", "looks", "throws", "stops", "jumps"),
});

/** An agent that a plan drives, and the surroundings that it runs in. */
export interface PlannedAgent {
  readonly agent: Agent;
  readonly around: ReturnType<typeof testSurroundings>;
  readonly controller: AbortController;
}

export function plannedAgent(plan: RunPlan): PlannedAgent {
  const around = testSurroundings();
  const controller = new AbortController();
  let events = 0;
  const emit = around.events.emit.bind(around.events);
  const counting = {
    ...around.events,
    deltas: true,
    emit: (event: Parameters<typeof emit>[0]) => {
      emit(event);
      if (++events === plan.cancelAt) controller.abort("at random");
    },
  };
  const { maxConcurrency, finalize } = plan;
  const agent = createAgent({
    name: "planned",
    model: scriptedModel([...plan.answers, "the last word", "the very last word"]),
    tools: ["work", "write"].map((name) => doing(name, plan)),
    middleware: middlewareOf(plan),
    limits: { ...plan.limits, maxConcurrency, modelTimeoutMs: 5_000, toolTimeoutMs: 4_000, wallClockMs: 100_000 },
    policies: {
      onLimit: finalize ? "finalize" : "fail",
      retry: { maxAttempts: 2, initialDelayMs: 10 },
      cancelGraceMs: 50,
    },
    ...around,
    events: counting,
  });
  return { agent, around, controller };
}

function doing(name: string, { tools }: RunPlan): ReturnType<typeof fakeTool> {
  let calls = 0;
  return fakeTool({
    name,
    input: z.object({ n: z.number().optional() }),
    policy: { effect: name === "write" ? "write" : "read" },
    execute: async (_, { signal, progress }) => {
      const deed = tools[calls++ % tools.length];
      if (deed === "throws") throw new Error("tool trouble");
      if (deed === "stop") return stop("enough");
      if (deed === "interrupt") return interrupt("?");
      if (deed === "late") await new Promise((resolve) => setImmediate(resolve));
      if (deed === "deaf") return new Promise(() => {});
      if (deed !== "hangs") return "did it";
      progress("waiting");
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  }) as ReturnType<typeof fakeTool>;
}

function middlewareOf({ middleware }: RunPlan): readonly Middleware[] {
  const random = seededRandom(middleware.length);
  const now = (): boolean => random() < 0.3;
  switch (middleware) {
    case "none":
      return [];
    case "looks":
      return [
        { name: "looks", beforeModel: () => {}, afterModel: async () => {}, beforeTool: () => {}, afterTool: () => {} },
      ];
    case "throws": {
      const perhaps = (): undefined => {
        if (now()) throw new Error("hook trouble");
      };
      return [{ name: "throws", beforeModel: perhaps, afterModel: perhaps, beforeTool: perhaps, afterTool: perhaps }];
    }
    case "stops": {
      const perhaps = (): { control: { type: "stop" } } | undefined =>
        now() ? { control: { type: "stop" } } : undefined;
      return [{ name: "stops", beforeModel: perhaps, afterModel: perhaps, beforeTool: perhaps, afterTool: perhaps }];
    }
    case "jumps": {
      const perhaps = (): { control: { type: "jump"; to: "model" | "end" } } | undefined =>
        now() ? { control: { type: "jump", to: now() ? "model" : "end" } } : undefined;
      return [{ name: "jumps", afterModel: perhaps, beforeTool: perhaps, afterTool: perhaps }];
    }
  }
}
