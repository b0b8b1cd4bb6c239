import type { AppendStore, CheckpointStore, Store } from "@tinyagents/core";
import type { Chance } from "../store/chance.js";
import { acknowledge } from "./acknowledge.js";
import { EMPTY, headOf, type Lane, type LaneStream, type LaneWrite, nextWrite, type Parts, SHARED } from "./lane.js";
import { isThreadWrite, type LaneThread, type MovedRow } from "./lane-thread.js";
import { lookAt, lookAtQuiet } from "./look.js";
import { lookAtCopy } from "./look-copy.js";
import { lookAtMoved, type Moved, type MoveUnderWay } from "./look-moved.js";
import { lookAtShared, type SharedAppend, type SharedUnderWay } from "./look-shared.js";
import { lookAtThread } from "./look-thread.js";
import type { Acknowledged } from "./write-job.js";

/** What is looked at of a backend: what it claims to keep. */
export interface KeptParts {
  readonly store?: Store | undefined;
  readonly log?: AppendStore | undefined;
  readonly checkpoints?: CheckpointStore | undefined;
}

/** What must be there. */
export interface Known {
  readonly lanes: readonly Lane[];
  /** Lanes of the process that is not killed. */
  readonly beside: readonly Lane[];
  readonly shared: LaneStream;
  readonly moved: readonly MovedRow[];
}

/** What was acknowledged since the last time. */
export interface Told {
  readonly byKilled: readonly Acknowledged[];
  readonly byLiving: readonly Acknowledged[];
}

/** The stream of all lanes is not kept longer than this. */
const MOST_SHARED = 60;

/** What was found. */
interface Looked {
  /** What there is from then on. */
  readonly known: Known;
  /** Of the writes that were under way, how many were found done. */
  readonly kept: number;
}

export interface LookOptions {
  readonly seed: number;
  readonly parts: Parts;
  readonly by: Chance;
  /** Whether all is read: what was there the last time, older checkpoints, what the process that lives has written. */
  readonly isWhole: boolean;
}

/** Looks at what there is. @throws CheckFailure that says what is not as it must be. */
export async function lookAll(
  backend: KeptParts,
  known: Known,
  { byKilled, byLiving }: Told,
  { seed, parts, by, isWhole }: LookOptions,
): Promise<Looked> {
  const killed = acknowledge(known.lanes, byKilled, seed, parts);
  const living = acknowledge(known.beside, byLiving, seed, parts);
  const underWay = killed.lanes.map((lane) => ({ lane, write: nextWrite(lane, seed, parts) }));
  const [shares, moves] = [
    [...killed.shares, ...living.shares],
    [...killed.moves, ...living.moves],
  ];
  const { shared, kept: keptShares } = await sharedBy(backend, known.shared, shares, underWay, isWhole);
  const { moved, kept: keptMoves } = await movedBy(backend, known.moved, moves, underWay, isWhole);
  const lanes: Lane[] = [];
  let kept = 0;
  for (const [at, { lane, write }] of underWay.entries()) {
    const looked = await lookAt(backend, lane, write, isWhole ? undefined : known.lanes[at]);
    const { thread, kept: inThread } = await threadIn(backend, looked.lane, write, isWhole, by);
    if (looked.kept || inThread || keptShares.has(lane.lane) || keptMoves.has(lane.lane)) kept += 1;
    lanes.push({ ...looked.lane, thread, next: lane.next + 1 });
  }
  for (const lane of isWhole ? living.lanes : []) {
    await lookAtQuiet(backend, lane);
    await threadIn(backend, lane, undefined, isWhole, by);
  }
  return { known: { lanes, beside: living.lanes, shared: await shorten(backend, shared, by), moved }, kept };
}

interface UnderWay {
  readonly lane: Lane;
  readonly write: LaneWrite;
}

const NONE: ReadonlySet<number> = new Set();

/** Looks at the stream of all lanes, where there is one. */
async function sharedBy(
  { log }: KeptParts,
  shared: LaneStream,
  told: readonly SharedAppend[],
  underWay: readonly UnderWay[],
  isWhole: boolean,
): Promise<{ readonly shared: LaneStream; readonly kept: ReadonlySet<number> }> {
  if (log === undefined) return { shared, kept: NONE };
  const sharing = underWay.flatMap(({ lane, write }): readonly SharedUnderWay[] =>
    write.type === "share" ? [{ lane: lane.lane, write }] : [],
  );
  return lookAtShared(log, shared, told, sharing, isWhole);
}

/** Looks at the thread of all lanes, where there is one. */
async function movedBy(
  { checkpoints }: KeptParts,
  moved: readonly MovedRow[],
  told: readonly Moved[],
  underWay: readonly UnderWay[],
  isWhole: boolean,
): Promise<{ readonly moved: readonly MovedRow[]; readonly kept: ReadonlySet<number> }> {
  if (checkpoints === undefined) return { moved, kept: NONE };
  const moving = underWay.flatMap(({ lane, write }): readonly MoveUnderWay[] =>
    write.type === "move" ? [{ lane: lane.lane, id: write.id }] : [],
  );
  return lookAtMoved(checkpoints, moved, told, moving, isWhole);
}

/** Looks at a lane's own thread and its copy, where there are any. */
async function threadIn(
  { checkpoints }: KeptParts,
  lane: Lane,
  write: LaneWrite | undefined,
  isWhole: boolean,
  by: Chance,
): Promise<{ readonly thread: LaneThread; readonly kept: boolean }> {
  if (checkpoints === undefined) return { thread: lane.thread, kept: false };
  const underWay = write !== undefined && isThreadWrite(write) ? write : undefined;
  const own = await lookAtThread(checkpoints, lane, underWay, isWhole, by);
  const { copy, kept } = await lookAtCopy(checkpoints, lane, underWay, isWhole);
  return { thread: { ...own.thread, copy }, kept: own.kept || kept };
}

/** Keeps the stream of all lanes short, behind the back of the process that lives. */
async function shorten({ log }: KeptParts, shared: LaneStream, by: Chance): Promise<LaneStream> {
  if (log === undefined || shared.ids.length === 0) return shared;
  if (by.onceIn(15)) {
    await log.delete(SHARED);
    return EMPTY;
  }
  if (shared.ids.length <= MOST_SHARED && !by.onceIn(5)) return shared;
  const before = headOf(shared) - by.below(Math.min(MOST_SHARED, shared.ids.length));
  await log.truncate(SHARED, { before });
  return { ...shared, start: before, ids: shared.ids.slice(before - shared.start) };
}
