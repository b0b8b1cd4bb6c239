import {
  type AgentRun,
  type AgentStreamItem,
  type AnyTool,
  type ArgumentIssue,
  type JsonObject,
  tool,
} from "@tinyagents/core";
import { type Agent, type AgentOptions, createAgent, type OutputOf, type OutputSchema } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = scriptedModel([]);
const base = { name: "typed", model };
const place = z.object({ city: z.string(), at: z.string().transform((at) => new Date(at)) });
interface Place {
  city: string;
  at: Date;
}

/** Every option that has nothing to do with the type of the output. */
const everything = {
  ...base,
  tools: [tool({ name: "t", description: "", input: z.object({ n: z.number() }), execute: ({ n }) => n })],
  system: "Be brief.",
  middleware: [{ name: "nothing" }],
  memory: undefined,
  limits: { maxModelCalls: 3 },
  policies: { onLimit: "finalize" },
  settings: { temperature: 0 },
  approver: { decide: () => "ask" },
} as const satisfies AgentOptions;

type Result<A extends Agent<unknown>> = Awaited<ReturnType<A["invoke"]>>["output"];

describe("the type of the output (TY-03)", () => {
  test("is undefined where none is asked for, with every set of other options", () => {
    const bare = createAgent(base);
    const absent = createAgent({ ...everything });
    const undefinedSaid = createAgent({ ...everything, output: undefined });
    const noTools = createAgent({ ...base, tools: [] });
    const onlyTools = createAgent({ ...base, tools: everything.tools });
    const onlyMiddleware = createAgent({ ...base, middleware: [] });
    const onlySystem = createAgent({ ...base, system: ({ config }) => config.runId });
    const allUndefined = createAgent({
      ...base,
      tools: undefined,
      system: undefined,
      middleware: undefined,
      memory: undefined,
      output: undefined,
      limits: undefined,
      policies: undefined,
      settings: undefined,
      approver: undefined,
      events: undefined,
      prices: undefined,
      schemaValidator: undefined,
      countTokens: undefined,
      clock: undefined,
      ids: undefined,
      random: undefined,
      stores: undefined,
      recorder: undefined,
    });
    expectTypeOf(bare).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(absent).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(undefinedSaid).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(noTools).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(onlyTools).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(onlyMiddleware).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(onlySystem).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(allUndefined).toEqualTypeOf<Agent<undefined>>();
    expect(allUndefined.name).toBe("typed");
  });

  test("is what the schema gives, transforms included, with every set of other options", () => {
    const bare = createAgent({ ...base, output: place });
    const full = createAgent({ ...everything, output: place });
    const spec = createAgent({ ...base, output: { schema: place } });
    const fullSpec = createAgent({
      ...everything,
      output: {
        schema: place,
        strategy: "tool",
        name: "place",
        onInvalid: (issues) => {
          expectTypeOf(issues).toEqualTypeOf<readonly ArgumentIssue[]>();
          return issues.map(({ path }) => path).join();
        },
      },
    });
    expectTypeOf<Result<typeof bare>>().toEqualTypeOf<Place>();
    expectTypeOf<Result<typeof full>>().toEqualTypeOf<Place>();
    expectTypeOf<Result<typeof spec>>().toEqualTypeOf<Place>();
    expectTypeOf<Result<typeof fullSpec>>().toEqualTypeOf<Place>();
    expect(fullSpec.name).toBe("typed");
  });

  test("is that of lists, scalars, unions and defaults", () => {
    const list = createAgent({ ...base, output: z.array(z.number()) });
    const choice = createAgent({ ...base, output: z.enum(["yes", "no"]) });
    const union = createAgent({
      ...base,
      output: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), n: z.number() }),
        z.object({ kind: z.literal("b") }),
      ]),
    });
    const defaults = createAgent({
      ...base,
      output: z.object({ tags: z.array(z.string()).default([]), note: z.string().optional() }),
    });
    expectTypeOf<Result<typeof list>>().toEqualTypeOf<number[]>();
    expectTypeOf<Result<typeof choice>>().toEqualTypeOf<"yes" | "no">();
    expectTypeOf<Result<typeof union>>().toEqualTypeOf<{ kind: "a"; n: number } | { kind: "b" }>();
    expectTypeOf<Result<typeof defaults>>().toEqualTypeOf<{ tags: string[]; note?: string | undefined }>();
    expect(list.name).toBe("typed");
  });

  test("is an object of JSON for a JSON Schema, written down or handed on", () => {
    const literal = createAgent({ ...base, output: { type: "object", properties: { a: { type: "string" } } } });
    const schema: JsonObject = { type: "object" };
    const handedOn = createAgent({ ...base, output: schema });
    const spec = createAgent({ ...base, output: { schema: { type: "object" }, strategy: "prompt" } });
    const told = createAgent({
      ...base,
      output: {
        schema,
        onInvalid: (issues) => {
          expectTypeOf(issues).toEqualTypeOf<readonly ArgumentIssue[]>();
          return issues.map(({ message }) => message).join();
        },
      },
    });
    expectTypeOf<Result<typeof literal>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Result<typeof handedOn>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Result<typeof spec>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Result<typeof told>>().toEqualTypeOf<JsonObject>();
    expect(spec.name).toBe("typed");
  });

  test("is the same however a run is had, and never any", () => {
    const agent = createAgent({ ...base, output: place });
    expectTypeOf(agent.invoke).returns.resolves.toEqualTypeOf<AgentRun<Place>>();
    expectTypeOf(agent.resume).returns.resolves.toEqualTypeOf<AgentRun<Place>>();
    expectTypeOf(agent.start("x").result).resolves.toEqualTypeOf<AgentRun<Place>>();
    expectTypeOf<Awaited<ReturnType<ReturnType<typeof agent.stream>["next"]>>["value"]>().toEqualTypeOf<
      AgentStreamItem<Place> | undefined
    >();
    expectTypeOf<Result<typeof agent>>().not.toBeAny();
    expectTypeOf<OutputOf<undefined>>().toEqualTypeOf<undefined>();
    agent.start("x").result.catch(() => {});
    expect(agent.name).toBe("typed");
  });

  test("can be handed on by functions of the application's own", () => {
    const wrap = <const O extends OutputSchema | undefined = undefined>(options: Omit<AgentOptions<O>, "name">) =>
      createAgent<O>({ ...options, name: "wrapped" } as AgentOptions<O>);
    expectTypeOf(wrap({ model })).toEqualTypeOf<Agent<undefined>>();
    expectTypeOf(wrap({ model, output: z.number() })).toEqualTypeOf<Agent<number>>();
    expect(wrap({ model }).name).toBe("wrapped");
  });
});

describe("the types of tools in a list (TY-03)", () => {
  test("fit together whatever their inputs and results are", () => {
    const tools = [
      tool({ name: "a", description: "", input: z.object({ n: z.number() }), execute: ({ n }) => n.toFixed() }),
      tool({ name: "b", description: "", input: z.object({}), execute: async () => new Map() }),
      tool({ name: "c", description: "", input: { type: "object" }, execute: (input) => input.anything ?? null }),
      tool({
        name: "d",
        description: "",
        input: z.object({ s: z.string() }),
        async *execute({ s }) {
          yield 1;
          return s;
        },
      }),
    ];
    expectTypeOf(tools).toExtend<readonly AnyTool[]>();
    const agent = createAgent({ ...base, tools });
    expectTypeOf(agent).toEqualTypeOf<Agent<undefined>>();
    expect(agent.name).toBe("typed");
  });

  test("refuse what is no option, no schema and no tool", () => {
    // @ts-expect-error an option that there is not
    expect(() => createAgent({ ...base, toolz: [] })).toThrow(TypeError);
    expect(() => createAgent({ name: "typed" })).toThrow(TypeError);
    // @ts-expect-error no schema
    expect(() => createAgent({ ...base, output: 5 })).toThrow(TypeError);
    expect(() => createAgent({ ...base, output: { schema: undefined } })).toThrow(TypeError);
    // @ts-expect-error no strategy
    expect(() => createAgent({ ...base, output: { schema: place, strategy: "magic" } })).toThrow(TypeError);
    // @ts-expect-error no tools
    expect(() => createAgent({ ...base, tools: [{ name: "t" }] })).toThrow();
  });
});
