import { type AgentRun, type ChatModel, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { mockModel } from "@tinyagents/provider-mock";

const multiply = tool({
  name: "multiply",
  description: "Multiplies two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => Number(a) * Number(b),
});

/** A model and tools in a loop, until the model has its answer. */
export function calculate(question: string, model: ChatModel = mockModel()): Promise<AgentRun> {
  return createAgent({ name: "calculator", model, tools: [multiply] }).invoke(question);
}
