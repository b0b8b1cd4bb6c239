/** Where ids of runs come from. Ids inside a run are counted from its state and need no source. */
export interface IdSource {
  /** A new id that no other source gives out. `kind` says what for (`run`, `approval`), and may be part of it. */
  next(kind: string): string;
}

/** Ids for production: random, 122 bits. */
export function randomIds(): IdSource {
  return {
    next(kind) {
      const id = `${kind}_${crypto.randomUUID()}`;
      // Reading a character makes engines join the twenty pieces that such an id is put together from.
      id.charCodeAt(0);
      return id;
    },
  };
}

/** Ids for tests: `run-1`, `run-2`, `approval-1`, counted per kind from this source's start. */
export function sequentialIds(): IdSource {
  const counts = new Map<string, number>();
  return {
    next(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}-${count}`;
    },
  };
}

/** Where chance enters: jitter of waits. A number from 0 up to 1, without 1. */
export type RandomSource = () => number;

/** Chance for production. */
export const systemRandom: RandomSource = () => Math.random();
