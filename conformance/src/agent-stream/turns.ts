import { type AnyTool, type ModelDelta, TinyAgentsError, tool } from "@tinyagents/core";
import type { PlayedStep } from "./played-model.js";

const INPUT = { type: "object", properties: { at: { type: "string" } }, required: ["at"] } as const;

/** A tool that answers, and one that fails. */
export const TOOLS: readonly AnyTool[] = [
  tool({ name: "look", description: "Looks.", input: INPUT, execute: () => "fog" }),
  tool({
    name: "touch",
    description: "Touches.",
    input: INPUT,
    execute: () => {
      throw new Error("out of reach");
    },
  }),
];

export const ASKED = "Let me look.";
export const ANSWERED = "There is fog.";
export const CALLS = [
  { id: "call_look", name: "look", args: { at: "sea" } },
  { id: "call_touch", name: "touch", args: { at: "sky" } },
] as const;

function texts(text: string): readonly ModelDelta[] {
  return text.split(/(?<= )/).map((piece) => ({ type: "text", index: 0, text: piece }));
}

function callDeltas({ id, name, args }: (typeof CALLS)[number], index: number): readonly ModelDelta[] {
  const json = JSON.stringify(args);
  return [
    { type: "tool_call_start", index, id, name },
    { type: "tool_call_args", index, args: json.slice(0, 3) },
    { type: "tool_call_args", index, args: json.slice(3) },
    { type: "tool_call_end", index },
  ];
}

/** It says something, and calls both tools. */
export const askingTurn: readonly PlayedStep[] = [
  ...texts(ASKED),
  ...CALLS.flatMap((call, at) => callDeltas(call, at + 1)),
  { type: "usage", usage: { inputTokens: 3, outputTokens: 2, source: "reported" } },
  { type: "finish", finishReason: "tool_calls" },
];

/** It answers. */
export const answerTurn: readonly PlayedStep[] = [
  ...texts(ANSWERED),
  { type: "usage", usage: { inputTokens: 7, outputTokens: 4, source: "reported" } },
  { type: "finish", finishReason: "stop" },
];

/** It begins anew in the middle of its answer. */
export const restartingTurn: readonly PlayedStep[] = [
  ...texts("There is no "),
  { type: "restart", attempt: 2, reason: "network" },
  ...answerTurn,
];

/** It says something and then waits. */
export const waitingTurn: readonly PlayedStep[] = [...texts(ASKED), "wait"];

/** It says something and then fails for good. */
export const failingTurn: readonly PlayedStep[] = [
  ...texts(ASKED),
  new TinyAgentsError("provider_bad_request", "It does not take this.", { details: { provider: "played" } }),
];
