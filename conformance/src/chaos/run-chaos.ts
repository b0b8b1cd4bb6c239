import {
  type AppendStore,
  type JsonObject,
  type JsonValue,
  messageOf,
  type Store,
  systemClock,
} from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { childProgram } from "../process/child-program.js";
import { type OtherProcess, startProcess } from "../process/other-process.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import { type Chance, chance } from "../store/chance.js";
import type { Opened, Place } from "../store/place.js";
import { after, type Lane, newLane, nextWrite, type Parts } from "./lane.js";
import { lookAt } from "./look.js";
import type { Acknowledged } from "./write-job.js";

/** An open backend: with records, logs, or both. */
export interface OpenBackend extends Opened {
  readonly store?: Store;
  readonly log?: AppendStore;
}

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

const LANES = 3;
/** Processes that have loaded the subject and wait for their turn. */
const WARM = 2;
const MOST_ACKNOWLEDGED = 40;
const LONGEST_OPENING_MS = 15;
/** The longest that a writer may take for what it is killed after, ms. */
const LONGEST_WRITING_MS = 20_000;

/**
 * Kills processes that write, at moments left to chance, while they open the place too, and looks after each whether
 * what they had acknowledged is there once, exact and in order, and what they had not is there whole or not at all.
 * @throws TypeError for a subject that other processes cannot open, or that claims `durable` nowhere.
 */
export async function runChaos(
  subject: ChaosSubject,
  { kills = 20, seed = 1 }: ChaosOptions = {},
): Promise<ChaosReport> {
  if (!(Number.isSafeInteger(kills) && kills > 0)) throw new TypeError("kills: a whole number above 0 is expected.");
  if (!Number.isSafeInteger(seed)) throw new TypeError("seed: a whole number is expected.");
  const place = await subject.create();
  const lack = whyNotElsewhere(subject, place);
  if (lack !== undefined) throw new TypeError(`${subject.name}: ${lack}.`);
  const warm = await warmProcesses(subject);
  const sums = { kills: 0, killedOpening: 0, acknowledged: 0, unacknowledged: { kept: 0, gone: 0 } };
  const told = (failure?: string): ChaosReport => ({
    subject: subject.name,
    seed,
    ok: failure === undefined,
    ...sums,
    ...(failure === undefined ? {} : { failure }),
  });
  try {
    const parts = await durableParts(place, subject.name);
    let lanes: readonly Lane[] = Array.from({ length: LANES }, (_, lane) => newLane(lane));
    const by = chance(seed);
    while (sums.kills < kills) {
      const round = { ref: place.ref as JsonValue, lanes, seed, parts, by };
      try {
        const killed = by.onceIn(4) ? undefined : await killWriter(await warm.take(), round);
        if (killed === undefined) await killOpener(await warm.take(), round);
        sums.kills += 1;
        if (killed === undefined) sums.killedOpening += 1;
        else {
          sums.acknowledged += killed.length;
          lanes = await lookAfter(place, acknowledge(lanes, killed, round), round, sums.unacknowledged);
        }
      } catch (error) {
        if (!(error instanceof CheckFailure)) throw error;
        return told(`after ${sums.kills} kills: ${error.message}`);
      }
    }
    return told();
  } finally {
    await warm.end();
    await place.remove?.();
  }
}

interface Round {
  readonly ref: JsonValue;
  readonly lanes: readonly Lane[];
  readonly seed: number;
  readonly parts: Parts;
  readonly by: Chance;
}

/** Kills a process while it opens the place, or just after. */
async function killOpener(one: OtherProcess, { ref, by }: Round): Promise<void> {
  const opening = one.open(ref).catch(() => undefined);
  await systemClock.sleep(by.below(LONGEST_OPENING_MS));
  await one.kill();
  await opening;
}

/** Kills a process while it writes. Gives what it had acknowledged. @throws CheckFailure when it failed by itself. */
async function killWriter(one: OtherProcess, { ref, lanes, seed, parts, by }: Round): Promise<readonly Acknowledged[]> {
  const wanted = by.below(MOST_ACKNOWLEDGED);
  const thenMs = by.pick([0, 0, 0, 1, 2, 5]);
  let text = "";
  let isEnough: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    isEnough = resolve;
  });
  one.acknowledged.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (text.split("\n").length > wanted) isEnough();
  });
  await one.open(ref);
  const args = { lanes, seed, parts } as unknown as JsonObject;
  const writing = one.do("chaos_write", args);
  writing.catch(() => undefined);
  if (wanted === 0) isEnough();
  await orLate(Promise.race([enough, writing]), LONGEST_WRITING_MS);
  await orLate(writing, thenMs);
  await one.kill();
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Acknowledged);
}

/** Waits for work, and no longer than this, ms. @throws what the work throws meanwhile. */
async function orLate(work: Promise<unknown>, ms: number): Promise<void> {
  if (ms === 0) return;
  const done = new AbortController();
  try {
    await Promise.race([work, systemClock.sleep(ms, done.signal).catch(() => undefined)]);
  } finally {
    done.abort();
  }
}

/** The lanes as they were acknowledged. */
function acknowledge(lanes: readonly Lane[], told: readonly Acknowledged[], { seed, parts }: Round): readonly Lane[] {
  return lanes.map((first) =>
    told
      .filter(({ lane }) => lane === first.lane)
      .reduce((lane, { versions }) => {
        const known = versions.map((version) => version ?? undefined);
        return after(lane, nextWrite(lane, seed, parts), known);
      }, first),
  );
}

async function lookAfter(
  place: Place<OpenBackend>,
  lanes: readonly Lane[],
  { seed, parts }: Round,
  sums: { kept: number; gone: number },
): Promise<readonly Lane[]> {
  const backend = await open(place);
  try {
    const looked: Lane[] = [];
    for (const lane of lanes) {
      const one = await lookAt(backend, lane, nextWrite(lane, seed, parts), parts);
      sums[one.unacknowledged] += 1;
      looked.push({ ...one.lane, next: lane.next + 1 });
    }
    return looked;
  } catch (error) {
    throw error instanceof CheckFailure ? error : new CheckFailure(`the place cannot be read: ${messageOf(error)}`);
  } finally {
    await backend.close?.();
  }
}

async function open(place: Place<OpenBackend>): Promise<OpenBackend> {
  try {
    return await place.open();
  } catch (error) {
    throw new CheckFailure(`the place does not open: ${messageOf(error)}`);
  }
}

async function durableParts(place: Place<OpenBackend>, name: string): Promise<Parts> {
  const { store, log, close } = await place.open();
  const parts = { store: store?.capabilities.durable === true, log: log?.capabilities.durable === true };
  await close?.();
  if (parts.store || parts.log) return parts;
  throw new TypeError(
    `${name}: it claims to be durable nowhere, so there is nothing that a killed process may not lose.`,
  );
}

interface WarmProcesses {
  take(): Promise<OtherProcess>;
  end(): Promise<void>;
}

/** Processes that are started before they are needed, since that takes most of the time. */
async function warmProcesses(subject: ChaosSubject): Promise<WarmProcesses> {
  const program = await childProgram(subject);
  const starting: Promise<OtherProcess>[] = [];
  const start = (): void => {
    const one = startProcess(program);
    one.catch(() => undefined);
    starting.push(one);
  };
  for (let count = 0; count < WARM; count++) start();
  return {
    take() {
      start();
      return starting.shift() as Promise<OtherProcess>;
    },
    async end() {
      const left = await Promise.allSettled(starting);
      await Promise.all(left.map((one) => (one.status === "fulfilled" ? one.value.kill() : undefined)));
      await program.remove();
    },
  };
}
