import type { TextFile } from "./folder.js";

/** A file that has some of the words, with its lines that have most of them. */
export interface Match {
  readonly path: string;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

const MAX_FILES = 8;
const MAX_LINES = 4;
const MAX_LINE_CHARS = 240;

/** Files in the order of how many of the words they have, then how many have them in one line. */
export function searchTexts(files: readonly TextFile[], query: string): readonly Match[] {
  const wanted = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  return files
    .map((file) => rate(file, wanted))
    .filter(({ lines }) => lines.length > 0)
    .sort((one, other) => other.words - one.words || other.best - one.best)
    .slice(0, MAX_FILES)
    .map(({ path, lines }) => ({ path, lines }));
}

function rate({ path, text }: TextFile, wanted: readonly string[]) {
  const hits = text.split("\n").flatMap((line, at) => {
    const lower = line.toLowerCase();
    const words = wanted.filter((word) => lower.includes(word));
    return words.length === 0 ? [] : [{ line: at + 1, text: line.trim().slice(0, MAX_LINE_CHARS), words }];
  });
  const words = new Set(hits.flatMap((hit) => hit.words)).size;
  hits.sort((one, other) => other.words.length - one.words.length);
  return {
    path,
    words,
    best: hits[0]?.words.length ?? 0,
    lines: hits.slice(0, MAX_LINES).map(({ line, text }) => ({ line, text })),
  };
}
