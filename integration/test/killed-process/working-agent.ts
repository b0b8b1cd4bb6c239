import {
  type AgentEvent,
  type Clock,
  type EventJournal,
  fanOut,
  type LeasingRecorder,
  type RunStatusStore,
  type ShortTermMemory,
  systemClock,
  tool,
} from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import {
  eventJournal,
  journaledRecorder,
  runRecorder,
  runStatusSink,
  runStatusStore,
  shortTermMemory,
} from "@tinyagents/persistence";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "@tinyagents/testkit";
import type { OpenBackend } from "../backends/open-backend.js";

export interface WorkingAgentOptions {
  readonly backend: OpenBackend;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Work on these keys takes so long. */
  readonly hanging: readonly string[];
  /** Default: longer than any test. */
  readonly hangMs?: number | undefined;
  /** Told what work begins, what is recorded and what is saved, once it is: whoever hears it may kill the process. */
  tell(line: string): void;
  /** Told of every event. */
  live?(event: AgentEvent): void;
}

/** An agent whose runs, threads, events and statuses are all in one backend. */
export interface WorkingAgent {
  readonly agent: Agent;
  readonly recorder: LeasingRecorder;
  readonly journal: EventJournal;
  readonly statuses: RunStatusStore;
  readonly memory: ShortTermMemory;
  /** Writes what waits, and takes no further events. */
  close(): Promise<void>;
}

/** Keys that are worked on in one run, in batches: `d` by a helper in a run of its own. */
export const KEYS: readonly string[] = ["a", "b", "c", "d", "e", "f"];

const SCRIPT: readonly ScriptedAnswer[] = [
  { text: "Three at once.", toolCalls: ["a", "b", "c"].map(call) },
  { toolCalls: [{ id: "help", name: "helper", args: { task: "Do d." } }] },
  { toolCalls: ["e", "f"].map(call) },
  { text: "All is done." },
];
const HELP: readonly ScriptedAnswer[] = [{ toolCalls: [call("d")] }, { text: "Helped." }];
const MOST_CALLS = 100;

function call(key: string) {
  return { id: key, name: "work", args: { key } };
}

/** Plays a script by how much of it has been answered since the user spoke last: to any process the same. */
function player(script: readonly ScriptedAnswer[]): ScriptedModel {
  return scriptedModel(
    Array.from({ length: MOST_CALLS }, () => async ({ messages }) => {
      await systemClock.sleep(2);
      const asked = messages.map(({ role }) => role).lastIndexOf("user");
      const answered = messages.slice(asked).filter(({ role }) => role === "assistant").length;
      return script[answered] ?? "Nothing is left to say.";
    }),
  );
}

export function workingAgent(options: WorkingAgentOptions): WorkingAgent {
  const { backend, clock, leaseMs, hanging, hangMs = 600_000, tell, live } = options;
  const work = tool({
    name: "work",
    description: "Does a piece of work.",
    input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    execute: async (input, { idempotencyKey, signal }) => {
      const { key } = input as { readonly key: string };
      tell(`begin ${key} ${idempotencyKey}`);
      await systemClock.sleep(hanging.includes(key) ? hangMs : 1, signal);
      return `${key} is done`;
    },
  });
  const journal = eventJournal(backend.log, { clock });
  const statuses = runStatusStore(backend.store);
  const status = runStatusSink(statuses, { clock });
  const sinks = [journal.sink({ deltas: true, payloads: true }), status];
  if (live !== undefined) sinks.push({ ...status, deltas: true, payloads: true, emit: live });
  // A step counts only when its events and what they change of statuses are stored.
  const told = { flush: async () => void (await Promise.all([journal.flush(), status.flush()])) };
  const recorder = runRecorder(backend.log, { clock, leaseMs });
  const memory = shortTermMemory(backend.store);
  const helper = createAgent({ name: "helper", model: player(HELP), tools: [work] });
  return {
    recorder,
    journal,
    statuses,
    memory,
    agent: createAgent({
      name: "worker",
      model: player(SCRIPT),
      tools: [work, helper.asTool({ description: "Helps." })],
      recorder: tellingRecorder(journaledRecorder(recorder, told), tell),
      memory: tellingMemory(memory, tell),
      events: fanOut(sinks),
      clock,
    }),
    async close() {
      await journal.flush();
      await status.close();
    },
  };
}

function tellingRecorder(recorder: LeasingRecorder, tell: (line: string) => void): LeasingRecorder {
  return {
    ...recorder,
    async toolResult(runId, callId, result, options) {
      await recorder.toolResult(runId, callId, result, options);
      tell(`recorded ${runId}/${callId}`);
    },
  };
}

function tellingMemory(memory: ShortTermMemory, tell: (line: string) => void): ShortTermMemory {
  return {
    ...memory,
    async save(threadId, state, options) {
      const version = await memory.save(threadId, state, options);
      tell(`saved ${threadId}`);
      return version;
    },
  };
}
