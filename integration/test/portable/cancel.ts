import { isTinyAgentsError } from "@tinyagents/core";
import { type Agent, createAgent, runOf } from "@tinyagents/harness";
import { hangingTool, type ScriptedAnswer, scriptedModel } from "@tinyagents/testkit";

/** Cancels a model in the middle of its answer, a tool that hangs, and a stream that is left. */
export async function cancel() {
  const hanging = { text: "Well, ", hang: true } satisfies ScriptedAnswer;
  const talker = scriptedModel([hanging]);
  const worker = hangingTool({ name: "wait", input: { type: "object" } });
  const caller = scriptedModel([{ toolCalls: [{ name: "wait" }] }]);
  const left = scriptedModel([hanging]);

  const model = await cancelled(createAgent({ name: "talker", model: talker }), () => talker.called());
  const tool = await cancelled(createAgent({ name: "caller", model: caller, tools: [worker] }), () => worker.called());
  for await (const item of createAgent({ name: "left", model: left }).stream("Go on.")) {
    if (item.type === "text") break;
  }
  return {
    model: { ...model, call: talker.calls[0]?.state },
    tool: { ...tool, aborted: worker.aborted },
    stream: { call: left.calls[0]?.state },
  };
}

async function cancelled(agent: Agent, underWay: () => Promise<unknown>) {
  const controller = new AbortController();
  const run = agent.invoke("Go on.", { signal: controller.signal }).catch((error: unknown) => error);
  await underWay();
  controller.abort();
  const error = await run;
  return {
    code: isTinyAgentsError(error) ? error.code : String(error),
    results: (runOf(error)?.messages ?? []).flatMap((message) => (message.role === "tool" ? message.status : [])),
  };
}
