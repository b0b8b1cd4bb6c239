import {
  type FinishReason,
  type JsonObject,
  type Message,
  type ModelDelta,
  type ModelRequest,
  type ModelWarning,
  ownOptions,
  plainText,
  refuseEmpty,
  reportedUsage,
  saidFields,
  textOf,
  toolCalls,
} from "@tinyagents/core";

/** The body of a request. The provider's own options first: what the request says itself wins over them. */
export function toBody(model: string, request: ModelRequest): object {
  const { tools = [], toolChoice, responseFormat: format, temperature, maxOutputTokens, stopSequences } = request;
  const messages = request.messages.flatMap(toMessage);
  refuseEmpty(messages);
  const body = {
    model,
    messages,
    tools: tools.map(({ inputSchema: schema, ...tool }) => ({ ...tool, schema })),
    choice: toolChoice,
    schema: format?.type === "json_schema" ? format.schema : undefined,
    temperature,
    max_tokens: maxOutputTokens,
    stop: stopSequences,
  };
  return { ...ownOptions(request, "acme"), ...saidFields(body) };
}

/** One of Acme's messages; none where there is nothing to say. */
function toMessage(message: Message): readonly JsonObject[] {
  const { role, content } = message;
  const texts = content.map(plainText).filter((text) => text.trim() !== "");
  const text = texts.join("\n");
  if (message.role === "tool") return [{ role, call: message.toolCallId, text, failed: message.isError }];
  const calls = toolCalls(message).map(({ id, name, args }) => ({ id, name, args }));
  return text === "" && calls.length === 0 ? [] : [{ role, text, ...saidFields({ calls }) }];
}

/** A frame of an answer as deltas. Those of unknown types are passed over: an API grows. */
export function toDeltas({ type, at, ...frame }: JsonObject, warnings: readonly ModelWarning[]): readonly ModelDelta[] {
  const index = Number(at);
  const text = textOf(frame.text);
  switch (type) {
    case "text":
    case "refusal":
      return [{ type, index, text }];
    case "call":
      return [{ type: "tool_call_start", index, id: textOf(frame.id), name: textOf(frame.name) }];
    case "args":
      return [{ type: "tool_call_args", index, args: text }];
    case "call_end":
      return [{ type: "tool_call_end", index }];
    case "usage": {
      const { input, output, cached, thought } = frame;
      const counts = { inputTokens: input, outputTokens: output, cachedInputTokens: cached, reasoningTokens: thought };
      return [{ type, usage: reportedUsage(counts) }];
    }
    case "end": {
      const { reason, ...providerData } = frame;
      const rawFinishReason = textOf(reason);
      const finishReason = REASONS[rawFinishReason] ?? "other";
      return [{ type: "finish", finishReason, ...saidFields({ rawFinishReason, warnings, providerData }) }];
    }
    default:
      return [];
  }
}

const REASONS: { readonly [reason: string]: FinishReason } = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
  refusal: "refusal",
};
