import { CheckFailure } from "../assert.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import type { Place } from "../store/place.js";
import { type ChaosSums, chaosPlace, type OpenBackend } from "./chaos-place.js";
import type { Parts } from "./lane.js";
import { type WarmProcesses, warmProcesses } from "./warm-processes.js";

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
  { kills = 20, seed = 1, places: wanted = 1 }: ChaosOptions = {},
): Promise<ChaosReport> {
  for (const [name, value] of Object.entries({ kills, places: wanted }))
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`${name}: a whole number above 0 is expected.`);
  if (!Number.isSafeInteger(seed)) throw new TypeError("seed: a whole number is expected.");
  const sums: ChaosSums = { kills: 0, killedOpening: 0, acknowledged: 0, unacknowledged: { kept: 0, gone: 0 } };
  const places: Place<OpenBackend>[] = [];
  let warm: WarmProcesses | undefined;
  try {
    for (let made = 0; made < Math.min(wanted, kills); made++) places.push(await subject.create());
    const [first] = places as [Place<OpenBackend>];
    const lack = whyNotElsewhere(subject, first);
    if (lack !== undefined) throw new TypeError(`${subject.name}: ${lack}.`);
    const found = await claimsOf(first, subject.name);
    warm = await warmProcesses(subject, WARM * places.length);
    const options = { ...found, warm, sums };
    const failure = await killOn(
      places.map((place, index) => chaosPlace(place, { ...options, seed: seed + index * SEEDS_APART })),
      kills,
      sums,
    );
    const ok = failure === undefined;
    return { subject: subject.name, seed, ok, ...sums, ...(ok ? {} : { failure }) };
  } finally {
    await warm?.end();
    for (const place of places) await place.remove?.();
  }
}

/** Kills on all places at once, so many altogether. Gives what was wrong first. */
async function killOn(
  places: readonly ReturnType<typeof chaosPlace>[],
  kills: number,
  sums: ChaosSums,
): Promise<string | undefined> {
  let begun = 0;
  let isOver = false;
  let failure: string | undefined;
  const outcomes = await Promise.allSettled(
    places.map(async (place) => {
      try {
        while (!isOver && begun < kills) {
          begun += 1;
          await place.killOne();
        }
        if (!isOver) await place.lookAtAll();
      } catch (error) {
        isOver = true;
        if (!(error instanceof CheckFailure)) throw error;
        failure ??= `after ${sums.kills} kills: ${error.message}`;
      } finally {
        await place.end();
      }
    }),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return failure;
}

async function claimsOf(
  place: Place<OpenBackend>,
  name: string,
): Promise<{ readonly parts: Parts; readonly hasCompanion: boolean }> {
  const backend = await place.open();
  const isDurable = (part: keyof Parts): boolean => backend[part]?.capabilities.durable === true;
  const parts = { store: isDurable("store"), log: isDurable("log"), checkpoints: isDurable("checkpoints") };
  const claimed = (Object.keys(parts) as (keyof Parts)[]).filter((part) => parts[part]);
  const isShared = claimed.every((part) => backend[part]?.capabilities.multiProcess === true);
  await backend.close?.();
  if (claimed.length > 0) return { parts, hasCompanion: isShared };
  throw new TypeError(
    `${name}: it claims to be durable nowhere, so there is nothing that a killed process may not lose.`,
  );
}
