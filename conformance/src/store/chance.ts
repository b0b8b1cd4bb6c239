import type { JsonValue } from "@tinyagents/core";

/** A source of choices that look like chance, and are the same for the same seed. */
export interface Chance {
  /** A whole number from 0, below this one. */
  below(bound: number): number;
  pick<T>(choices: readonly T[]): T;
  /** True once in so many times. */
  onceIn(times: number): boolean;
}

/** Marsaglia's xorshift over 32 bits. @see https://www.jstatsoft.org/article/view/v008i14 */
export function chance(seed: number): Chance {
  let state = (seed * 2_654_435_761 + 1) | 0 || 1;
  const below = (bound: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
  return {
    below,
    pick: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    onceIn: (times) => below(times) === 0,
  };
}

const TEXTS: readonly string[] = ["", "a", "__proto__", "\u0000", "\u{1F600}", "\ud83d", "e\u0301", '"', "'", "\\"];

/** Some JSON value, at most so many levels deep. */
export function someJson(by: Chance, levels: number): JsonValue {
  const kind = by.below(levels > 0 ? 6 : 4);
  if (kind === 0) return by.pick(TEXTS) + by.pick(TEXTS);
  if (kind === 1) return (by.below(2_000_001) - 1_000_000) / by.pick([1, 7, 1e-9, 1e200]);
  if (kind === 2) return by.pick([true, false]);
  if (kind === 3) return null;
  const inner = Array.from({ length: by.below(4) }, () => someJson(by, levels - 1));
  if (kind === 4) return inner;
  return Object.fromEntries(inner.map((value): [string, JsonValue] => [by.pick(TEXTS) + by.pick(TEXTS), value]));
}
