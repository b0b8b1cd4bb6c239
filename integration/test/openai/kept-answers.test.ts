import { type Middleware, type ModelRequest, tool } from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWireServer, type WireEntry } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

/** Goes on from the last answer, which the provider keeps. */
const goOn: Middleware = {
  name: "go-on",
  beforeModel(request: ModelRequest) {
    const last = request.messages.findLast((message) => message.role === "assistant");
    const id = last?.role === "assistant" ? last.responseId : undefined;
    return id === undefined ? undefined : { replace: { ...request, previousResponseId: id } };
  },
};

async function kept(script: readonly WireEntry[]) {
  const server = await openaiWireServer(script);
  close = () => server.close();
  const model = openaiModel("gpt-5", { apiKey: "key-1234", api: "responses", baseUrl: server.url, store: true });
  return { server, model };
}

describe("answers that the provider keeps", () => {
  it("are gone on from in every turn of a run, which sends only what is new (MSG-07)", async () => {
    const { server, model } = await kept([{ toolCalls: [{ id: "call_1", name: "look" }] }, "Seen."]);
    const look = tool({ name: "look", description: "Looks.", input: { type: "object" }, execute: () => "a cat" });
    const run = await createAgent({ name: "a", model, tools: [look], middleware: [goOn], system: "Be brief." }).invoke(
      "Look!",
    );
    expect(run.text).toBe("Seen.");
    expect(server.requests[1]?.body.input).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "a cat" },
    ]);
    server.assertDone();
  });

  it("can be gone on from after a run was cancelled between a call and its execution (PA-13)", async () => {
    const { server, model } = await kept([{ toolCalls: [{ id: "call_1", name: "hang" }] }, "Never mind."]);
    const controller = new AbortController();
    const hang = tool({
      name: "hang",
      description: "Hangs.",
      input: { type: "object" },
      async execute(_input, { signal }) {
        controller.abort();
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const agent = createAgent({ name: "a", model, tools: [hang], middleware: [goOn] });
    const error = await agent.invoke("Hang!", { signal: controller.signal }).catch((failure: unknown) => failure);
    const messages = runOf(error)?.messages ?? [];
    const run = await agent.invoke([...messages, { role: "user", content: "And now?" }]);
    expect(run.text).toBe("Never mind.");
    const input = server.requests[1]?.body.input;
    expect(input).toMatchObject([{ type: "function_call_output", call_id: "call_1" }, { role: "user" }]);
    expect(JSON.stringify(input)).toMatch(/cancel/i);
    server.assertDone();
  });
});
