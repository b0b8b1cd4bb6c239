import { type CheckpointStore, isTinyAgentsError, messageOf } from "@tinyagents/core";
import { assert, assertFails } from "../assert.js";
import type { Lane } from "./lane.js";
import { copyOf, type LaneRow, rowOf, type ThreadWrite } from "./lane-thread.js";
import { problemOf, readThread } from "./look-thread.js";
import { performOnThread } from "./write-thread.js";

/** What was found of a copy, and whether the write under way was found done. */
interface LookedAtCopy {
  readonly copy: readonly LaneRow[];
  readonly kept: boolean;
}

/**
 * Looks at the copy of a lane's thread: it has what its thread had when it was copied, whatever became of that since, and no
 * owner. A copy under way is there whole, or restores nothing; one that is half done takes no writes, and can be deleted and
 * made again. Does what was under way once more, so that it is done. Not looked at where nothing was under way, unless `isWhole`.
 * @throws CheckFailure that says what is not as it must be.
 */
export async function lookAtCopy(
  checkpoints: CheckpointStore,
  lane: Lane,
  underWay: ThreadWrite | undefined,
  isWhole: boolean,
): Promise<LookedAtCopy> {
  const { thread } = lane;
  const isUnderWay = underWay?.type === "copy" || underWay?.type === "discard";
  if (!isUnderWay && !isWhole) return { copy: thread.copy, kept: false };
  const [before, after] = underWay?.type === "copy" ? [[], thread.rows] : [thread.copy, isUnderWay ? [] : thread.copy];
  const isLeft = (await problemIn(checkpoints, lane, before, isWhole)) === undefined;
  if (isLeft && underWay?.type === "copy") await copyAnew(checkpoints, lane, underWay);
  if (isLeft && underWay?.type === "discard") await performOnThread(checkpoints, lane, underWay, () => undefined);
  const problem = await problemIn(checkpoints, lane, after, isWhole);
  const how = isUnderWay ? ` (${underWay.type} was not acknowledged)` : "";
  assert(problem === undefined, `the copy of the thread of lane ${lane.lane}${how}: ${problem}`);
  await takesWrites(checkpoints, lane, after);
  return { copy: after, kept: isUnderWay && !isLeft };
}

/** What is wrong with the copy, when it has these rows; nothing when all is right. */
async function problemIn(
  checkpoints: CheckpointStore,
  { lane }: Lane,
  rows: readonly LaneRow[],
  isWhole: boolean,
): Promise<string | undefined> {
  return problemOf(await readThread(checkpoints, copyOf(lane), isWhole), copyOf(lane), rows);
}

/** Copies again: over one that was stopped half-way only after that was deleted, and nothing was written to it. */
async function copyAnew(checkpoints: CheckpointStore, lane: Lane, write: ThreadWrite): Promise<void> {
  const copy = (): Promise<unknown> => performOnThread(checkpoints, lane, write, () => undefined);
  try {
    await copy();
  } catch (error) {
    if (!isTinyAgentsError(error, "conflict")) throw error;
    const first = rowOf(copyOf(lane.lane), { id: "early", parentId: null, baseId: "early", step: 0 });
    const early = checkpoints.append(first, { expectedHead: null });
    await assertFails(early, "conflict", `a checkpoint of lane ${lane.lane} in a copy that is half done`);
    await performOnThread(checkpoints, lane, { type: "discard" }, () => undefined);
    await copy();
  }
}

/** A copy that is done belongs to nobody: adding its head once more needs no number, and adds nothing. */
async function takesWrites(checkpoints: CheckpointStore, { lane }: Lane, copy: readonly LaneRow[]): Promise<void> {
  const head = copy.at(-1);
  if (head === undefined) return;
  const again = checkpoints.append(rowOf(copyOf(lane), head), { expectedHead: head.parentId });
  const refusal = await again.then(() => undefined, messageOf);
  assert(refusal === undefined, `the copy of the thread of lane ${lane} refuses who has no number: ${refusal}`);
}
