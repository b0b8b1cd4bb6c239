import { join } from "node:path";
import { type RunRecorder, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { runRecorder } from "@tinyagents/persistence";
import { openaiModel } from "@tinyagents/provider-openai";
import { z } from "zod";
import { fileAppendStore } from "../support/file-append-store.js";

/** Starts or resumes one run: `folder url start|resume KEYS`. Work on the keys that are given never ends. */
const [folder = "", url = "", mode = "", ...hanging] = process.argv.slice(2);

const work = tool({
  name: "work",
  description: "Does a piece of work.",
  input: z.object({ key: z.string() }),
  execute: async ({ key }, { idempotencyKey }) => {
    console.log(`begin ${key} ${idempotencyKey}`);
    if (hanging.includes(key)) await new Promise((resolve) => setTimeout(resolve, 600_000));
    return `${key} is done`;
  },
});

/** Says what is recorded once it is: whoever reads that may kill the process. */
function telling(recorder: RunRecorder): RunRecorder {
  return {
    load: (runId) => recorder.load(runId),
    step: (state) => recorder.step(state),
    async toolResult(runId, callId, result) {
      await recorder.toolResult(runId, callId, result);
      console.log(`recorded ${callId}`);
    },
  };
}

const agent = createAgent({
  name: "worker",
  model: openaiModel("gpt-4o", { apiKey: "key-of-the-test", baseUrl: url }),
  tools: [work],
  recorder: telling(runRecorder(await fileAppendStore(join(folder, "log.jsonl")))),
});
const run = mode === "start" ? await agent.invoke("Do a, b and c.", { runId: "r1" }) : await agent.resume("r1");
console.log(JSON.stringify({ text: run.text, messages: run.messages, counters: run.counters }));
