import type { Block, JsonObject, Message, ModelRequest, ModelWarning, ToolCallBlock } from "@tinyagents/core";

/** The body of a request, and what of it Acme has no word for. */
export interface AcmeBody {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
}

/** The provider's own options first: what the request says itself wins over them. */
export function toBody(model: string, request: ModelRequest, stream: boolean): AcmeBody {
  const { tools = [], toolChoice, responseFormat, temperature, maxOutputTokens, stopSequences } = request;
  const body = {
    ...request.providerOptions?.acme,
    model,
    stream,
    messages: request.messages.map(toMessage).filter((message) => message !== undefined),
    ...(tools.length === 0 ? {} : { tools: tools.map(({ inputSchema: schema, ...tool }) => ({ ...tool, schema })) }),
    ...(toolChoice === undefined ? {} : { choice: typeof toolChoice === "string" ? toolChoice : { ...toolChoice } }),
    ...(responseFormat?.type === "json_schema" ? { schema: responseFormat.schema } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(stopSequences === undefined ? {} : { stop: stopSequences }),
  };
  const unknown = (["topP", "seed", "reasoningEffort"] as const).filter((setting) => request[setting] !== undefined);
  return { body, warnings: unknown.map(warning) };
}

function warning(setting: string): ModelWarning {
  return { code: "unsupported_setting", setting, message: `Acme has no ${setting}: it was left out.` };
}

/** One of Acme's messages; nothing where there is nothing to say. */
function toMessage(message: Message): JsonObject | undefined {
  const { role, content } = message;
  const text = content
    .map(plain)
    .filter((piece) => piece.trim() !== "")
    .join("\n");
  if (message.role === "tool") return { role, call: message.toolCallId, text, failed: message.isError };
  const calls = content.filter((block): block is ToolCallBlock => block.type === "tool_call");
  if (text === "" && calls.length === 0) return undefined;
  return {
    role,
    text,
    ...(calls.length === 0 ? {} : { calls: calls.map(({ id, name, args }) => ({ id, name, args })) }),
  };
}

/** A block in words. Thoughts, and what only another provider understands, have none. */
function plain(block: Block): string {
  if (block.type === "text" || block.type === "refusal") return block.text;
  if (block.type === "json") return JSON.stringify(block.value);
  if (block.type === "tool_result") return block.content.map(plain).join("\n");
  return block.type === "image" || block.type === "audio" || block.type === "file" ? `[${block.type}]` : "";
}
