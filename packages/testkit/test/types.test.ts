import type { JsonObject, Store, Tool } from "@tinyagents/core";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type FailingWrites,
  type FakeTool,
  failAt,
  fakeTool,
  flakyTool,
  type HangingTool,
  hangingTool,
  type RecordedToolCall,
  toArray,
} from "../src/index.js";

const input = z.object({ city: z.string(), days: z.string().transform(Number) });
type Input = { city: string; days: number };

describe("the types of tools for tests (TY-03)", () => {
  test("have calls with the input that the schema gives, transforms included", () => {
    const fake = fakeTool({ name: "weather", input });
    expectTypeOf(fake).toEqualTypeOf<FakeTool<Input>>();
    expectTypeOf(fake.calls).toEqualTypeOf<readonly RecordedToolCall<Input>[]>();
    expectTypeOf(fake).toExtend<Tool<Input, Promise<unknown>>>();
    expectTypeOf(flakyTool({ name: "weather", input, failures: 2 })).toEqualTypeOf<FakeTool<Input>>();
    expectTypeOf(hangingTool({ name: "weather", input })).toEqualTypeOf<HangingTool<Input>>();
    fakeTool({ name: "weather", input, execute: ({ days }) => expectTypeOf(days).toBeNumber() });
  });

  test("take any object where no schema is given", () => {
    expectTypeOf(fakeTool({ name: "any" })).toEqualTypeOf<FakeTool<JsonObject>>();
    expectTypeOf<RecordedToolCall["input"]>().toEqualTypeOf<JsonObject>();
  });
});

describe("the types of what passes through (TY-03)", () => {
  test("stay as they were: the items of a stream, and the store whose writes fail", () => {
    const all = (items: AsyncIterable<{ a: 1 }>) => toArray(items);
    expectTypeOf(all).returns.resolves.toEqualTypeOf<{ a: 1 }[]>();
    const failing = (store: Store) => failAt(store, 1);
    expectTypeOf(failing).returns.toEqualTypeOf<FailingWrites<Store>>();
  });
});
