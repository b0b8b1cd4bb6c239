import type { BlobStore } from "@tinyagents/core";
import type { Opened, Situation } from "../store/place.js";
import { type PlaceNeed, type PlaceSubject, type PlaceUnderTest, placeUnderTest } from "../store/place-subject.js";

/** An open store of blobs. */
export interface OpenBlobs extends Opened {
  readonly store: BlobStore;
}

/** What the author of a store of blobs says of it, to have it checked. */
export type BlobStoreSubject = PlaceSubject<OpenBlobs>;

/** What checks may need: that what is kept stays, or what those of any backend may. */
export type BlobNeed = "durable" | PlaceNeed;

/** A place with a store on it, as checks use it. */
export type BlobSituation = Situation<OpenBlobs> & { readonly store: BlobStore };

/** A subject as checks use it. */
export type BlobStoreUnderTest = PlaceUnderTest<BlobSituation, BlobNeed>;

export function blobStoreUnderTest(subject: BlobStoreSubject): BlobStoreUnderTest {
  return placeUnderTest(
    {
      what: "store",
      show: ({ store }) => ({ store }),
      has: ({ store }) => store.capabilities.durable,
    },
    subject,
  );
}
