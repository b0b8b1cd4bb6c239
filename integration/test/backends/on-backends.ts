import { afterEach, beforeEach, describe } from "vitest";
import { backends } from "./backends.js";
import type { OpenBackend } from "./open-backend.js";
import type { BackendPlace } from "./place.js";

/** What each test gets: a backend that is open on a place of its own. */
export interface TestPlace {
  readonly backend: OpenBackend;
  /** The same place, opened again as a new process would. */
  reopen(): Promise<OpenBackend>;
}

/** Describes something on every backend there is. */
export function onBackends(title: string, tests: (opened: () => TestPlace) => void): void {
  for (const kind of backends) {
    describe.skipIf(kind.skip !== undefined)(`${title} (${kind.name})`, () => {
      let place: BackendPlace;
      let backend: OpenBackend;
      beforeEach(async () => {
        place = await kind.place();
        backend = await place.open();
      });
      afterEach(() => place.remove());
      tests(() => ({
        backend,
        async reopen() {
          await backend.close();
          backend = await place.open();
          return backend;
        },
      }));
    });
  }
}
