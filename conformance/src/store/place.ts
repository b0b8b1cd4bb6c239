import type { Clock } from "@tinyagents/core";
import { systemClock } from "@tinyagents/core";

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
  /** Lets time pass for all that is open there, ms. Absent: checks wait in real time, or are skipped where that is unsure. */
  advance?(ms: number): Promise<void>;
  /** Takes the place away. Called once, after all that was opened is closed. */
  remove?(): Promise<void>;
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
}

/** Makes a place, lets it be used, and takes it down whatever came of it. */
export async function withPlace<Handle extends Opened, T>(
  create: () => Place<Handle> | Promise<Place<Handle>>,
  use: (situation: Situation<Handle>) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  const place = await create();
  const opened: Handle[] = [];
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
    });
  } finally {
    await closeAll();
    await place.remove?.();
  }
}
