import type { AppendStore, LogCapabilities, Store } from "@tinyagents/core";
import type { Opened, Situation } from "../store/place.js";
import { type PlaceNeed, type PlaceSubject, type PlaceUnderTest, placeUnderTest } from "../store/place-subject.js";

/** An open log. A `StorageBackend` that has one is one. */
export interface OpenLog extends Opened {
  readonly log: AppendStore;
  /** Keyed records beside it, where the backend has them. */
  readonly store?: Store;
}

/** What the author of an append store says of it, to have it checked. */
export type AppendStoreSubject = PlaceSubject<OpenLog>;

/** What checks may need: a capability, keyed records beside the log, or what those of any backend may. */
export type LogNeed = keyof LogCapabilities | "store" | PlaceNeed;

/** A place with a log on it, as checks use it. */
export type LogSituation = Situation<OpenLog> & { readonly log: AppendStore };

/** A subject as checks use it. */
export type AppendStoreUnderTest = PlaceUnderTest<LogSituation, LogNeed>;

export function appendStoreUnderTest(subject: AppendStoreSubject): AppendStoreUnderTest {
  return placeUnderTest(
    {
      what: "log",
      show: ({ log }) => ({ log }),
      has: ({ log, store }, need) =>
        need === "store" ? store !== undefined : log.capabilities[need as keyof LogCapabilities] === true,
      reasons: { store: "there are no keyed records beside it" },
    },
    subject,
  );
}
