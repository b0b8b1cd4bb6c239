import { type Middleware, redactingSink, TinyAgentsError, type UserMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, scriptedModel } from "@tinyagents/testkit";

const OVERLOADED = new TinyAgentsError("provider_overloaded", "Too busy.", { details: { provider: "test" } });
const USAGE = { inputTokens: 1_000, outputTokens: 10 };
/** Nobody may fetch it: there is nothing at this address. */
const PICTURE: UserMessage = {
  role: "user",
  content: [
    { type: "text", text: "What is this?" },
    { type: "image", source: { type: "url", url: "http://picture.invalid/cat.png" } },
  ],
};

/** A run that retries, falls back to another model, asks a sub-agent, is priced, estimated and watched. */
export async function runFullAgent() {
  const recorder = eventRecorder({ payloads: true, deltas: true });
  const pressures: (number | undefined)[] = [];
  const estimating: Middleware = {
    name: "estimating",
    beforeModel(request, context) {
      pressures.push(context.estimateContext(request).pressure);
    },
  };
  const expert = createAgent({ name: "expert", model: scriptedModel(["A cat."], { usage: USAGE }) });
  const second = [{ toolCalls: [{ name: "expert", args: { task: "What is on the picture?" } }] }, "It is a cat."];
  const agent = createAgent({
    name: "helper",
    model: scriptedModel(
      Array.from({ length: 4 }, () => ({ error: OVERLOADED })),
      { id: "test/first" },
    ),
    fallbacks: [scriptedModel(second, { id: "test/second", usage: USAGE })],
    policies: { retry: { maxAttempts: 2, initialDelayMs: 0 } },
    tools: [expert.asTool({ description: "Knows what is on pictures." })],
    middleware: [estimating],
    prices: { priceOf: () => ({ currency: "USD", inputPerMillion: "1", outputPerMillion: "10" }) },
    events: redactingSink(recorder),
  });
  const run = await agent.invoke(PICTURE);
  return {
    text: run.text,
    models: run.usageByModel.map(({ model }) => model.id).sort(),
    cost: run.cost?.amount,
    estimates: pressures.length,
    events: [...new Set(recorder.types())],
  };
}
