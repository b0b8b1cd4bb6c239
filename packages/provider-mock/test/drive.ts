import {
  type Block,
  type JsonObject,
  type JsonValue,
  type Message,
  type ModelRequest,
  type ToolDeclaration,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { decide } from "../src/decide.js";
import type { MockCall } from "../src/reply.js";

/** What a tool does in a test: gives a value, or throws. */
export type Execute = (call: MockCall) => JsonValue;

/** How a question went. */
export interface Course {
  readonly answer: string;
  /** The calls of each turn of the model. */
  readonly turns: readonly (readonly MockCall[])[];
  /** The calls of all turns. */
  readonly calls: readonly MockCall[];
}

const MAX_TURNS = 12;

/** Asks, runs what is called, and asks again until there is an answer. */
export function drive(
  question: string,
  tools: readonly ToolDeclaration[] = [],
  execute: Execute = () => null,
  request: Partial<ModelRequest> = {},
): Course {
  const messages: Message[] = [userMessage(question)];
  const turns: (readonly MockCall[])[] = [];
  while (turns.length < MAX_TURNS) {
    const reply = decide({ messages, tools, ...request });
    if (reply.type === "answer") return { answer: reply.text, turns, calls: turns.flat() };
    messages.push(...runAll(reply.calls, turns.length, execute));
    turns.push(reply.calls);
  }
  throw new Error(`no answer after ${MAX_TURNS} turns: ${JSON.stringify(turns)}`);
}

/** An assistant message with these calls, and their results. */
export function runAll(calls: readonly MockCall[], turn: number, execute: Execute): readonly Message[] {
  const asked = calls.map((call, at) => ({ type: "tool_call" as const, id: `call_${turn}_${at}`, ...call }));
  const results = asked.map((call) => {
    try {
      const value = execute(call);
      const content: readonly Block[] =
        typeof value === "string" ? [{ type: "text", text: value }] : [{ type: "json", value }];
      return toolMessage(call, content);
    } catch (error) {
      return toolMessage(call, String(error), "failed");
    }
  });
  return [{ role: "assistant", content: asked }, ...results];
}

export function declare(
  name: string,
  description: string,
  properties: JsonObject,
  required = Object.keys(properties),
): ToolDeclaration {
  return { name, description, inputSchema: { type: "object", properties, required } };
}

/** Tools over files, as an application might declare them. */
export const fileTools: readonly ToolDeclaration[] = [
  declare("list_files", "Lists the files of the folder.", {}),
  declare("search_files", "Finds files that contain words.", { query: { type: "string" } }),
  declare("read_file", "Reads a file.", { path: { type: "string" } }),
];

/** Runs {@link fileTools} over texts in memory. */
export function overFiles(files: { readonly [path: string]: string }): Execute {
  return ({ name, args }) => {
    if (name === "list_files") return Object.keys(files);
    if (name === "search_files") {
      const wanted = String(args.query).toLowerCase().split(" ");
      return Object.entries(files)
        .map(([path, text]) => ({
          path,
          lines: text.split("\n").filter((line) => wanted.some((word) => line.toLowerCase().includes(word))),
        }))
        .filter(({ lines }) => lines.length > 0);
    }
    const text = files[String(args.path)];
    if (text === undefined) throw new Error("there is no such file");
    return text;
  };
}
