import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { storeFailure, systemClock, systemCodeOf } from "@tinyagents/core";
import { type Files, openIfThere } from "./files.js";
import { describeOwner, type LockOwner, readOwner, stateOf, thisOwner } from "./lock-owner.js";

/**
 * A lock that one store at a time holds, among all processes that use a folder, and that outlives none of them.
 *
 * The lock is a row of files whose names are numbers. The highest tells: even, it is free; odd, it is held. To take it,
 * or to let it go, is to make the next number, by `link`, which fails when the name is there. Each file is one more name
 * of its maker's own file, which says who that is. When the holder of an odd number is gone, whoever notices makes the next
 * one in its place.
 *
 * Why no two hold it. (1) A number is first made only by one who saw the number below it. (2) Only a holder takes numbers
 * away: those at least two below its own, the lowest first. So the number that its rivals saw, the one below its own, stays
 * while it holds the lock. (3) One who was slow may make a number anew that came and went meanwhile. It then finds that
 * the number below is gone, or is another file, since (2) took that away before: it takes its own away again, and holds
 * nothing. One who finds the number below as it saw it has made a number that nobody made before, and nobody else can.
 * This holds for letting go as well: a holder that was taken for gone may do that late.
 * Killed anywhere, a process leaves at most its own file, an odd number that names it, or a number below the highest,
 * which nobody goes by; each is taken away by a later holder.
 */
export interface FolderLock {
  /**
   * Waits until it is this store's. Resolves with `false` when it is wanted no more before.
   * @throws `store_failed`, retryable, when others hold it for too long: it names who does, and says what to do.
   */
  acquire(isWanted: () => boolean): Promise<boolean>;
  /** Whether it was held for long enough and another waits: then the holder is to let go. */
  shouldYield(): Promise<boolean>;
  /** Whether it is still this store's: its folder may be gone, and who was silent for long on another machine is taken for gone. */
  isMine(): Promise<boolean>;
  release(): Promise<void>;
  /** Lets go, and takes this store's own file away. */
  close(): Promise<void>;
}

export interface FolderLockOptions {
  /** How long to wait for others, ms. */
  readonly waitMs: number;
  /** A holder whose process cannot be looked at is gone when it gave no sign for so long, ms. Default 15,000. */
  readonly silentMs?: number;
}

/** Others may wait so long before the holder looks whether they do, ms. */
const TURN_MS = 20;
/** A holder that has given way waits so long for the other to come, ms. */
const GIVE_WAY_MS = 10;
const LONGEST_POLL_MS = 8;
const HEARTBEAT_MS = 1_000;
const SILENT_MS = 15_000;
/** A holder that holds for longer makes sure, before it writes, that it was not taken for gone, ms. */
const SURE_MS = 5_000;

/** A number of the row as it was seen. */
interface Seen {
  readonly number: number;
  /** The id of the file. */
  readonly file: string;
}

export function folderLock(
  files: Files,
  folder: string,
  { waitMs, silentMs = SILENT_MS }: FolderLockOptions,
): FolderLock {
  const own = join(folder, `owner-${randomUUID()}`);
  const wanted = join(folder, "wanted");
  const pathOf = (number: number): string => join(folder, String(number));
  const clock = systemClock;
  let here: Promise<LockOwner> | undefined;
  let ownFile = "";
  /** The number that this store let go with, while nobody else may have made the next. */
  let free: Seen | undefined;
  let held: Seen | undefined;
  let heldSinceMs = 0;
  let turnSinceMs = 0;
  let gaveWay = false;
  let stopHeartbeat: (() => void) | undefined;
  let silence: { readonly of: string; readonly sinceMs: number } | undefined;

  const enrol = async (): Promise<LockOwner> => {
    await files.makeFolder(folder);
    const owner = await thisOwner();
    const file = await files.open(own, "create");
    try {
      await file.write(Buffer.from(`${JSON.stringify(owner)}\n`), 0);
      ownFile = (await file.facts()).id;
    } finally {
      await file.close();
    }
    await removeOwnersThatAreGone(files, folder, owner);
    return owner;
  };
  const enrolled = (): Promise<LockOwner> => {
    here ??= enrol().catch(async (error: unknown) => {
      here = undefined;
      await files.remove(own).catch(() => undefined);
      throw error;
    });
    return here;
  };

  const numbers = async (): Promise<readonly number[]> => {
    const names = (await files.names(folder)).filter((name) => /^(0|[1-9]\d{0,14})$/.test(name));
    return names.map(Number).sort((one, other) => one - other);
  };
  const highest = async (): Promise<Seen | undefined> => {
    const number = (await numbers()).at(-1);
    if (number === undefined) {
      await files.link(own, pathOf(0));
      return undefined;
    }
    const facts = await files.facts(pathOf(number));
    return facts && { number, file: facts.id };
  };

  /** Makes the number after one that was seen; whether nobody ever made it before. */
  const makeNext = async (seen: Seen): Promise<boolean> => {
    const next = pathOf(seen.number + 1);
    if (!(await files.link(own, next))) return false;
    if ((await files.facts(pathOf(seen.number)))?.id === seen.file) return true;
    await files.remove(next);
    return false;
  };

  const isGone = async ({ number, file }: Seen, owner: LockOwner): Promise<boolean> => {
    // Left by a try of this store that failed half way: it holds nothing now.
    if (file === ownFile) return true;
    const path = pathOf(number);
    const text = await readSmall(files, path);
    const holder = text === undefined ? undefined : readOwner(text);
    const state = holder === undefined ? "unsure" : await stateOf(holder, owner);
    if (state !== "unsure") return state === "gone";
    const facts = await files.facts(path);
    const sign = `${number} ${facts?.id} ${facts?.writtenAtNs}`;
    if (silence?.of !== sign) silence = { of: sign, sinceMs: upMs() };
    return upMs() - silence.sinceMs >= silentMs;
  };

  const beat = (): void => {
    stopHeartbeat = clock.setTimer(HEARTBEAT_MS, () => {
      // A beat that fails is made up for by the next; the holder makes sure before it writes.
      files.touch(own, clock.now()).catch(() => undefined);
      beat();
    });
  };
  const hold = (seen: Seen): void => {
    held = seen;
    free = undefined;
    gaveWay = false;
    silence = undefined;
    heldSinceMs = turnSinceMs = clock.now();
    beat();
  };

  /** Takes away what nobody needs any more: see (2). Only the holder does. */
  const clear = async (below: number, known: readonly number[]): Promise<void> => {
    for (const number of known) if (number < below) await files.remove(pathOf(number));
  };

  const tryOnce = async (owner: LockOwner): Promise<boolean> => {
    const knownFree = free;
    free = undefined;
    const seen = knownFree ?? (await highest());
    if (seen === undefined) return false;
    if (seen.number % 2 === 1) {
      if (await isGone(seen, owner)) await makeNext(seen);
      return false;
    }
    if (!(await makeNext(seen))) return false;
    hold({ number: seen.number + 1, file: ownFile });
    await clear(seen.number, knownFree ? [seen.number - 2, seen.number - 1] : await numbers());
    return true;
  };

  /** Who is in the way, and what to do. */
  const busy = async (owner: LockOwner): Promise<Error> => {
    const seen = await highest();
    const text = seen === undefined ? undefined : await readSmall(files, pathOf(seen.number));
    const holder = text === undefined ? undefined : readOwner(text);
    const { name, advice } =
      holder === undefined ? { name: "another process", advice: "Try again." } : await describeOwner(holder, owner);
    const cause = new Error(`it was not free for ${waitMs} ms: ${name} has it. ${advice}`);
    return storeFailure("JSONL folder", "take its lock", cause, { retryable: true });
  };

  return {
    async acquire(isWanted) {
      if (held !== undefined) return true;
      const owner = await enrolled();
      const untilMs = upMs() + waitMs;
      if (gaveWay && free !== undefined) await letAnotherCome(files, pathOf(free.number + 1));
      gaveWay = false;
      for (let pollMs = 1; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
        if (!isWanted()) return false;
        // Twice at once: the first look may only have found out what the second needs.
        if ((await tryOnce(owner)) || (await tryOnce(owner))) return true;
        if (upMs() >= untilMs) throw await busy(owner);
        await markWanted(files, wanted);
        await clock.sleep(pollMs);
      }
    },
    async shouldYield() {
      if (isWithin(TURN_MS, turnSinceMs)) return false;
      turnSinceMs = clock.now();
      gaveWay = (await files.facts(wanted)) !== undefined;
      if (gaveWay) await files.remove(wanted);
      return gaveWay;
    },
    async isMine() {
      if (held === undefined) return false;
      if (isWithin(SURE_MS, heldSinceMs)) return true;
      heldSinceMs = clock.now();
      // A number that is not there went with its folder.
      const isThere = (await files.facts(pathOf(held.number)))?.id === ownFile;
      if (isThere && (await files.facts(pathOf(held.number + 1))) === undefined) return true;
      held = undefined;
      stopHeartbeat?.();
      return false;
    },
    async release() {
      if (held === undefined) return;
      // Whatever comes of the rest: where the next number cannot be made, the folder may have been taken away, and others may
      // hold the lock of one in its place. While it is there, our number is passed over by our next try, as one that failed.
      const ours = held;
      held = undefined;
      stopHeartbeat?.();
      // One that was taken for gone comes late, and to a row that has moved on: it let go of nothing.
      if (await makeNext(ours)) free = { number: ours.number + 1, file: ownFile };
    },
    async close() {
      try {
        await this.release();
      } finally {
        if (here !== undefined) await files.remove(own);
        here = undefined;
      }
    },
  };
}

/** Time that nobody can set: no wait is longer, and nobody is silent for longer, because a clock was set. */
function upMs(): number {
  return performance.now();
}

/** A clock that was set back says nothing of how long it has been: then it may have been long. */
function isWithin(ms: number, sinceMs: number): boolean {
  const passedMs = systemClock.now() - sinceMs;
  return passedMs >= 0 && passedMs < ms;
}

/** One who just gave way is quicker than one who looks every few ms, so it waits until the other has come. */
async function letAnotherCome(files: Files, next: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < GIVE_WAY_MS; waitedMs++) {
    if ((await files.facts(next)) !== undefined) return;
    await systemClock.sleep(1);
  }
}

async function markWanted(files: Files, wanted: string): Promise<void> {
  try {
    await (await files.open(wanted, "create")).close();
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
}

async function readSmall(files: Files, path: string): Promise<string | undefined> {
  const file = await openIfThere(files, path);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(4_096);
    return bytes.toString("utf8", 0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/** Files of processes that were killed. What they held is told by the row, whose files are names of their own. */
async function removeOwnersThatAreGone(files: Files, folder: string, here: LockOwner): Promise<void> {
  for (const name of await files.names(folder)) {
    if (!name.startsWith("owner-")) continue;
    const text = await readSmall(files, join(folder, name));
    const owner = text === undefined ? undefined : readOwner(text);
    if (owner !== undefined && (await stateOf(owner, here)) === "gone") await files.remove(join(folder, name));
  }
}
