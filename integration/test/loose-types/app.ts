import { type AgentRun, type ChatModel, type JsonObject, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { z } from "zod";

/** `true` when two types are the same, and not merely assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

declare function must<_ extends true>(): void;
declare const model: ChatModel;

const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: (input) => {
    must<Same<typeof input.city, string>>();
    must<Same<typeof input.days, number>>();
    return input.city.length + input.days;
  },
});

const echo = tool({
  name: "echo",
  description: "Says it again.",
  input: { type: "object" },
  execute: (input) => {
    must<Same<typeof input, JsonObject>>();
    return input;
  },
});

const plain = createAgent({ name: "plain", model });
const plainRun = await plain.invoke("Hello.");
must<Same<typeof plainRun, AgentRun<undefined>>>();

const withTools = createAgent({ name: "with_tools", model, tools: [weather, echo], middleware: [], limits: {} });
const toolRun = await withTools.resume(plainRun.state);
must<Same<typeof toolRun.output, undefined>>();

const withSchema = createAgent({ name: "with_schema", model, output: z.object({ city: z.string() }) });
const schemaRun = await withSchema.invoke("Where?");
must<Same<typeof schemaRun.output.city, string>>();
// @ts-expect-error: the output is exact, so that what is not in it is known not to be.
schemaRun.output.country;

const withSpec = createAgent({
  name: "with_spec",
  model,
  tools: [weather],
  output: { schema: z.array(z.number()), strategy: "tool" },
});
const specRun = await withSpec.start("Which?").result;
must<Same<typeof specRun.output, number[]>>();

const withJsonSchema = createAgent({ name: "with_json_schema", model, output: { type: "object", properties: {} } });
for await (const item of withJsonSchema.stream("What?")) {
  if (item.type === "final") must<Same<typeof item.run.output, JsonObject>>();
}
