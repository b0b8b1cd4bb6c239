import { type CheckpointThread, type JsonValue, TinyAgentsError } from "@tinyagents/core";

/** How messages name a lineage. */
export function lineageName({ threadId, namespace }: CheckpointThread): string {
  return namespace === "" ? `thread "${threadId}"` : `thread "${threadId}", graph "${namespace}"`;
}

/** Another checkpoint is the head. */
export function headMoved(
  thread: CheckpointThread,
  expected: string | null,
  found: string | null,
): TinyAgentsError<"conflict"> {
  const said = (id: JsonValue): string => (id === null ? "no checkpoint" : `checkpoint "${id}"`);
  return conflict(
    thread,
    expected,
    found,
    `${said(found)} is its newest, not ${said(expected)}: somebody else has moved it. Nothing was written; load it and go on from there.`,
  );
}

/** The writer is not the newest owner. */
export function ownedByNewer(thread: CheckpointThread, fence: number, newest: number): TinyAgentsError<"conflict"> {
  const writer = fence === 0 ? "a writer without a number" : `owner ${fence}`;
  return conflict(
    thread,
    fence,
    newest,
    `it belongs to owner ${newest}, and not to ${writer}. Nothing was written; stop here.`,
  );
}

/** A task has other writes already. */
export function writtenOtherwise(thread: CheckpointThread, taskId: string): TinyAgentsError<"conflict"> {
  return conflict(
    thread,
    null,
    taskId,
    `task "${taskId}" has left other writes since this checkpoint: somebody else ran it too. Nothing of it was written.`,
  );
}

/** A thread that should be new has checkpoints. */
export function threadTaken(threadId: string): TinyAgentsError<"conflict"> {
  const problem = "it is not empty: somebody uses it, or a copy was stopped. Delete it first, or copy to another.";
  return conflict({ threadId, namespace: "" }, null, threadId, problem);
}

/** What was to be copied was deleted or pruned meanwhile. */
export function changedMeanwhile(threadId: string): TinyAgentsError<"conflict"> {
  const problem = "what it was being copied from was deleted or pruned meanwhile. Delete it, and copy again.";
  return conflict({ threadId, namespace: "" }, null, threadId, problem);
}

/** A copy is being made, or was stopped half-way. */
export function beingCopied(thread: CheckpointThread): TinyAgentsError<"conflict"> {
  const problem =
    "it is being copied from another thread, or was when that stopped. Nothing was written; wait, or delete it.";
  return conflict(thread, null, thread.threadId, problem);
}

function conflict(
  thread: CheckpointThread,
  expected: JsonValue,
  found: JsonValue,
  problem: string,
): TinyAgentsError<"conflict"> {
  const resource = lineageName(thread);
  return new TinyAgentsError("conflict", `${resource}: ${problem}`, { details: { resource, expected, found } });
}
