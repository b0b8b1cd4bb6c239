import type { Check } from "../check.js";
import type { PlaceUnderTest } from "./place-subject.js";

/** How a check is made besides its name and what it does. */
interface PlaceCheckOptions<Shown, Need extends string> {
  readonly needs?: readonly Need[];
  /** What must hold of a subject that lacks the first need. */
  readonly lacking?: (situation: Shown) => Promise<void>;
  /** See {@link Check}. */
  readonly extraMs?: number;
}

/** Makes the checks of one topic of a kind. */
export type PlaceTopic<Shown, Need extends string> = (
  name: string,
  run: (situation: Shown) => Promise<void>,
  options?: PlaceCheckOptions<Shown, Need>,
) => Check<PlaceUnderTest<Shown, Need>>;

export function placeTopic<Shown, Need extends string>(group: string): PlaceTopic<Shown, Need> {
  return (name, run, { needs, lacking, extraMs } = {}) => ({
    name,
    group,
    run: (subject) => subject.within(run),
    ...(needs === undefined ? {} : { needs }),
    ...(extraMs === undefined ? {} : { extraMs }),
    ...(lacking === undefined ? {} : { runWhenLacking: (subject) => subject.within(lacking) }),
  });
}
