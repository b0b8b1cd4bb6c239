import type { CheckpointMeta, CheckpointStore } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import { MOVED, type MovedRow, neededBy, rowOf } from "./lane-thread.js";
import { movedRow, movingTask } from "./write-thread.js";

/** A move that was acknowledged: from which checkpoint to which. */
export interface Moved {
  readonly lane: number;
  readonly id: string;
  readonly parentId: string | null;
}

/** One that was under way when its process was killed. */
export interface MoveUnderWay {
  readonly lane: number;
  readonly id: string;
}

/** Longer than the thread ever is here: it is listed whole. */
const ALL = 10_000;
/** A longer thread is pruned, behind the back of the process that lives. */
const MOST_ROWS = 24;
const KEPT = 5;

/**
 * Looks at the thread of all lanes: it is one line without a fork; what was acknowledged is there once, on the checkpoint
 * that was told and in the order of its lane; what was not is there whole or not at all; and with each checkpoint there is
 * what led to it. All but the newest are only listed, unless `isWhole`.
 * @returns the thread, and the lanes whose move under way was found done.
 * @throws CheckFailure that says what is not as it must be.
 */
export async function lookAtMoved(
  checkpoints: CheckpointStore,
  before: readonly MovedRow[],
  told: readonly Moved[],
  underWay: readonly MoveUnderWay[],
  isWhole: boolean,
): Promise<{ readonly moved: readonly MovedRow[]; readonly kept: ReadonlySet<number> }> {
  const listed = [...(await checkpoints.list(MOVED, { limit: ALL }))].reverse();
  const ids = listed.slice(before.length).map(({ checkpointId }) => checkpointId);
  const moved = [...before];
  for (const id of ids) moved.push(movedRow(moved.at(-1), id));
  assertEqual(listed, moved.map(metaOf), "the checkpoints of the thread that all move");
  assert(new Set(ids).size === ids.length, `a move was done twice: ${ids.join(", ")}`);
  const kept = underWay.filter(({ id }) => ids.includes(id));
  for (const id of ids)
    assert(
      [...told, ...kept].some((one) => one.id === id),
      `there is a checkpoint ${id}, and nobody has made it`,
    );
  for (const { id, parentId } of told) {
    assert(ids.includes(id), `the checkpoint ${id} is not there, though it was acknowledged`);
    assertEqual(moved.find((row) => row.id === id)?.parentId, parentId, `what ${id} was told to be made on`);
  }
  assertInOrder(ids, [...told, ...kept]);
  await assertRestored(checkpoints, moved, isWhole ? 0 : moved.length - 2);
  return { moved: await shorter(checkpoints, moved), kept: new Set(kept.map(({ lane }) => lane)) };
}

/** Each lane's moves are in its order. */
function assertInOrder(ids: readonly string[], moves: readonly MoveUnderWay[]): void {
  for (const lane of new Set(moves.map((one) => one.lane))) {
    const own = moves.flatMap((one) => (one.lane === lane ? [one.id] : []));
    const found = ids.filter((id) => own.includes(id));
    assertEqual(found, own, `the moves of lane ${lane}`);
  }
}

/** Each checkpoint from a place on is restored exactly, and the one before has what its task left. */
async function assertRestored(checkpoints: CheckpointStore, moved: readonly MovedRow[], from: number): Promise<void> {
  const headId = moved.at(-1)?.id;
  for (const [at, row] of moved.entries()) {
    if (at < from) continue;
    const chain = await checkpoints.load(MOVED, { checkpointId: row.id });
    const base = moved.findIndex(({ id }) => id === row.baseId);
    const way = moved.slice(base, at + 1).map((one) => rowOf(MOVED, one));
    assertEqual(chain?.rows, way, `what restores ${row.id}`);
    assertEqual(chain?.headId, headId, `the head, as ${row.id} is restored`);
    for (const task of chain?.tasks ?? [])
      assertEqual(task, movingTask(task.taskId.replace("moves ", "")), `what a task left after ${row.id}`);
    const next = moved[at + 1];
    if (next === undefined) continue;
    const led = chain?.tasks.some(({ taskId }) => taskId === movingTask(next.id).taskId);
    assert(led === true, `${next.id} is there, and what led to it after ${row.id} is not`);
  }
}

async function shorter(checkpoints: CheckpointStore, moved: readonly MovedRow[]): Promise<readonly MovedRow[]> {
  if (moved.length <= MOST_ROWS) return moved;
  const needed = neededBy(moved, KEPT);
  const dropped = await checkpoints.prune(MOVED, { keep: KEPT });
  assertEqual(dropped, moved.length - needed.length, "how many checkpoints were pruned");
  return needed;
}

function metaOf(row: MovedRow): CheckpointMeta {
  const { changes: _, ...meta } = rowOf(MOVED, row);
  return meta;
}
