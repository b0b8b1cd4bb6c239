import type { Store, StoreCapabilities } from "@tinyagents/core";
import type { Claims } from "../check.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import { type Opened, type Place, type Situation, whyNoFailures, withPlace } from "./place.js";

/** An open store. A `StorageBackend` that has one is one. */
export interface OpenStore extends Opened {
  readonly store: Store;
}

/** What the author of a store says of it, to have it checked. */
export interface StoreSubject extends OpenedElsewhere<OpenStore> {
  readonly name: string;
  /** A new, empty place. Called once for each check, and again to learn what the store claims. */
  create(): Place<OpenStore> | Promise<Place<OpenStore>>;
}

/**
 * What checks may need: a capability, that the store can be closed, that its time can be moved, that other processes can
 * open its places, that its writes can be made to fail.
 */
export type StoreNeed = keyof StoreCapabilities | "close" | "time" | "processes" | "failures";

/** A place with a store on it, as checks use it. */
export type StoreSituation = Situation<OpenStore> & { readonly store: Store };

/** A subject as checks use it. */
export interface StoreUnderTest extends Claims<StoreNeed> {
  /** Opens a new place, and takes it away afterwards. */
  within<T>(use: (situation: StoreSituation) => Promise<T>): Promise<T>;
}

export function storeUnderTest(subject: StoreSubject): StoreUnderTest {
  const create = () => subject.create();
  return {
    async lacks(need) {
      const place = await create();
      return withPlace(
        () => place,
        async ({ first }) => {
          if (need === "time")
            return place.advance === undefined ? "the time of this store cannot be moved" : undefined;
          if (need === "processes") return whyNotElsewhere(subject, place);
          if (need === "failures") return whyNoFailures(place);
          if (need === "close") return first.close === undefined ? "this store has nothing to close" : undefined;
          return first.store.capabilities[need] === true ? undefined : `the store does not claim ${need}`;
        },
      );
    },
    within: (use) => withPlace(create, (situation) => use({ ...situation, store: situation.first.store }), subject),
  };
}
