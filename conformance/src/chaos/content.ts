import type { JsonValue } from "@tinyagents/core";
import { chance } from "../store/chance.js";
import { DELICATE_TEXTS } from "../store/hostile.js";

/** How often the text of a content is its id: very differently, and where many are read at once seldom very often. */
const SIZES = [0, 1, 10, 10, 100, 100, 1_000, 20_000];
const SMALLER_SIZES = [0, 1, 1, 10, 10, 10, 10, 100, 100, 100, 100, 1_000];

/** The same for what checkpoints and tasks hold: each is restored with those before it. */
export function smallerContentOf(id: string): JsonValue {
  return contentOf(id, SMALLER_SIZES);
}

/** What is stored for an id: always the same, and of very different sizes. */
export function contentOf(id: string, sizes: readonly number[] = SIZES): JsonValue {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) | 0;
  const by = chance(Math.abs(sum) + 1);
  const size = by.pick(sizes);
  return { id, delicate: by.pick(DELICATE_TEXTS), text: `${id}|\u{1F600}`.repeat(size) };
}
