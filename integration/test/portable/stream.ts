import { tool } from "@tinyagents/core";
import { createAgent, readableStream } from "@tinyagents/harness";
import { mockModel } from "@tinyagents/provider-mock";
import { z } from "zod";

const multiply = tool({
  name: "multiply",
  description: "Multiplies two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a * b,
});

/** The offline model drives a tool; its answer comes in fragments, through a web stream. */
export async function stream() {
  const agent = createAgent({ name: "calculator", model: mockModel(), tools: [multiply] });
  const items: string[] = [];
  const fragments: string[] = [];
  let final: { readonly text: string; readonly status: string } | undefined;
  const reader = readableStream(agent.stream("What is 6 times 7?")).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const item = next.value;
    if (items.at(-1) !== item.type) items.push(item.type);
    if (item.type === "text") fragments.push(item.text);
    if (item.type === "final") final = { text: item.run.text, status: item.run.status };
  }
  return { items, inFragments: fragments.length > 1, text: fragments.join(""), final };
}
