import type { CheckpointStore } from "@tinyagents/core";
import type { Claims } from "../check.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import { type Opened, type Place, type Situation, withPlace } from "../store/place.js";

/** An open checkpoint store. */
export interface OpenCheckpoints extends Opened {
  readonly checkpoints: CheckpointStore;
}

/** What the author of a checkpoint store says of it, to have it checked. */
export interface CheckpointStoreSubject extends OpenedElsewhere<OpenCheckpoints> {
  readonly name: string;
  /** A new, empty place. Called once for each check, and again to learn what the store claims. */
  create(): Place<OpenCheckpoints> | Promise<Place<OpenCheckpoints>>;
}

/** What checks may need: a capability, or that other processes can open its places. */
export type CheckpointNeed = keyof CheckpointStore["capabilities"] | "processes";

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
    async lacks(need) {
      const place = await create();
      return withPlace(
        () => place,
        async ({ first }) => {
          if (need === "processes") return whyNotElsewhere(subject, place);
          return first.checkpoints.capabilities[need] === true ? undefined : `the store does not claim ${need}`;
        },
      );
    },
    within: (use) =>
      withPlace(create, (situation) => use({ ...situation, checkpoints: situation.first.checkpoints }), subject),
  };
}
