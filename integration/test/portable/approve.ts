import { type AgentState, askWhenResumed, isTinyAgentsError, tool, toolText } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { scriptedModel } from "@tinyagents/testkit";
import { z } from "zod";

/** Calls that wait for an approval: one run goes on from its state as JSON, another by its id from a recorder. */
export async function approve() {
  const log = memoryAppendStore();
  const sent: string[] = [];
  const send = tool({
    name: "send",
    description: "Sends a message.",
    input: z.object({ to: z.string() }),
    policy: { effect: "external", approval: "always" },
    execute: ({ to }) => {
      sent.push(to);
      return `sent to ${to}`;
    },
  });
  const secretary = (script: Parameters<typeof scriptedModel>[0]): Agent =>
    createAgent({
      name: "secretary",
      model: scriptedModel(script),
      tools: [send],
      approver: askWhenResumed,
      recorder: runRecorder(log),
    });
  const ask = async (to: string) => {
    const paused = await secretary([{ toolCalls: [{ name: "send", args: { to } }] }]).invoke(`Write to ${to}.`);
    return { paused, id: paused.requests[0]?.id ?? "" };
  };

  const grace = await ask("Grace");
  const sentWhilePaused = [...sent];
  const answers = { [grace.id]: { approve: true } };
  const state = JSON.stringify(grace.paused.state);
  const approved = await secretary(["It is sent."]).resume(JSON.parse(state) as AgentState, { answers });
  const twice = await codeOf(secretary([]).resume(JSON.parse(state) as AgentState, { answers }));

  const alan = await ask("Alan");
  const refusal = { [alan.id]: { approve: false, reason: "not today" } };
  const denied = await secretary(["Then not."]).resume(alan.paused.runId, { answers: refusal });
  return {
    status: grace.paused.status,
    sentWhilePaused,
    approved: transcript(approved.messages),
    twice,
    denied: transcript(denied.messages),
    sent,
  };
}

function transcript(messages: Awaited<ReturnType<Agent["invoke"]>>["messages"]): readonly string[] {
  return messages.flatMap((message) => (message.role === "tool" ? `${message.status}: ${toolText(message)}` : []));
}

function codeOf(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => "it ran",
    (error: unknown) => (isTinyAgentsError(error) ? error.code : String(error)),
  );
}
