import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LeasingRecorder, readAgentState, systemClock, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { runRecorder } from "@tinyagents/persistence";
import { openaiModel } from "@tinyagents/provider-openai";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { z } from "zod";

/** What a process does: it starts or resumes one run, or does one step of it. */
export interface ProgramOptions {
  readonly folder: string;
  readonly url: string;
  readonly mode: "start" | "resume" | "step";
  /** Work on these keys does not end by itself. */
  readonly hanging: readonly string[];
  /** How far the clock of this process is ahead of real time: past the lease of the one before it. */
  readonly aheadMs: number;
}

const { folder, url, mode, hanging, aheadMs } = JSON.parse(process.argv[2] ?? "") as ProgramOptions;
const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

const work = tool({
  name: "work",
  description: "Does a piece of work.",
  input: z.object({ key: z.string() }),
  execute: async ({ key }, { idempotencyKey, signal }) => {
    console.log(`begin ${key} ${idempotencyKey}`);
    if (hanging.includes(key)) await systemClock.sleep(600_000, signal);
    return `${key} is done`;
  },
});

/** Says what is recorded once it is: whoever reads that may kill the process. */
function telling(recorder: LeasingRecorder): LeasingRecorder {
  return {
    ...recorder,
    async toolResult(runId, callId, result, options) {
      await recorder.toolResult(runId, callId, result, options);
      console.log(`recorded ${callId}`);
    },
  };
}

const { log, close } = jsonlBackend({ folder: join(folder, "runs") });
const agent = createAgent({
  name: "worker",
  model: openaiModel("gpt-4o", { apiKey: "key-of-the-test", baseUrl: url }),
  tools: [work],
  recorder: telling(runRecorder(log, { clock })),
  clock,
});
const INPUT = "Do a, b and c.";

/** One step from the state in a file, which is all that one process leaves to the next. */
async function step(file: string) {
  const before = existsSync(file) ? readAgentState(readFileSync(file, "utf8")) : agent.initialState(INPUT);
  const state = await agent.step(before);
  writeFileSync(file, JSON.stringify(state));
  return state;
}

async function wholeRun() {
  const run = mode === "start" ? await agent.invoke(INPUT, { runId: "r1" }) : await agent.resume("r1");
  return { text: run.text, messages: run.messages, counters: run.counters };
}

try {
  console.log(JSON.stringify(mode === "step" ? await step(join(folder, "state.json")) : await wholeRun()));
} finally {
  await close();
}
