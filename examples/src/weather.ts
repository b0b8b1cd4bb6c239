// The smallest agent: one model, one tool. It needs no key: the offline model stands in for a real one.
import { tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { mockModel } from "@tinyagents/provider-mock";
import { z } from "zod";

const REPORTS = new Map([
  ["Oslo", { celsius: 7, raining: true }],
  ["Rome", { celsius: 21, raining: false }],
]);

const weather = tool({
  name: "get_weather",
  description: "Current weather in a city.",
  input: z.object({ city: z.string() }),
  policy: { effect: "read" },
  execute: ({ city }) => {
    const report = REPORTS.get(city);
    if (report === undefined) throw new Error(`There is no report for ${city}.`);
    return report;
  },
});

const agent = createAgent({
  name: "assistant",
  model: mockModel(),
  system: "Answer in one sentence.",
  tools: [weather],
  limits: { maxModelCalls: 8, wallClockMs: 60_000 },
});

const run = await agent.invoke("Is it raining in Oslo?");
console.log(run.text);
console.log(`${run.usage.totalTokens} tokens, ${run.cost?.amount ?? "unpriced"}`);

for await (const item of agent.stream("And in Rome and Atlantis?", { modes: ["messages", "tools"] })) {
  if (item.type === "tool_started") console.log(`> ${item.tool} ${JSON.stringify(item.args)}`);
  if (item.type === "text") process.stdout.write(item.text);
}
console.log();
