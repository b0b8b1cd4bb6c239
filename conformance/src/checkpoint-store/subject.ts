import type { CheckpointStore } from "@tinyagents/core";
import type { Opened, Situation } from "../store/place.js";
import { type PlaceNeed, type PlaceSubject, type PlaceUnderTest, placeUnderTest } from "../store/place-subject.js";

/** An open checkpoint store. */
export interface OpenCheckpoints extends Opened {
  readonly checkpoints: CheckpointStore;
}

/** What the author of a checkpoint store says of it, to have it checked. */
export type CheckpointStoreSubject = PlaceSubject<OpenCheckpoints>;

/** What checks may need: a capability, or what those of any backend may. */
export type CheckpointNeed = keyof CheckpointStore["capabilities"] | PlaceNeed;

/** A place with a checkpoint store on it, as checks use it. */
export type CheckpointSituation = Situation<OpenCheckpoints> & { readonly checkpoints: CheckpointStore };

/** A subject as checks use it. */
export type CheckpointStoreUnderTest = PlaceUnderTest<CheckpointSituation, CheckpointNeed>;

export function checkpointStoreUnderTest(subject: CheckpointStoreSubject): CheckpointStoreUnderTest {
  return placeUnderTest(
    {
      what: "store",
      show: ({ checkpoints }) => ({ checkpoints }),
      has: ({ checkpoints }, need) => checkpoints.capabilities[need as keyof CheckpointStore["capabilities"]] === true,
    },
    subject,
  );
}
