import { appendFileSync } from "node:fs";
import { type Agent, createAgent } from "@tinyagents/harness";
import { fakeTool } from "@tinyagents/testkit";
import { z } from "zod";
import { fileRecorder } from "./file-recorder.js";
import { modelByHistory } from "./two-tools.js";

/** An agent with one batch of five calls. Each notes its beginning and its end in a file; those in `stuck` never end. */
export function batchAgent(folder: string, stuck: readonly string[]): Agent {
  const note = (line: string): void => appendFileSync(`${folder}/ran.txt`, `${line}\n`);
  return createAgent({
    name: "batch",
    model: modelByHistory([
      { toolCalls: ["a", "b", "c", "d", "e"].map((key) => ({ name: "work", args: { key } })) },
      { text: "All five are done." },
    ]),
    tools: [
      fakeTool({
        name: "work",
        input: z.object({ key: z.string() }),
        execute: async ({ key }, { idempotencyKey }) => {
          note(`begin ${key} ${idempotencyKey}`);
          if (stuck.includes(key)) await new Promise((resolve) => setTimeout(resolve, 3_600_000));
          note(`end ${key}`);
          return key;
        },
      }),
    ],
    recorder: fileRecorder(`${folder}/run.jsonl`),
  });
}
