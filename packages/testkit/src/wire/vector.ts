import { seededRandom } from "../seeded-random.js";
import type { WireAnswer } from "./entry.js";

/** The vectors of some texts: those of the entry, else ones of length 1 that are the same for the same text. */
export function vectorsOf(
  { embeddings }: WireAnswer,
  texts: readonly string[],
  dimensions: number,
): readonly (readonly number[])[] {
  if (embeddings === undefined) return texts.map((text) => vectorOf(text, dimensions));
  if (embeddings.length !== texts.length) {
    throw new TypeError(`the entry has ${embeddings.length} embeddings, and the request has ${texts.length} inputs`);
  }
  return embeddings;
}

function vectorOf(text: string, dimensions: number): readonly number[] {
  const random = seededRandom(hashOf(text));
  const values = Array.from({ length: dimensions }, () => random() * 2 - 1);
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}

/** @see http://www.isthe.com/chongo/tech/comp/fnv/ for the constants */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
