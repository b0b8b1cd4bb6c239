import { randomUUID } from "node:crypto";
import { type AgentState, type AgentStreamItem, isTinyAgentsError } from "@tinyagents/core";
import { runRecorder, shortTermMemory } from "@tinyagents/persistence";
import { type Assistant, LEASE_MS } from "./assistant.js";
import type { OpenedStore } from "./open-store.js";
import { type Unfinished, unfinishedRun } from "./unfinished.js";

/** What is to be shown: which run begins or goes on, and what happens in it. */
type ConversationItem =
  | { readonly type: "question"; readonly question: string; readonly resumed: boolean }
  | AgentStreamItem;

/** A thread in a store, or questions outside of threads. */
export interface Conversation {
  /** What the store gives to the agent. */
  readonly memory: ReturnType<typeof shortTermMemory>;
  readonly recorder: ReturnType<typeof runRecorder>;
  /** The state of the run that was begun and has not ended; absent when there is none, or nothing of it was recorded. */
  readonly state: AgentState | undefined;
  /** Whether a run was begun that has not ended. */
  readonly isUnfinished: boolean;
  /** Goes on with that run, and then answers the question, unless it is the same or there is none. */
  run(agent: Assistant, question: string | undefined): AsyncIterable<ConversationItem>;
}

/** Opens the conversation of a thread, or, without one, that of questions which do not know of each other. */
export async function openConversation(storage: OpenedStore, thread: string | undefined): Promise<Conversation> {
  const recorder = runRecorder(storage.log, { leaseMs: LEASE_MS });
  const note = unfinishedRun(storage.store, thread);
  const noted = await note.find();
  const state = noted && (await recorder.load(noted.runId))?.state;
  const isUnfinished = noted !== undefined && state?.phase !== "done";
  return {
    memory: shortTermMemory(storage.store),
    recorder,
    state: isUnfinished ? state : undefined,
    isUnfinished,
    run,
  };

  async function* run(agent: Assistant, question: string | undefined): AsyncGenerator<ConversationItem> {
    if (isUnfinished) {
      yield { type: "question", question: noted.question, resumed: true };
      // One that was killed before anything of it was recorded is asked for anew, under its id.
      yield* untilDone(state === undefined ? agent.ask(noted.question, idsOf(noted)) : agent.goOn(noted.runId));
    }
    if (question === undefined || (isUnfinished && question === noted.question)) return;
    const asked = { runId: randomUUID(), question };
    await note.note(asked);
    yield { type: "question", question, resumed: false };
    yield* untilDone(agent.ask(question, idsOf(asked)));
  }

  /** A run that came to an end, or failed, is unfinished no longer; one that was stopped, here or by a crash, is. */
  async function* untilDone(items: AsyncIterable<AgentStreamItem>): AsyncGenerator<AgentStreamItem> {
    try {
      yield* items;
    } catch (error) {
      if (!isTinyAgentsError(error, "cancelled") && !isTinyAgentsError(error, "conflict")) await note.forget();
      throw error;
    }
    await note.forget();
  }

  function idsOf({ runId }: Unfinished): { readonly runId: string; readonly threadId?: string } {
    return thread === undefined ? { runId } : { runId, threadId: thread };
  }
}
