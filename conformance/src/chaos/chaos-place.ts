import { type AppendStore, type CheckpointStore, type JsonValue, messageOf, type Store } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { chance } from "../store/chance.js";
import type { Opened, Place } from "../store/place.js";
import { companion, killOpener, killWriter } from "./kill.js";
import { EMPTY, newLane, type Parts } from "./lane.js";
import { type KeptParts, type Known, lookAll, type Told } from "./look-all.js";
import type { WarmProcesses } from "./warm-processes.js";
import type { Acknowledged } from "./write-job.js";

/** An open backend: with records, logs, checkpoints, or several of these. */
export interface OpenBackend extends Opened {
  readonly store?: Store;
  readonly log?: AppendStore;
  readonly checkpoints?: CheckpointStore;
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
  /** Kills one process, and looks at what has come since, now and then at everything. @throws CheckFailure that says what is wrong. */
  killOne(): Promise<void>;
  /** Looks at everything once more. @throws CheckFailure */
  lookAtAll(): Promise<void>;
  end(): Promise<void>;
}

const LANES = [0, 1, 2];
const LANES_BESIDE = [3, 4];
/** So often all is read again, and not only what has come: reading it takes longer than all else. */
const ONE_WHOLE_IN = 8;
/** So often a process is killed while it opens the place. */
const ONE_OPENING_IN = 4;
export function chaosPlace(place: Place<OpenBackend>, options: ChaosPlaceOptions): ChaosPlace {
  const { seed, parts, hasCompanion, warm, sums } = options;
  const by = chance(seed);
  const beside = companion(() => warm.take(), chance(seed + 1));
  const ref = place.ref as JsonValue;
  let begun = 0;
  let looks = 0;
  let known: Known = {
    lanes: LANES.map(newLane),
    beside: hasCompanion ? LANES_BESIDE.map(newLane) : [],
    shared: EMPTY,
    moved: [],
  };

  const look = (told: Told, isWhole: boolean): ReturnType<typeof lookAll> =>
    withBackend(place, parts, (kept) => lookAll(kept, known, told, { seed, parts, by, isWhole }));

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
        const all = { byKilled: told, byLiving: await stop() };
        sums.acknowledged += all.byKilled.length + all.byLiving.length;
        const looked = await look(all, ++looks % ONE_WHOLE_IN === 0);
        known = looked.known;
        sums.unacknowledged.kept += looked.kept;
        sums.unacknowledged.gone += known.lanes.length - looked.kept;
      }
      sums.kills += 1;
    },
    async lookAtAll() {
      known = (await look({ byKilled: [], byLiving: [] }, true)).known;
    },
    end: () => beside.end(),
  };
}

async function withBackend<T>(
  place: Place<OpenBackend>,
  parts: Parts,
  look: (kept: KeptParts) => Promise<T>,
): Promise<T> {
  const failed = (how: string) => (error: unknown) => {
    throw error instanceof CheckFailure ? error : new CheckFailure(`the place ${how}: ${messageOf(error)}`);
  };
  const backend = await Promise.resolve()
    .then(() => place.open())
    .catch(failed("does not open"));
  try {
    const claimed = Object.entries(parts).flatMap(([name, isKept]) => (isKept ? [name] : []));
    const kept = Object.fromEntries(Object.entries(backend).filter(([name]) => claimed.includes(name)));
    return await look(kept).catch(failed("cannot be read"));
  } finally {
    await backend.close?.();
  }
}
