import { approximateTokens, estimateTokens, type Message, type ModelRequest, type Usage } from "@tinyagents/core";
import type { MockReply } from "./reply.js";

/** Estimates usage. Counts of messages and tool lists are kept, so a growing history is counted once, not at every call. */
export class TokenMeter {
  readonly #messages = new WeakMap<Message, number>();
  readonly #tools = new WeakMap<object, number>();

  usage(request: ModelRequest, reply: MockReply): Usage {
    return { inputTokens: this.#input(request), outputTokens: outputTokens(reply), source: "estimated" };
  }

  #input({ messages, tools }: ModelRequest): number {
    let tokens = 0;
    for (const message of messages) tokens += remembered(this.#messages, message, () => estimateTokens([message]));
    if (tools === undefined) return tokens;
    return tokens + remembered(this.#tools, tools, () => approximateTokens(JSON.stringify(tools)));
  }
}

function outputTokens(reply: MockReply): number {
  const calls = reply.type === "answer" ? [] : reply.calls;
  return calls.reduce(
    (sum, { name, args }) => sum + approximateTokens(name) + approximateTokens(JSON.stringify(args)),
    approximateTokens(reply.text ?? ""),
  );
}

function remembered<K extends object>(counts: WeakMap<K, number>, key: K, count: () => number): number {
  const known = counts.get(key);
  if (known !== undefined) return known;
  const tokens = count();
  counts.set(key, tokens);
  return tokens;
}
