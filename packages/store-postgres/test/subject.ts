import { type PostgresBackend, postgresBackend } from "../src/index.js";

/** Where a place is, for another process. */
interface Ref {
  readonly url: string;
  readonly schema: string;
}

/** A backend on a schema of its own, whose time a check can move. Other processes open it by the ref. */
export const subject = {
  name: "postgresBackend (STO-10, STO-01, STO-02, STO-03, ST-03, ST-08, SE-04, SE-06)",
  module: import.meta.url,
  async create() {
    // Only here: whoever loads this file in another process needs no server of its own.
    const { newPlace, url } = await import("./support/place.js");
    const { open, clock, remove, schema } = newPlace();
    return {
      ref: { url, schema },
      open: () => open(),
      advance: (ms: number) => clock.advance(ms),
      remove,
    };
  },
  openAt: (ref: unknown): PostgresBackend => {
    const { url, schema } = ref as Ref;
    return postgresBackend({ connectionString: url, schema, maxConnections: 2 });
  },
};
