import type { CheckpointStore } from "@tinyagents/core";
import type { Claims } from "../check.js";
import { type Opened, type Place, type Situation, withPlace } from "../store/place.js";

/** An open checkpoint store. */
export interface OpenCheckpoints extends Opened {
  readonly checkpoints: CheckpointStore;
}

/** What the author of a checkpoint store says of it, to have it checked. */
export interface CheckpointStoreSubject {
  readonly name: string;
  /** A new, empty place. Called once for each check, and again to learn what the store claims. */
  create(): Place<OpenCheckpoints> | Promise<Place<OpenCheckpoints>>;
}

/** What checks may need of a store. */
export type CheckpointNeed = keyof CheckpointStore["capabilities"];

/** A place with a checkpoint store on it, as checks use it. */
export type CheckpointSituation = Situation<OpenCheckpoints> & { readonly checkpoints: CheckpointStore };

/** A subject as checks use it. */
export interface CheckpointStoreUnderTest extends Claims<CheckpointNeed> {
  /** Opens a new place, and takes it away afterwards. */
  within<T>(use: (situation: CheckpointSituation) => Promise<T>): Promise<T>;
}

export function checkpointStoreUnderTest(subject: CheckpointStoreSubject): CheckpointStoreUnderTest {
  const create = () => subject.create();
  return {
    lacks: (need) =>
      withPlace(create, async ({ first }) =>
        first.checkpoints.capabilities[need] === true ? undefined : `the store does not claim ${need}`,
      ),
    within: (use) => withPlace(create, (situation) => use({ ...situation, checkpoints: situation.first.checkpoints })),
  };
}
