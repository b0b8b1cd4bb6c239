import type { BlobStore } from "@tinyagents/core";
import type { Claims } from "../check.js";
import { type Opened, type Place, type Situation, withPlace } from "../store/place.js";

/** An open store of blobs. */
export interface OpenBlobs extends Opened {
  readonly store: BlobStore;
}

/** What the author of a store of blobs says of it, to have it checked. */
export interface BlobStoreSubject {
  readonly name: string;
  /** A new, empty place. Called once for each check, and again to learn what the store claims. */
  create(): Place<OpenBlobs> | Promise<Place<OpenBlobs>>;
}

/** What checks may need: a capability, or that the store can be closed. */
export type BlobNeed = "durable" | "close";

/** A place with a store on it, as checks use it. */
export type BlobSituation = Situation<OpenBlobs> & { readonly store: BlobStore };

/** A subject as checks use it. */
export interface BlobStoreUnderTest extends Claims<BlobNeed> {
  /** Opens a new place, and takes it away afterwards. */
  within<T>(use: (situation: BlobSituation) => Promise<T>): Promise<T>;
}

export function blobStoreUnderTest(subject: BlobStoreSubject): BlobStoreUnderTest {
  const create = () => subject.create();
  return {
    lacks: (need) =>
      withPlace(create, async ({ first }) => {
        if (need === "close") return first.close === undefined ? "this store has nothing to close" : undefined;
        return first.store.capabilities[need] ? undefined : `the store does not claim ${need}`;
      }),
    within: (use) => withPlace(create, (situation) => use({ ...situation, store: situation.first.store })),
  };
}
