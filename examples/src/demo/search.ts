import type { TextFile } from "./folder.js";

/** A file that has some of the words, with its lines that have most of them. */
export interface Match {
  readonly path: string;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

const MAX_FILES = 8;
const MAX_LINES = 4;
const MAX_LINE_CHARS = 240;
/** What a word counts in the file's name or title, in prose, and in a row of a table. */
const NAMED = 2;
const SAID = 1;
const LISTED = 0.5;

/** Looks through files one at a time, and keeps nothing of them but the best lines. */
export interface Search {
  add(file: TextFile): void;
  /** Files that are named after the words first, then those that have most of them, then most of them in one line. */
  matches(): readonly Match[];
}

export function searchFor(query: string): Search {
  const wanted = [...new Set((query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).map(root))];
  const best: Rated[] = [];
  return {
    add(file) {
      const rated = rate(file, wanted);
      if (rated.lines.length === 0) return;
      best.push(rated);
      best.sort((one, other) => other.score - one.score || other.best - one.best);
      best.length = Math.min(best.length, MAX_FILES);
    },
    matches: () => best.map(({ path, lines }) => ({ path, lines })),
  };
}

interface Rated extends Match {
  readonly score: number;
  readonly best: number;
}

function rate({ path, text }: TextFile, wanted: readonly string[]): Rated {
  const hits = text.split("\n").flatMap((line, at) => {
    const words = wordsIn(line, wanted);
    if (words.length === 0) return [];
    const weight = line.trimStart().startsWith("|") ? LISTED : SAID;
    return [{ line: at + 1, text: line.trim().slice(0, MAX_LINE_CHARS), words, weight, best: words.length * weight }];
  });
  const title = /^#\s+(.*)$/m.exec(text)?.[1] ?? "";
  const named = wordsIn(`${path.split("/").at(-1)} ${title}`, wanted);
  const score = wanted.reduce((sum, word) => {
    const weights = hits.filter(({ words }) => words.includes(word)).map(({ weight }) => weight);
    return sum + Math.max(0, ...weights) + (named.includes(word) ? NAMED : 0);
  }, 0);
  hits.sort((one, other) => other.best - one.best);
  return {
    path,
    score,
    best: hits[0]?.best ?? 0,
    lines: hits.slice(0, MAX_LINES).map(({ line, text }) => ({ line, text })),
  };
}

function wordsIn(text: string, wanted: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  return wanted.filter((word) => lower.includes(word));
}

/** What the forms of an English word have in common: closes, closed, closing; a short word is left whole. */
function root(word: string): string {
  const cut = word.replace(/ies$/, "").replace(/(?:ing|ed|es|[es])$/, "");
  return cut.length >= 4 ? cut : word;
}
