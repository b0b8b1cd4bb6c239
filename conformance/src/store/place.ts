import { type Clock, type JsonValue, systemClock } from "@tinyagents/core";
import type { OtherProcess } from "../process/other-process.js";
import { otherProcesses } from "../process/other-processes.js";
import type { SubjectModule } from "../process/subject-module.js";

/** One open handle. `close` as a `StorageBackend` has it; absent where there is nothing to let go of. */
export interface Opened {
  close?(): Promise<void>;
}

/** Where data is kept: a memory, a folder, a table prefix, a database. New and empty. */
export interface Place<Handle extends Opened> {
  /**
   * Opens the place. A place of a durable backend is opened again after it was closed, and one of a backend for several
   * processes several times at once; any other only once.
   */
  open(): Handle | Promise<Handle>;
  /** What the subject's `openAt` needs to open the place in another process. Absent: the place is for this process alone. */
  readonly ref?: JsonValue;
  /** Lets time pass for all that is open there, ms. Absent: checks wait in real time, or are skipped where that is unsure. */
  advance?(ms: number): Promise<void>;
  /**
   * Makes physical writes of all that is open there fail, as on a full disk or a lost connection: so many still succeed,
   * so many then fail, and all after those succeed again. Replaces what was asked for before. Absent: those checks are skipped.
   */
  failWrites?(options: WriteFailures): void;
  /** Takes the place away. Called once, after all that was opened is closed. */
  remove?(): Promise<void>;
}

/** Which physical writes fail, counted from now. A write is one step after which a killed process leaves a trace. */
export interface WriteFailures {
  readonly after: number;
  /** 0: none, any more. */
  readonly count: number;
}

/** What a place with one open handle offers to a check. */
export interface Situation<Handle extends Opened> {
  readonly first: Handle;
  /** One more handle on the same place, beside those that are open. */
  open(): Promise<Handle>;
  /** Closes all that is open, and opens the place anew. */
  reopen(): Promise<Handle>;
  /** Lets at least so much time pass, ms. */
  pass(ms: number): Promise<void>;
  /** So many other processes that have the place open. They are ended with the check. */
  others(count: number): Promise<readonly OtherProcess[]>;
  /** See {@link Place.failWrites}. */
  failWrites(options: WriteFailures): void;
}

/** Makes a place, lets it be used, and takes it down whatever came of it. */
export async function withPlace<Handle extends Opened, T>(
  create: () => Place<Handle> | Promise<Place<Handle>>,
  use: (situation: Situation<Handle>) => Promise<T>,
  subject: SubjectModule = {},
  clock: Clock = systemClock,
): Promise<T> {
  const place = await create();
  const opened: Handle[] = [];
  const started = otherProcesses(subject);
  const open = async (): Promise<Handle> => {
    const handle = await place.open();
    opened.push(handle);
    return handle;
  };
  const closeAll = async (): Promise<void> => {
    for (const handle of opened.splice(0)) await handle.close?.();
  };
  try {
    return await use({
      first: await open(),
      open,
      async reopen() {
        await closeAll();
        return open();
      },
      pass: async (ms) => (place.advance === undefined ? clock.sleep(ms) : place.advance(ms)),
      async others(count) {
        return started.start(count, place.ref as JsonValue);
      },
      failWrites: (options) => place.failWrites?.(options),
    });
  } finally {
    place.failWrites?.({ after: 0, count: 0 });
    await started.end();
    await closeAll();
    await place.remove?.();
  }
}

/** Why a place's writes cannot be made to fail; nothing when they can. */
export function whyNoFailures(place: Place<Opened>): string | undefined {
  return place.failWrites === undefined ? "its writes cannot be made to fail: the place lacks failWrites" : undefined;
}
