import { describe, expect, expectTypeOf, test } from "vitest";
import {
  type AgentEvent,
  type AgentRun,
  type AgentStreamItem,
  type AnyTinyAgentsError,
  content,
  type ErrorRecord,
  type EventData,
  type EventEnvelope,
  type EventType,
  errorFromRecord,
  type FinalItem,
  type Hooked,
  type HookResult,
  type HookReturn,
  interrupt,
  isThenable,
  isTinyAgentsError,
  isToolOutcome,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type LimitName,
  type Limits,
  type Middleware,
  type ModelRequest,
  manualClock,
  type Page,
  type ResponseFormat,
  redactJson,
  resolveLimits,
  retryCall,
  type SchemaInput,
  type StandardResult,
  type StandardSchema,
  type StoreRecord,
  stop,
  strongerControl,
  TinyAgentsError,
  type Tool,
  type ToolOutcome,
} from "../src/index.js";

describe("the result of a run", () => {
  test("has the output that was promised, and none when none was (TY-03)", () => {
    expectTypeOf<AgentRun["output"]>().toEqualTypeOf<undefined>();
    expectTypeOf<AgentRun<{ city: string }>["output"]>().toEqualTypeOf<{ city: string }>();
    expectTypeOf<AgentRun<unknown>["output"]>().toEqualTypeOf<unknown>();
    expectTypeOf<AgentRun<{ city: string }>>().toExtend<AgentRun<unknown>>();
    expectTypeOf<FinalItem<number>["run"]>().toEqualTypeOf<AgentRun<number>>();
    expectTypeOf<Extract<AgentStreamItem<number>, { type: "final" }>["run"]["output"]>().toEqualTypeOf<number>();
    expectTypeOf<AgentStreamItem<number>>().toExtend<AgentStreamItem>();
    expectTypeOf<AgentRun["status"]>().toEqualTypeOf<
      "completed" | "incomplete" | "refused" | "stopped" | "paused" | "failed"
    >();
  });
});

describe("errors", () => {
  test("are narrowed by code, in the guard or afterwards", () => {
    const error: unknown = new TinyAgentsError("limit_exceeded", "x", {
      details: { limit: "maxToolCalls", allowed: 1, counters: {} },
    });
    if (!isTinyAgentsError(error, "limit_exceeded")) throw error;
    expectTypeOf(error).toEqualTypeOf<TinyAgentsError<"limit_exceeded">>();
    expectTypeOf(error.details.limit).toEqualTypeOf<LimitName>();
    const allowed = (any: AnyTinyAgentsError): unknown => {
      if (any.code === "timeout") expectTypeOf(any.details.limitMs).toEqualTypeOf<number>();
      return any.code === "limit_exceeded" ? any.details.allowed : undefined;
    };
    expect(allowed(error)).toBe(1);
    expectTypeOf(errorFromRecord(error.toJSON())).toEqualTypeOf<TinyAgentsError<"limit_exceeded">>();
    expectTypeOf<TinyAgentsError<"network">>().toExtend<TinyAgentsError>();
    expectTypeOf<ErrorRecord<"tool_not_found">["details"]["available"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<ErrorRecord<"tool_not_found">>().toExtend<ErrorRecord>();
  });
});

describe("events", () => {
  test("have the data of their type", () => {
    expectTypeOf<EventEnvelope<"memory.saved">["data"]>().toEqualTypeOf<EventData["memory.saved"]>();
    expectTypeOf<EventEnvelope<"memory.saved">["type"]>().toEqualTypeOf<"memory.saved">();
    expectTypeOf<{ [T in EventType]: EventEnvelope<T> }[EventType]>().toEqualTypeOf<AgentEvent>();
  });
});

describe("schemas", () => {
  test("say what they take and what they give; a JSON Schema says that it is an object (TY-03)", () => {
    expectTypeOf<SchemaInput<StandardSchema<{ n: string }, { n: number }>>>().toEqualTypeOf<{ n: string }>();
    expectTypeOf<SchemaInput<StandardSchema>>().toEqualTypeOf<unknown>();
    expectTypeOf<SchemaInput<JsonSchema>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Extract<StandardResult<number>, { value: unknown }>["value"]>().toEqualTypeOf<number>();
  });
});

describe("options", () => {
  test("may be left out or undefined; data may only be left out (TY-03)", () => {
    expectTypeOf<{ maxDepth: undefined }>().toExtend<Limits>();
    expectTypeOf<Record<never, never>>().toExtend<Limits>();
    expectTypeOf<{ messages: []; seed: undefined }>().not.toExtend<ModelRequest>();
    expectTypeOf<{ messages: [] }>().toExtend<ModelRequest>();
    expectTypeOf(resolveLimits()).toEqualTypeOf(resolveLimits({ maxDepth: undefined }));
    expectTypeOf(resolveLimits().maxTotalTokens).toEqualTypeOf<number | undefined>();
    expectTypeOf(resolveLimits().maxDepth).toEqualTypeOf<number>();
  });

  test("of a response's shape are told apart by type", () => {
    const name = (format: ResponseFormat): string => (format.type === "json_schema" ? format.name : format.type);
    expect(name({ type: "json" })).toBe("json");
    // @ts-expect-error: a schema needs a name.
    expect(name({ type: "json_schema", schema: {} })).toBeUndefined();
  });
});

describe("hooks", () => {
  test("may return nothing, an edit of what they got, or a promise of either", () => {
    expectTypeOf<undefined>().toExtend<HookReturn<ModelRequest>>();
    expectTypeOf<Promise<void>>().toExtend<HookReturn<ModelRequest>>();
    expectTypeOf<{ replace: ModelRequest }>().toExtend<HookReturn<ModelRequest>>();
    expectTypeOf<{ replace: string }>().not.toExtend<HookReturn<ModelRequest>>();
    expectTypeOf<HookResult<ModelRequest>["replace"]>().toEqualTypeOf<ModelRequest | undefined>();
    expectTypeOf<HookResult<never>["replace"]>().toEqualTypeOf<undefined>();
    expectTypeOf<Hooked<ModelRequest>["value"]>().toEqualTypeOf<ModelRequest>();
    const looking = { name: "look", beforeModel: async () => {}, onToolDelta: () => {} } satisfies Middleware;
    expect(looking.name).toBe("look");
  });
});

describe("values that pass through", () => {
  test("keep their type", async () => {
    const context = { clock: manualClock(), random: () => 0, signal: undefined };
    expectTypeOf(retryCall({}, context, () => 1)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(retryCall({}, context, async () => ({ a: "x" }))).toEqualTypeOf<Promise<{ a: string }>>();
    expect(await retryCall({}, context, () => 1)).toBe(1);
    const cleaned = redactJson({ key: "x", more: [1] as const });
    expectTypeOf(cleaned).toEqualTypeOf<{ key: string; more: readonly [1] }>();
    expect(cleaned).toEqual({ key: "x", more: [1] });
    const named = { type: "retry", by: "a" } as const;
    expectTypeOf(strongerControl(named, undefined)).toEqualTypeOf<typeof named | undefined>();
    const later = (value: number | Promise<number>) => (isThenable(value) ? value : undefined);
    expectTypeOf(later).returns.toExtend<PromiseLike<number> | undefined>();
    expectTypeOf<Page<StoreRecord>["items"]>().toEqualTypeOf<readonly StoreRecord[]>();
  });

  test("are told apart by what they are", () => {
    const returned: unknown = stop();
    if (isToolOutcome(returned)) expectTypeOf(returned).toEqualTypeOf<ToolOutcome>();
    expectTypeOf([content("x"), stop(), interrupt(1)]).toExtend<ToolOutcome[]>();
    expectTypeOf<Tool<{ a: number }, string>["execute"]>().parameter(0).toEqualTypeOf<{ a: number }>();
    expectTypeOf<Extract<AgentEvent, { type: "memory.saved" }>["data"]>().toEqualTypeOf<{
      readonly messages: number;
    }>();
    expectTypeOf<{ a: readonly (string | null)[] }>().toExtend<JsonValue>();
    expectTypeOf<{ a: Date }>().not.toExtend<JsonValue>();
    expectTypeOf<{ a: undefined }>().not.toExtend<JsonValue>();
    expect(isToolOutcome(returned)).toBe(true);
  });
});
