import type { AppendStore, LogCapabilities, Store } from "@tinyagents/core";
import type { Claims } from "../check.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import { type Opened, type Place, type Situation, whyNoFailures, withPlace } from "../store/place.js";

/** An open log. A `StorageBackend` that has one is one. */
export interface OpenLog extends Opened {
  readonly log: AppendStore;
  /** Keyed records beside it, where the backend has them. */
  readonly store?: Store;
}

/** What the author of an append store says of it, to have it checked. */
export interface AppendStoreSubject extends OpenedElsewhere<OpenLog> {
  readonly name: string;
  /** A new, empty place. Called once for each check, and again to learn what the log claims. */
  create(): Place<OpenLog> | Promise<Place<OpenLog>>;
}

/**
 * What checks may need: a capability, that the log can be closed, that there are keyed records beside it, that other
 * processes can open its places, that its writes can be made to fail.
 */
export type LogNeed = keyof LogCapabilities | "close" | "store" | "processes" | "failures";

/** A place with a log on it, as checks use it. */
export type LogSituation = Situation<OpenLog> & { readonly log: AppendStore };

/** A subject as checks use it. */
export interface AppendStoreUnderTest extends Claims<LogNeed> {
  /** Opens a new place, and takes it away afterwards. */
  within<T>(use: (situation: LogSituation) => Promise<T>): Promise<T>;
}

export function appendStoreUnderTest(subject: AppendStoreSubject): AppendStoreUnderTest {
  const create = () => subject.create();
  return {
    async lacks(need) {
      const place = await create();
      return withPlace(
        () => place,
        async ({ first }) => {
          if (need === "processes") return whyNotElsewhere(subject, place);
          if (need === "failures") return whyNoFailures(place);
          if (need === "store") return first.store === undefined ? "there are no keyed records beside it" : undefined;
          if (need === "close") return first.close === undefined ? "this log has nothing to close" : undefined;
          return first.log.capabilities[need] === true ? undefined : `the log does not claim ${need}`;
        },
      );
    },
    within: (use) => withPlace(create, (situation) => use({ ...situation, log: situation.first.log }), subject),
  };
}
