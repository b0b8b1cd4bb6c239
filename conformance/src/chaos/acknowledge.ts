import { after, type Lane, nextWrite, type Parts } from "./lane.js";
import { withTask } from "./lane-thread.js";
import type { Moved } from "./look-moved.js";
import type { SharedAppend } from "./look-shared.js";
import type { Acknowledged } from "./write-job.js";

/** What is known once it was acknowledged. */
interface AllAcknowledged {
  readonly lanes: readonly Lane[];
  /** What was appended to the stream of all lanes. */
  readonly shares: readonly SharedAppend[];
  /** How the thread of all lanes was moved on. */
  readonly moves: readonly Moved[];
}

/** The lanes as they were acknowledged, and what they did to what all lanes have. */
export function acknowledge(
  lanes: readonly Lane[],
  told: readonly Acknowledged[],
  seed: number,
  parts: Parts,
): AllAcknowledged {
  const shares: SharedAppend[] = [];
  const moves: Moved[] = [];
  const moved = lanes.map((first) =>
    told
      .filter(({ lane }) => lane === first.lane)
      .reduce((lane, { versions, offset = -1, parentId = null, taskId }) => {
        const write = nextWrite(lane, seed, parts);
        if (taskId !== undefined) return withTaskDone(lane, write, taskId);
        if (write.type === "share") shares.push({ lane: lane.lane, ids: write.ids, offset });
        if (write.type === "move") moves.push({ lane: lane.lane, id: write.id, parentId });
        return after(lane, write, versions);
      }, first),
  );
  return { lanes: moved, shares, moves };
}

function withTaskDone(lane: Lane, write: ReturnType<typeof nextWrite>, taskId: string): Lane {
  const task = write.type === "tasks" ? write.tasks.find((one) => one.taskId === taskId) : undefined;
  if (task === undefined) throw new TypeError(`lane ${lane.lane} acknowledged a task that it does not have: ${taskId}`);
  return { ...lane, thread: withTask(lane.thread, task) };
}
