import { type ModelDelta, userMessage } from "@tinyagents/core";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWireServer } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };

/** The fragments of an answer that thinks, speaks and calls twice. */
async function fragments(api: "chat" | "responses"): Promise<readonly ModelDelta[]> {
  const toolCalls = ["a", "b"].map((id) => ({ id, name: "look", args: { at: id } }));
  const server = await openaiWireServer([{ reasoning: "Hm, so.", text: "Hello.", toolCalls }]);
  const model = openaiModel("m", { apiKey: "key-1234", api, baseUrl: server.url });
  const request = { messages: [userMessage("Hi")], tools: [LOOK] };
  const deltas: ModelDelta[] = [];
  for await (const delta of model.stream(request, { signal: undefined, delivery: "incremental" })) deltas.push(delta);
  await server.close();
  return deltas;
}

describe.each(["chat", "responses"] as const)("a stream of the API %s", (api) => {
  it("has text, thoughts and arguments apart, and each argument with its call (STM-07)", async () => {
    const channels = new Map<string, string>();
    const names = new Map<number, string>();
    const grow = (channel: string, piece: string) => channels.set(channel, (channels.get(channel) ?? "") + piece);
    for (const delta of await fragments(api)) {
      if (delta.type === "text" || delta.type === "reasoning") grow(delta.type, delta.text);
      if (delta.type === "tool_call_start") names.set(delta.index, delta.id);
      if (delta.type === "tool_call_args") grow(`call ${names.get(delta.index)}`, delta.args);
    }
    expect(Object.fromEntries(channels)).toEqual({
      text: "Hello.",
      reasoning: "Hm, so.",
      "call a": '{"at":"a"}',
      "call b": '{"at":"b"}',
    });
  });
});
