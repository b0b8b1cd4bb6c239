import { seededRandom } from "./seeded-random.js";

/**
 * Where a text is cut into fragments: after each character; after these numbers of characters, the rest in one; or
 * by chance, into fragments of 1 to `longest` (default 8) characters that are the same for the same seed. A character
 * is a code point.
 */
export type Split = "characters" | readonly number[] | { readonly seed: number; readonly longest?: number };

/** A text in fragments that add up to it. An empty text has none; without a split the text is one fragment. */
export function splitText(text: string, split?: Split | undefined): readonly string[] {
  if (text === "") return [];
  if (split === undefined) return [text];
  return cut([...text], split).map((piece) => piece.join(""));
}

/** Items in groups, in order, cut as {@link splitText} cuts characters. */
export function cut<T>(items: readonly T[], split: Split): readonly (readonly T[])[] {
  const nextSize = sizes(split);
  const groups: (readonly T[])[] = [];
  for (let at = 0; at < items.length; ) {
    const size = nextSize() ?? items.length - at;
    groups.push(items.slice(at, at + size));
    at += size;
  }
  return groups;
}

function sizes(split: Split): () => number | undefined {
  if (split === "characters") return () => 1;
  if (isSizes(split)) {
    const wrong = split.find((size) => !Number.isInteger(size) || size < 1);
    if (wrong !== undefined)
      throw new TypeError(`split: a fragment of ${wrong} characters; sizes are whole numbers from 1`);
    let at = 0;
    return () => split[at++];
  }
  const { seed, longest = 8 } = split;
  const random = seededRandom(seed);
  return () => 1 + Math.floor(random() * longest);
}

function isSizes(split: Exclude<Split, "characters">): split is readonly number[] {
  return Array.isArray(split);
}
