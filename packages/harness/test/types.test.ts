import type { AgentRun, AgentState, AgentStreamItem, JsonObject, JsonSchema, Tool } from "@tinyagents/core";
import {
  type Agent,
  type AgentStream,
  createAgent,
  type OutputSpec,
  type RunHandle,
  readableStream,
  runOf,
  type Subscription,
} from "@tinyagents/harness";
import { describe, expectTypeOf, test } from "vitest";

type City = { readonly city: string };

describe("the types of an agent (TY-03)", () => {
  test("have one output for all the ways to run it", () => {
    expectTypeOf<Agent<City>["invoke"]>().returns.toEqualTypeOf<Promise<AgentRun<City>>>();
    expectTypeOf<Agent<City>["resume"]>().returns.toEqualTypeOf<Promise<AgentRun<City>>>();
    expectTypeOf<Agent<City>["stream"]>().returns.toEqualTypeOf<AgentStream<City>>();
    expectTypeOf<Agent<City>["resumeStream"]>().returns.toEqualTypeOf<AgentStream<City>>();
    expectTypeOf<Agent<City>["start"]>().returns.toEqualTypeOf<RunHandle<City>>();
    expectTypeOf<Agent>().toEqualTypeOf<Agent<undefined>>();
  });

  test("say that a step gives a state, and that an agent is a tool of others whatever it answers", () => {
    expectTypeOf<Agent<City>["step"]>().returns.toEqualTypeOf<AgentState | Promise<AgentState>>();
    expectTypeOf<Agent<City>["asTool"]>().returns.toEqualTypeOf<Tool<JsonObject, Promise<unknown>>>();
    expectTypeOf(createAgent).parameter(0).toHaveProperty("name").toEqualTypeOf<string>();
  });
});

describe("the types of a run that goes on by itself (TY-03)", () => {
  test("keep the output in its result and in what an observer sees", () => {
    expectTypeOf<RunHandle<City>["result"]>().toEqualTypeOf<Promise<AgentRun<City>>>();
    expectTypeOf<RunHandle<City>["subscribe"]>().returns.toEqualTypeOf<Subscription<City>>();
    expectTypeOf<Subscription<City>["next"]>().returns.resolves.toEqualTypeOf<
      IteratorResult<AgentStreamItem<City>, undefined>
    >();
    expectTypeOf<Subscription<City>["dropped"]>().toEqualTypeOf<number>();
  });

  test("give a partial run of any output for an error", () => {
    expectTypeOf(runOf).parameter(0).toBeUnknown();
    expectTypeOf(runOf).returns.toEqualTypeOf<AgentRun<unknown> | undefined>();
  });
});

describe("the types of what is handed on (TY-03)", () => {
  test("are those of its items: a web stream of a stream", () => {
    const ofStream = (items: AgentStream<City>) => readableStream(items);
    expectTypeOf(ofStream).returns.toEqualTypeOf<ReadableStream<AgentStreamItem<City>>>();
    const ofNumbers = (items: AsyncIterable<number>) => readableStream(items);
    expectTypeOf(ofNumbers).returns.toEqualTypeOf<ReadableStream<number>>();
  });

  test("are the schema's own in the settings of a structured answer", () => {
    expectTypeOf<OutputSpec<JsonSchema>["schema"]>().toEqualTypeOf<JsonSchema>();
    expectTypeOf<{ schema: JsonSchema }>().toExtend<OutputSpec<JsonSchema>>();
    expectTypeOf<{ schema: JsonSchema; strategy: undefined; name: undefined }>().toExtend<OutputSpec<JsonSchema>>();
    expectTypeOf<{ schema: JsonSchema; strategy: "guess" }>().not.toExtend<OutputSpec<JsonSchema>>();
  });
});
