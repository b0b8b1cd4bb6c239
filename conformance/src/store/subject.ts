import type { Store, StoreCapabilities } from "@tinyagents/core";
import type { Opened, Situation } from "./place.js";
import { type PlaceNeed, type PlaceSubject, type PlaceUnderTest, placeUnderTest } from "./place-subject.js";

/** An open store. A `StorageBackend` that has one is one. */
export interface OpenStore extends Opened {
  readonly store: Store;
}

/** What the author of a store says of it, to have it checked. */
export type StoreSubject = PlaceSubject<OpenStore>;

/** What checks may need: a capability, or what those of any backend may. */
export type StoreNeed = keyof StoreCapabilities | PlaceNeed;

/** A place with a store on it, as checks use it. */
export type StoreSituation = Situation<OpenStore> & { readonly store: Store };

/** A subject as checks use it. */
export type StoreUnderTest = PlaceUnderTest<StoreSituation, StoreNeed>;

export function storeUnderTest(subject: StoreSubject): StoreUnderTest {
  return placeUnderTest(
    {
      what: "store",
      show: ({ store }) => ({ store }),
      has: ({ store }, need) => store.capabilities[need as keyof StoreCapabilities] === true,
    },
    subject,
  );
}
