/** Counts things that happen, and lets somebody wait for the n-th. */
export interface Arrivals {
  note(): void;
  /** Resolves when so many have come. */
  reached(count: number): Promise<void>;
}

export function arrivals(): Arrivals {
  let come = 0;
  let waiting: readonly { readonly count: number; readonly resolve: () => void }[] = [];
  return {
    note() {
      come++;
      for (const { count, resolve } of waiting) if (count <= come) resolve();
      waiting = waiting.filter(({ count }) => count > come);
    },
    reached(count) {
      return new Promise((resolve) => {
        if (come >= count) resolve();
        else waiting = [...waiting, { count, resolve }];
      });
    },
  };
}
