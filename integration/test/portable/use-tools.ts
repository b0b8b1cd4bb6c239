import { type ToolMessage, tool, toolText } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { z } from "zod";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const weather = tool({
  name: "get_weather",
  description: "Current weather in a city.",
  input: z.object({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]).default("celsius") }),
  execute: async ({ city, unit }) => ({ city, unit, degrees: 21 }),
});

/** Its schema needs a validator, since it has none of its own. */
const lookUp = tool({
  name: "look_up",
  description: "Looks an order up.",
  input: {
    type: "object",
    properties: { order: { type: "integer", minimum: 1 } },
    required: ["order"],
    additionalProperties: false,
  },
  execute: ({ order }) => `order ${order} is on its way`,
});

/** Two tools with zod schemas and one with a JSON Schema, with arguments that fit and with some that do not. */
export async function useTools() {
  const model = scriptedModel([
    {
      toolCalls: [
        { name: "add", args: { a: 2, b: 3 } },
        { name: "get_weather", args: { city: "Oslo" } },
        { name: "look_up", args: { order: 7 } },
      ],
    },
    {
      toolCalls: [
        { name: "add", args: { a: 2, b: "three" } },
        { name: "look_up", args: { order: "seven" } },
        { name: "look_up", args: {} },
      ],
    },
    "It is on its way.",
  ]);
  const agent = createAgent({ name: "clerk", model, tools: [add, weather, lookUp] });
  const run = await agent.invoke("Where is order 7, and is it warm in Oslo?");
  model.assertDone();
  return {
    status: run.status,
    text: run.text,
    results: run.messages.filter((message) => message.role === "tool").map(describe),
    toolCalls: run.counters.toolCalls,
  };
}

function describe(message: ToolMessage) {
  const { name, status } = message;
  const said = toolText(message);
  return status === "ok" ? `${name}: ${said}` : `${name} ${status}: ${/^- (.*)$/m.exec(said)?.[1]}`;
}
