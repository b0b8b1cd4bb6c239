import { type AgentRun, type Message, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { runRecorder, shortTermMemory } from "@tinyagents/persistence";
import { memoryAppendStore, memoryStore } from "@tinyagents/store-memory";
import { failAt, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { dyingAt } from "./dying.js";

const SCRIPT = [
  {
    text: "Both.",
    toolCalls: [
      { id: "c1", name: "look", args: { at: "a" } },
      { id: "c2", name: "look", args: { at: "b" } },
    ],
  },
  { toolCalls: [{ id: "c3", name: "look", args: { at: "c" } }] },
  "Seen a, b and c.",
];

/** A world in which agents come and go: its logs and memory stay, and so does what the tools have done. */
function world() {
  const log = memoryAppendStore();
  const store = memoryStore();
  const runs = new Map<string, number>();
  const look = tool({
    name: "look",
    description: "Looks at something.",
    input: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    execute: async (input) => {
      const { at } = input as { readonly at: string };
      runs.set(at, (runs.get(at) ?? 0) + 1);
      return `${at} is there`;
    },
  });
  /** An agent as a new process makes it. The model answers by how much of the script the history has. */
  const agent = (recordedIn = log) =>
    createAgent({
      name: "tester",
      model: scriptedModel(
        SCRIPT.map(() => (request) => {
          const answered = request.messages.filter(({ role }) => role === "assistant").length;
          return SCRIPT[answered] ?? "Nothing is left to say.";
        }),
      ),
      tools: [look],
      memory: shortTermMemory(store),
      recorder: runRecorder(recordedIn),
    });
  return { log, store, runs, agent };
}

function start(agent: ReturnType<ReturnType<typeof world>["agent"]>): Promise<AgentRun> {
  return agent.invoke("Look at a, b and c.", { runId: "r1", threadId: "t1" });
}

/** A history without its times. */
function said(messages: readonly Message[]): unknown {
  return messages.map(({ role, content }) => [role, content]);
}

const calm = world();
const counting = failAt(calm.log, Number.POSITIVE_INFINITY);
const undisturbed = await start(calm.agent(counting.subject));

it("an agent with a recorder and memory writes both, and ends as the script says", async () => {
  expect(undisturbed.text).toBe("Seen a, b and c.");
  expect(counting.writes).toBeGreaterThan(5);
  const remembered = await shortTermMemory(calm.store).load("t1");
  expect(remembered?.state.messages.length).toBe(undisturbed.messages.length);
});

describe.each(["before", "after"] as const)("an agent that is killed at a write to its log, %s it is done", (when) => {
  it.each(Array.from({ length: counting.writes }, (_, index) => index + 1))(
    "is resumed by a new process to the same end, and no recorded call is repeated: write %i (LOOP-14, MEM-03)",
    async (write) => {
      const { log, store, runs, agent } = world();
      await expect(start(agent(dyingAt(log, write, when)))).rejects.toThrow();

      const left = await runRecorder(log).load("r1");
      if (left?.state.phase === "done") return expect(said(left.state.messages)).toEqual(said(undisturbed.messages));
      const recorded = [...(left?.toolResults.keys() ?? [])].map((callId) => ({ c1: "a", c2: "b", c3: "c" })[callId]);
      const before = new Map(runs);
      const run = left === undefined ? await start(agent()) : await agent().resume("r1");

      expect(run.status).toBe("completed");
      expect(said(run.messages)).toEqual(said(undisturbed.messages));
      for (const at of recorded) expect(runs.get(at ?? "")).toBe(before.get(at ?? ""));
      expect([...runs.keys()].sort()).toEqual(["a", "b", "c"]);
      expect((await runRecorder(log).load("r1"))?.state.phase).toBe("done");
      expect((await shortTermMemory(store).load("t1"))?.state.messages.length).toBe(undisturbed.messages.length);
    },
  );
});
