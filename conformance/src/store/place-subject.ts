import type { Claims } from "../check.js";
import { type OpenedElsewhere, whyNotElsewhere } from "../process/subject-module.js";
import { type Opened, type Place, type Situation, whyNoFailures, withPlace } from "./place.js";

/** What the author of a backend says of it, to have it checked. */
export interface PlaceSubject<Handle extends Opened> extends OpenedElsewhere<Handle> {
  readonly name: string;
  /** A new, empty place. Called once for each check, and again to learn what the backend claims. */
  create(): Place<Handle> | Promise<Place<Handle>>;
}

/** A subject as checks use it. */
export interface PlaceUnderTest<Shown, Need extends string> extends Claims<Need> {
  /** Opens a new place, and takes it away afterwards. */
  within<T>(use: (situation: Shown) => Promise<T>): Promise<T>;
}

/**
 * What checks of any backend may need besides capabilities: that it can be closed, that its time can be moved, that other
 * processes can open its places, that its writes can be made to fail.
 */
export type PlaceNeed = "close" | "time" | "processes" | "failures";

/** One kind of thing that is opened on places. */
export interface PlaceKind<Handle extends Opened, Shown> {
  /** How messages name it: `log`. */
  readonly what: string;
  /** What a situation shows of a handle, by name. */
  show(handle: Handle): Shown;
  /** Whether a handle has what is needed of this kind alone: a capability, mostly. */
  has(handle: Handle, need: string): boolean;
  /** Why not. Default: it is not claimed. */
  readonly reasons?: { readonly [need: string]: string };
}

/** A subject of a kind, as checks use it. */
export function placeUnderTest<Handle extends Opened, Shown extends object, Need extends string>(
  kind: PlaceKind<Handle, Shown>,
  subject: PlaceSubject<Handle>,
): PlaceUnderTest<Situation<Handle> & Shown, Need> {
  const create = () => subject.create();
  return {
    async lacks(need) {
      const place = await create();
      return withPlace(
        () => place,
        async ({ first }) => whyLacking(kind, subject, place, first, need),
      );
    },
    within: (use) => withPlace(create, (situation) => use({ ...situation, ...kind.show(situation.first) }), subject),
  };
}

function whyLacking<Handle extends Opened>(
  { what, has, reasons = {} }: PlaceKind<Handle, unknown>,
  subject: PlaceSubject<Handle>,
  place: Place<Handle>,
  first: Handle,
  need: string,
): string | undefined {
  switch (need as PlaceNeed) {
    case "processes":
      return whyNotElsewhere(subject, place);
    case "failures":
      return whyNoFailures(place);
    case "close":
      return first.close === undefined ? `this ${what} has nothing to close` : undefined;
    case "time":
      return place.advance === undefined ? `the time of this ${what} cannot be moved` : undefined;
  }
  return has(first, need) ? undefined : (reasons[need] ?? `the ${what} does not claim ${need}`);
}
