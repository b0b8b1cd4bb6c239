import { type JsonObject, type JsonValue, systemClock } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import type { OtherProcess } from "../process/other-process.js";
import type { Chance } from "../store/chance.js";
import type { Lane, Parts } from "./lane.js";
import type { Acknowledged } from "./write-job.js";

/** What a process is to write, and where. */
export interface WriteOrder {
  readonly ref: JsonValue;
  readonly lanes: readonly Lane[];
  readonly seed: number;
  readonly parts: Parts;
}

const MOST_ACKNOWLEDGED = 24;
const LONGEST_OPENING_MS = 15;
/** The longest that a process may take for what is waited for, ms. */
const LONGEST_WRITING_MS = 60_000;

/** Kills a process while it opens the place, or just after. */
export async function killOpener(one: OtherProcess, ref: JsonValue, by: Chance): Promise<void> {
  const opening = one.open(ref).catch(() => undefined);
  await systemClock.sleep(by.below(LONGEST_OPENING_MS));
  await one.kill();
  await opening;
}

/**
 * Kills a process while it writes. Gives what it had acknowledged. `onOpen` is called, and waited for, once it has the
 * place open.
 * @throws CheckFailure when it failed by itself.
 */
export async function killWriter(
  one: OtherProcess,
  { ref, ...order }: WriteOrder,
  by: Chance,
  onOpen: () => Promise<void>,
): Promise<readonly Acknowledged[]> {
  const wanted = by.below(MOST_ACKNOWLEDGED);
  const thenMs = by.pick([0, 0, 0, 1, 2, 5]);
  let text = "";
  let lines = 0;
  let isEnough: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    isEnough = resolve;
  });
  one.acknowledged.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    lines += piece.split("\n").length - 1;
    if (lines >= wanted) isEnough();
  });
  try {
    await one.open(ref);
    await onOpen();
    const writing = one.do("chaos_write", order as unknown as JsonObject);
    writing.catch(() => undefined);
    if (wanted === 0) isEnough();
    await orLate(Promise.race([enough, writing]), LONGEST_WRITING_MS);
    await orLate(writing, thenMs);
  } finally {
    // One that failed by itself is killed too: it would go on in a place that is taken away.
    await one.kill();
  }
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Acknowledged);
}

/** A process that writes beside those that are killed, and is none of them. */
export interface Companion {
  /** Begins to write. What it gives ends that, once it has got on: with what was done. @throws CheckFailure */
  begin(order: WriteOrder): Promise<() => Promise<readonly Acknowledged[]>>;
  end(): Promise<void>;
}

/** The companion of a place. It stays for many kills, with what it knows of the place, and is then another. */
export function companion(start: () => Promise<OtherProcess>, by: Chance): Companion {
  let process: OtherProcess | undefined;
  const end = async (): Promise<void> => {
    const last = process;
    process = undefined;
    await last?.end();
  };
  return {
    async begin({ ref, ...order }) {
      if (by.onceIn(20)) await end();
      if (process === undefined) {
        process = await start();
        await process.open(ref);
      }
      const one = process;
      const writing = one.do("chaos_write_beside", order as unknown as JsonObject);
      writing.catch(() => undefined);
      return async () => {
        await one.do("chaos_stop", {});
        const done = await orLate(writing, LONGEST_WRITING_MS);
        if (done !== undefined) return done as unknown as readonly Acknowledged[];
        throw new CheckFailure(`a process beside the one that was killed did not get on in ${LONGEST_WRITING_MS} ms`);
      };
    },
    end,
  };
}

/** Waits for work, and no longer than this, ms. @throws what the work throws meanwhile. */
async function orLate<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  if (ms === 0) return undefined;
  const done = new AbortController();
  try {
    return await Promise.race([work, systemClock.sleep(ms, done.signal).catch(() => undefined)] as const).then(
      (value) => value ?? undefined,
    );
  } finally {
    done.abort();
  }
}
