import { type ChatModel, collect, resolvedModel, text, userMessage } from "@tinyagents/core";
import { mockModel } from "@tinyagents/provider-mock";

/** A single call of a model, with no agent around it. */
export async function ask(question: string, model: ChatModel = mockModel()): Promise<string> {
  const request = { messages: [userMessage(question)] };
  const deltas = model.stream(request, { signal: undefined, delivery: "incremental" });
  return text((await collect(deltas, resolvedModel(model))).message);
}
