import {
  type CheckpointStore,
  type CheckpointThread,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
} from "@tinyagents/core";

/** What a process is given to move a thread on. */
interface MoveOn {
  /** The number of the process. */
  readonly by: number;
  readonly times: number;
}

/** How often in a row somebody else may be faster. */
const MOST_TRIES = 5_000;

/**
 * Moves a thread on so many times: keeps what its task left after the head, then adds a checkpoint. Who was too late reads
 * again. Gives the ids of its checkpoints.
 */
export async function moveCheckpoints(checkpoints: CheckpointStore, args: JsonObject): Promise<JsonValue> {
  const { by, times } = args as unknown as MoveOn;
  const thread: CheckpointThread = { threadId: "t", namespace: "" };
  const ids: string[] = [];
  for (let tries = 0; ids.length < times; tries++) {
    if (tries > MOST_TRIES) throw new TypeError(`${MOST_TRIES} times somebody else was faster`);
    const chain = await checkpoints.load(thread);
    const head = chain?.rows.at(-1);
    if (head === undefined) throw new TypeError("the thread has a checkpoint already, and none is found");
    const checkpointId = `${by}-${ids.length}`;
    const baseId = ids.length % 10 === 5 ? checkpointId : head.baseId;
    const [parentId, step] = [head.checkpointId, head.step + 1];
    const row = {
      v: 1,
      ...thread,
      checkpointId,
      parentId,
      baseId,
      step,
      createdAtMs: 0,
      metadata: {},
      changes: by,
    } as const;
    try {
      await checkpoints.putWrites({
        ...thread,
        checkpointId: parentId,
        taskId: `task of ${by}`,
        writes: [checkpointId],
      });
      await checkpoints.append(row, { expectedHead: parentId });
      ids.push(checkpointId);
    } catch (error) {
      if (!isTinyAgentsError(error, "conflict")) throw error;
    }
  }
  return ids;
}
