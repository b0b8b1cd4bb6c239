import {
  type Block,
  type Message,
  type ModelRequest,
  type ModelWarning,
  type SystemMessage,
  type TextBlock,
  type ToolCallBlock,
  type ToolMessage,
  toolText,
} from "@tinyagents/core";
import type { TextTool, TextTools } from "./text-tools.js";

/** A request in which text tools are words, and what there is to tell about that. */
export interface TextRequest {
  readonly request: ModelRequest;
  /** Those whose calls may come. */
  readonly offered: TextTools;
  readonly warnings: readonly ModelWarning[];
}

/**
 * A request for a model that knows nothing of text tools: the instructions say how to call them, their calls stand in
 * the history as the model writes them, and their results as messages.
 */
export function toTextRequest(asked: ModelRequest, tools: TextTools): TextRequest {
  const { tools: declared = [], toolChoice, messages, ...rest } = asked;
  const wanted = toolChoice === "none" ? [] : declared.filter(({ name }) => tools.has(name));
  const offered = new Map(wanted.map(({ name }) => [name, tools.get(name) as TextTool]));
  const native = declared.filter(({ name }) => !tools.has(name));
  const demand = demandOf(toolChoice, offered);
  const inWords = demand !== undefined && (native.length === 0 || typeof toolChoice === "object");
  const said = asText(messages, tools);
  return {
    request: {
      ...rest,
      messages: offered.size === 0 ? said : withInstructions(said, instructions(offered, demand)),
      ...(native.length === 0 ? {} : { tools: native }),
      ...(native.length === 0 || toolChoice === undefined || inWords ? {} : { toolChoice }),
    },
    offered,
    warnings: inWords ? [IN_WORDS] : [],
  };
}

const IN_WORDS: ModelWarning = {
  code: "changed_setting",
  setting: "toolChoice",
  message: "A tool that is called in text cannot be forced: the model was asked in words.",
};

function demandOf(choice: ModelRequest["toolChoice"], offered: TextTools): string | undefined {
  if (offered.size === 0) return undefined;
  if (choice === "required") return "Call a tool now.";
  return typeof choice === "object" && offered.has(choice.name) ? `Call ${choice.name} now.` : undefined;
}

function instructions(offered: TextTools, demand: string | undefined): string {
  const parts = [
    "You can call the tools below by writing a call into your answer, exactly as shown. After your calls, end the answer: the results come in the next message.",
    ...[...offered.values()].map(describe),
  ];
  return [...parts, ...(demand === undefined ? [] : [demand])].join("\n\n");
}

function describe({ name, description, inputSchema, format: { open, close, argument } }: TextTool): string {
  const body =
    argument === undefined
      ? `the arguments as JSON, by this schema: ${JSON.stringify(inputSchema)}`
      : `${JSON.stringify(argument)} as it is, by this schema: ${JSON.stringify(inputSchema)}`;
  const sample = argument === undefined ? "{ ... }" : "...";
  return `Tool ${name}: ${description}\nCall it with ${open}${sample}${close}\nBetween the marks stands ${body}`;
}

function withInstructions(messages: readonly Message[], text: string): readonly Message[] {
  const [first, ...others] = messages;
  const block: TextBlock = { type: "text", text };
  if (first?.role !== "system") return [{ role: "system", content: [block] }, ...messages];
  const content = first.content.length === 0 ? [block] : [...first.content, { ...block, text: `\n\n${text}` }];
  return [{ ...first, content } satisfies SystemMessage, ...others];
}

/** The history in which calls of text tools, and their results, are text. */
function asText(messages: readonly Message[], tools: TextTools): readonly Message[] {
  const written: Message[] = [];
  let calls = new Set<string>();
  let results: ToolMessage[] = [];
  // Behind the results of other tools, for those must follow their calls at once.
  const placeResults = (): void => {
    if (results.length > 0) written.push({ role: "user", content: results.flatMap(resultBlocks) });
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool" && calls.has(message.toolCallId)) {
      results.push(message);
      continue;
    }
    if (message.role !== "tool") placeResults();
    if (message.role === "assistant") calls = callsOf(message.content, tools);
    written.push(
      message.role === "assistant" && calls.size > 0
        ? { ...message, content: merged(message.content, tools) }
        : message,
    );
  }
  placeResults();
  return written;
}

function callsOf(content: readonly Block[], tools: TextTools): Set<string> {
  return new Set(content.flatMap((block) => (block.type === "tool_call" && tools.has(block.name) ? [block.id] : [])));
}

/** Content in which calls are text again, joined with the text around them as the model wrote it. */
function merged(content: readonly Block[], tools: TextTools): readonly Block[] {
  const blocks: Block[] = [];
  for (const block of content) {
    const tool = block.type === "tool_call" ? tools.get(block.name) : undefined;
    const next = block.type === "tool_call" && tool !== undefined ? written(tool, block) : block;
    const last = blocks.at(-1);
    const joins = last?.type === "text" && next.type === "text" && isBare(last) && isBare(next);
    if (joins) blocks[blocks.length - 1] = { type: "text", text: joined(last.text, next.text) };
    else blocks.push(next);
  }
  return blocks;
}

function joined(text: string, next: string): string {
  return /\s$/.test(text) || /^\s/.test(next) ? text + next : `${text}\n${next}`;
}

function isBare({ providerMetadata }: TextBlock): boolean {
  return providerMetadata === undefined;
}

function written({ format: { open, close, argument } }: TextTool, { args, invalid }: ToolCallBlock): TextBlock {
  if (invalid !== undefined) return { type: "text", text: `${open}${invalid.raw}${close}` };
  const value = argument === undefined ? undefined : args[argument];
  const body = typeof value === "string" ? value : JSON.stringify(args);
  return { type: "text", text: body.includes("\n") ? `${open}\n${body}\n${close}` : `${open}${body}${close}` };
}

function resultBlocks(result: ToolMessage): readonly Block[] {
  const { name, isError, content } = result;
  const media = content.filter(({ type }) => type === "image" || type === "audio" || type === "file");
  const rest = { ...result, content: content.filter((block) => !media.includes(block)) };
  return [{ type: "text", text: `[${isError ? "Failure" : "Result"} of ${name}]\n${toolText(rest)}\n` }, ...media];
}
