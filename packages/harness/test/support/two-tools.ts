import type { ChatModel, ModelRequest } from "@tinyagents/core";
import { type Agent, type AgentOptions, createAgent } from "@tinyagents/harness";
import { fakeTool, type ScriptedAnswer, scriptedModel } from "@tinyagents/testkit";
import { z } from "zod";

const ANSWERS: readonly ScriptedAnswer[] = [
  { text: "Let me look.", toolCalls: [{ name: "weather", args: { city: "Oslo" } }], usage: { inputTokens: 10 } },
  { toolCalls: [{ name: "clothes", args: { rain: true } }], usage: { inputTokens: 20, outputTokens: 5 } },
  { text: "It rains in Oslo: take a coat.", usage: { inputTokens: 30, outputTokens: 7 } },
];

/** A model that answers by how far the history is, so that any process can play any part of the script. */
export function modelByHistory(answers: readonly ScriptedAnswer[], calls = 64): ChatModel {
  const answer = ({ messages }: ModelRequest): ScriptedAnswer => {
    const at = messages.filter(({ role }) => role === "assistant").length;
    const next = answers[at];
    if (next === undefined)
      throw new Error(`the script has ${answers.length} answers, and answer ${at + 1} was asked for`);
    return next;
  };
  return scriptedModel(Array.from({ length: calls }, () => answer));
}

/** An agent that asks two tools, one after the other, and answers. `ran` gets the id of each call that runs. */
export function twoToolAgent(ran: string[], options: Partial<AgentOptions> = {}): Agent {
  return createAgent({
    name: "advisor",
    system: "You advise on clothes.",
    model: modelByHistory(ANSWERS),
    tools: [
      fakeTool({
        name: "weather",
        input: z.object({ city: z.string() }),
        execute: ({ city }, { callId }) => {
          ran.push(callId);
          return { city, rain: true };
        },
      }),
      fakeTool({
        name: "clothes",
        input: z.object({ rain: z.boolean() }),
        execute: ({ rain }, { callId }) => {
          ran.push(callId);
          return rain ? "a coat" : "a shirt";
        },
      }),
    ],
    ...options,
  });
}

/** What the history of {@link twoToolAgent} is after "What do I wear in Oslo?", as `transcript` writes it. */
export const TWO_TOOL_TRANSCRIPT: readonly string[] = [
  "system: You advise on clothes.",
  "user: What do I wear in Oslo?",
  'assistant: Let me look. weather#call_1({"city":"Oslo"})',
  'tool: weather#call_1 ok {"city":"Oslo","rain":true}',
  'assistant: clothes#call_2({"rain":true})',
  "tool: clothes#call_2 ok a coat",
  "assistant: It rains in Oslo: take a coat.",
];
