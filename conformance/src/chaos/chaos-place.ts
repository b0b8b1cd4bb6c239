import { type AppendStore, type JsonValue, messageOf, type Store } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { type Chance, chance } from "../store/chance.js";
import type { Opened, Place } from "../store/place.js";
import { companion, killOpener, killWriter } from "./kill.js";
import { after, EMPTY, headOf, type Lane, type LaneStream, newLane, nextWrite, type Parts, SHARED } from "./lane.js";
import { lookAt, lookAtQuiet } from "./look.js";
import { lookAtShared, type SharedAppend, type SharedUnderWay } from "./look-shared.js";
import type { WarmProcesses } from "./warm-processes.js";
import type { Acknowledged } from "./write-job.js";

/** An open backend: with records, logs, or both. */
export interface OpenBackend extends Opened {
  readonly store?: Store;
  readonly log?: AppendStore;
}

/** What has been counted. */
export interface ChaosSums {
  kills: number;
  killedOpening: number;
  acknowledged: number;
  unacknowledged: { kept: number; gone: number };
}

export interface ChaosPlaceOptions {
  readonly seed: number;
  readonly parts: Parts;
  /** Whether a process that lives may have the place open beside the one that is killed. */
  readonly hasCompanion: boolean;
  readonly warm: WarmProcesses;
  readonly sums: ChaosSums;
}

/** A place on which processes are killed. */
export interface ChaosPlace {
  /** Kills one process, and looks at all that is there. @throws CheckFailure that says what is not as it must be. */
  killOne(): Promise<void>;
  end(): Promise<void>;
}

/** What must be there. */
interface Known {
  readonly lanes: readonly Lane[];
  /** Lanes of the process that is not killed. */
  readonly beside: readonly Lane[];
  readonly shared: LaneStream;
}

const LANES = [0, 1, 2];
const LANES_BESIDE = [3, 4];
/** So often a process is killed while it opens the place. */
const ONE_OPENING_IN = 4;
/** The stream of all lanes is not kept longer than this. */
const MOST_SHARED = 60;

export function chaosPlace(place: Place<OpenBackend>, options: ChaosPlaceOptions): ChaosPlace {
  const { seed, parts, hasCompanion, warm, sums } = options;
  const by = chance(seed);
  const beside = companion(() => warm.take(), chance(seed + 1));
  const ref = place.ref as JsonValue;
  let begun = 0;
  let known: Known = {
    lanes: LANES.map(newLane),
    beside: hasCompanion ? LANES_BESIDE.map(newLane) : [],
    shared: EMPTY,
  };

  return {
    async killOne() {
      begun += 1;
      if (begun % ONE_OPENING_IN === 0) {
        await killOpener(await warm.take(), ref, by);
        sums.killedOpening += 1;
      } else {
        const order = { ref, seed, parts };
        let stop: () => Promise<readonly Acknowledged[]> = async () => [];
        const told = await killWriter(await warm.take(), { ...order, lanes: known.lanes }, by, async () => {
          if (hasCompanion) stop = await beside.begin({ ...order, lanes: known.beside });
        });
        const toldBeside = await stop();
        sums.acknowledged += told.length + toldBeside.length;
        known = await withBackend(place, (backend) => lookAll(backend, known, [told, toldBeside], options, by));
      }
      sums.kills += 1;
    },
    end: () => beside.end(),
  };
}

async function withBackend<T>(place: Place<OpenBackend>, look: (backend: OpenBackend) => Promise<T>): Promise<T> {
  const failed = (how: string) => (error: unknown) => {
    throw error instanceof CheckFailure ? error : new CheckFailure(`the place ${how}: ${messageOf(error)}`);
  };
  const backend = await Promise.resolve()
    .then(() => place.open())
    .catch(failed("does not open"));
  try {
    return await look(backend).catch(failed("cannot be read"));
  } finally {
    await backend.close?.();
  }
}

/** Looks at everything, and gives what there is from then on. */
async function lookAll(
  backend: OpenBackend,
  known: Known,
  [told, toldBeside]: readonly [readonly Acknowledged[], readonly Acknowledged[]],
  { seed, parts, sums }: ChaosPlaceOptions,
  by: Chance,
): Promise<Known> {
  const killed = acknowledge(known.lanes, told, seed, parts);
  const living = acknowledge(known.beside, toldBeside, seed, parts);
  const underWay = killed.lanes.map((lane) => ({ lane, write: nextWrite(lane, seed, parts) }));
  const sharing = underWay.flatMap(({ lane, write }): readonly SharedUnderWay[] =>
    write.type === "share" ? [{ lane: lane.lane, write }] : [],
  );
  const appends = [...killed.shares, ...living.shares];
  const { shared, kept } =
    parts.log && backend.log !== undefined
      ? await lookAtShared(backend.log, known.shared, appends, sharing)
      : { shared: known.shared, kept: new Set<number>() };
  const lanes: Lane[] = [];
  for (const { lane, write } of underWay) {
    const looked = await lookAt(backend, lane, write, parts);
    sums.unacknowledged[kept.has(lane.lane) ? "kept" : looked.unacknowledged] += 1;
    lanes.push({ ...looked.lane, next: lane.next + 1 });
  }
  for (const lane of living.lanes) await lookAtQuiet(backend, lane, parts);
  return { lanes, beside: living.lanes, shared: await shorten(backend, shared, by) };
}

/** The lanes as they were acknowledged, and what they appended to the stream of all. */
function acknowledge(
  lanes: readonly Lane[],
  told: readonly Acknowledged[],
  seed: number,
  parts: Parts,
): { readonly lanes: readonly Lane[]; readonly shares: readonly SharedAppend[] } {
  const shares: SharedAppend[] = [];
  const moved = lanes.map((first) =>
    told
      .filter(({ lane }) => lane === first.lane)
      .reduce((lane, { versions, offset = -1 }) => {
        const write = nextWrite(lane, seed, parts);
        if (write.type === "share") shares.push({ lane: lane.lane, ids: write.ids, offset });
        const known = versions.map((version) => version ?? undefined);
        return after(lane, write, known);
      }, first),
  );
  return { lanes: moved, shares };
}

/** Keeps the stream of all lanes short, behind the back of the process that lives. */
async function shorten({ log }: OpenBackend, shared: LaneStream, by: Chance): Promise<LaneStream> {
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
