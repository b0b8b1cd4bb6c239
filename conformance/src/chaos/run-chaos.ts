import { CheckFailure } from "../assert.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import type { Place } from "../store/place.js";
import { type ChaosPlaceOptions, type ChaosSums, chaosPlace, type OpenBackend } from "./chaos-place.js";
import type { Parts } from "./lane.js";
import { warmProcesses } from "./warm-processes.js";

/** A subject whose processes can be killed. */
export interface ChaosSubject extends OpenedElsewhere<OpenBackend> {
  readonly name: string;
  create(): Place<OpenBackend> | Promise<Place<OpenBackend>>;
}

export interface ChaosOptions {
  /** How many processes are killed. Default 20. */
  readonly kills?: number | undefined;
  /** What is written follows from it. When a process is killed does not: that is up to the machine. Default 1. */
  readonly seed?: number | undefined;
  /** On how many places at once. More are faster where kills wait for a disk or a server. Default 1. */
  readonly places?: number | undefined;
  /**
   * After how many kills a place is given up for a new one. What is there grows with each kill, and looking at it takes the
   * longer. Default: all kills of a place are on one.
   */
  readonly killsPerPlace?: number | undefined;
}

/** What came of it. Plain data. */
export interface ChaosReport {
  readonly subject: string;
  readonly seed: number;
  /** Whether nothing was wrong. */
  readonly ok: boolean;
  /** How many processes were killed, and how many of them before the place was open. */
  readonly kills: number;
  readonly killedOpening: number;
  /** Writes that were acknowledged. */
  readonly acknowledged: number;
  /** Writes that were under way when their process was killed: found done, or not done. */
  readonly unacknowledged: { readonly kept: number; readonly gone: number };
  /** What was wrong, and after which kill. Nothing goes on after that. */
  readonly failure?: string;
}

/** Processes that wait, for each place. */
const WARM = 2;
/** What is written on one place has little to do with what is written on the next. */
const SEEDS_APART = 1_000_003;

/**
 * Kills processes that write, at moments left to chance, while they open the place too, and looks after each whether
 * what they had acknowledged is there once, exact and in order, and what they had not is there whole or not at all. Where
 * the backend is for several processes, another one writes beside them, and must get on.
 * @throws TypeError for a subject that other processes cannot open, or that claims `durable` nowhere.
 */
export async function runChaos(
  subject: ChaosSubject,
  { kills = 20, seed = 1, places = 1, killsPerPlace = kills }: ChaosOptions = {},
): Promise<ChaosReport> {
  for (const [name, value] of Object.entries({ kills, places, killsPerPlace }))
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`${name}: a whole number above 0 is expected.`);
  if (!Number.isSafeInteger(seed)) throw new TypeError("seed: a whole number is expected.");
  const sums: ChaosSums = { kills: 0, killedOpening: 0, acknowledged: 0, unacknowledged: { kept: 0, gone: 0 } };
  const found = await claimsOf(subject);
  const atOnce = Math.min(places, kills);
  const warm = await warmProcesses(subject, WARM * atOnce);
  try {
    const failure = await killOnPlaces(subject, { ...found, warm, sums }, { kills, seed, atOnce, killsPerPlace });
    const ok = failure === undefined;
    return { subject: subject.name, seed, ok, ...sums, ...(ok ? {} : { failure }) };
  } finally {
    await warm.end();
  }
}

interface Kills {
  readonly kills: number;
  readonly seed: number;
  readonly atOnce: number;
  readonly killsPerPlace: number;
}

/** Kills on so many places at once, so many altogether, and on none more than it may have. Gives what was wrong first. */
async function killOnPlaces(
  subject: ChaosSubject,
  options: Omit<ChaosPlaceOptions, "seed">,
  { kills, seed, atOnce, killsPerPlace }: Kills,
): Promise<string | undefined> {
  let made = 0;
  let begun = 0;
  let failure: string | undefined;
  let isOver = false;
  /** One more kill begins; false when there is none left. */
  const begin = (): boolean => {
    if (isOver || begun === kills) return false;
    begun += 1;
    return true;
  };

  /** Does the kill that has begun on a new place, more of them until it has had its share, and takes it away. */
  const killOnOne = async (): Promise<void> => {
    const place = await subject.create();
    const chaos = chaosPlace(place, { ...options, seed: seed + made++ * SEEDS_APART });
    try {
      let here = 0;
      do await chaos.killOne();
      while (++here < killsPerPlace && begin());
      if (!isOver) await chaos.lookAtAll();
    } finally {
      await chaos.end();
      await place.remove?.();
    }
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: atOnce }, async () => {
      try {
        while (begin()) await killOnOne();
      } catch (error) {
        isOver = true;
        if (!(error instanceof CheckFailure)) throw error;
        failure ??= `after ${options.sums.kills} kills: ${error.message}`;
      }
    }),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return failure;
}

/** What the subject claims to keep, by a place of its own. */
async function claimsOf(subject: ChaosSubject): Promise<{ readonly parts: Parts; readonly hasCompanion: boolean }> {
  const place = await subject.create();
  try {
    const lack = whyNotElsewhere(subject, place);
    if (lack !== undefined) throw new TypeError(`${subject.name}: ${lack}.`);
    const backend = await place.open();
    const isDurable = (part: keyof Parts): boolean => backend[part]?.capabilities.durable === true;
    const parts = { store: isDurable("store"), log: isDurable("log"), checkpoints: isDurable("checkpoints") };
    const claimed = (Object.keys(parts) as (keyof Parts)[]).filter((part) => parts[part]);
    const hasCompanion = claimed.every((part) => backend[part]?.capabilities.multiProcess === true);
    await backend.close?.();
    if (claimed.length > 0) return { parts, hasCompanion };
    throw new TypeError(
      `${subject.name}: it claims to be durable nowhere, so there is nothing that a killed process may not lose.`,
    );
  } finally {
    await place.remove?.();
  }
}
