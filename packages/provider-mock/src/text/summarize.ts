import { readParagraphs, splitSentences } from "./paragraphs.js";
import { keywords, nameWords, stem, stems } from "./words.js";

/** A text and where it is from. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/** A sentence that was picked. */
export interface Passage {
  readonly source: string;
  /** The heading it stands under; empty when there is none. */
  readonly heading: string;
  readonly text: string;
}

/** The sentences that fit a question best, in the order of their texts. */
export interface Summary {
  readonly passages: readonly Passage[];
  /** How much of what the question is about stands in its best sentence: 0 to 1. */
  readonly coverage: number;
}

interface Sentence extends Passage {
  readonly order: number;
  readonly stems: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
  /** Words of the file's name. */
  readonly named: ReadonlySet<string>;
  /** It is a row of a table, not a sentence. */
  readonly isRow: boolean;
  /** The sentence after it, when that goes on about the same thing. */
  readonly next?: string;
}

interface Rated {
  readonly sentence: Sentence;
  /** Of the question's words that stand in it. */
  readonly weight: number;
  readonly score: number;
}

const MAX_PASSAGES = 4;
/** Of all passages together, and of one, in characters. */
const MAX_CHARS = 900;
const MAX_PASSAGE_CHARS = 400;
/** Shorter ones are titles and fragments rather than sentences, in characters. */
const SHORT = 30;
/** Shorter ones tell nobody what a text is about, in characters. */
const FRAGMENT = 20;
/** What a word counts that stands in the heading or the file's name instead of the sentence. */
const AROUND_WEIGHT = 0.35;
/** How much better what a file says is when the file is named after a word of the question. */
const NAMED_FACTOR = 1.5;
const SPEAKS_OF_IT = /^(?:it|its|they|their|he|his|she|her)\b/i;
/** Rows of tables have many words and say little. */
const ROW_FACTOR = 0.6;

/** Picks sentences: those with the question's rarer words first. */
export function summarize(question: string, sources: readonly Source[]): Summary {
  const asked = keywords(question).map(stem);
  const sentences = sources.flatMap(readSentences).map((sentence, order) => ({ ...sentence, order }));
  const weights = new Map(asked.map((word) => [word, rarity(word, sentences)]));
  const total = sum([...weights.values()]);
  const rated = sentences
    .map((sentence) => rate(sentence, weights))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.sentence.order - other.sentence.order);
  const best = rated[0]?.sentence;
  const picked = pick(rated);
  return {
    passages: picked.map((sentence) => ({
      source: sentence.source,
      heading: sentence.heading,
      text: shorten(sentence === best ? withNext(sentence, picked) : sentence.text, MAX_PASSAGE_CHARS),
    })),
    coverage: total === 0 ? 0 : Math.max(0, ...rated.map(({ weight }) => weight)) / total,
  };
}

/** The best sentence goes on where the next one speaks of the same: "It costs ...". */
function withNext({ text, next }: Sentence, picked: readonly Sentence[]): string {
  return next === undefined || picked.some((each) => each.text === next) ? text : `${text} ${next}`;
}

/** The first sentence of a text that is more than a fragment; else the first of any kind. */
export function openingOf(source: Source): Passage | undefined {
  const sentences = readSentences(source);
  const first = sentences.find(({ text, isRow }) => !isRow && text.length >= FRAGMENT) ?? sentences[0];
  if (first === undefined) return undefined;
  return { source: first.source, heading: first.heading, text: shorten(first.text, MAX_PASSAGE_CHARS) };
}

/** Whether a file is named after all that a question is about: `docs/sub-agents.md` after sub-agents. */
export function isNamedAfter({ name }: Source, asked: readonly string[]): boolean {
  const named = new Set(nameWords(name).map(stem));
  return asked.length > 0 && asked.flatMap(nameWords).every((word) => named.has(stem(word)));
}

/** Those of some words that stand in none of the texts. */
export function missingIn(sources: readonly Source[], asked: readonly string[]): readonly string[] {
  const said = new Set(sources.flatMap(({ name, text }) => [...nameWords(name).map(stem), ...stems(text)]));
  return asked.filter((word) => !said.has(stem(word)));
}

/** The best that are not far behind the first and fit the room, in the order in which they stand in their texts. */
function pick(rated: readonly Rated[]): readonly Sentence[] {
  const least = (rated[0]?.score ?? 0) * 0.5;
  const picked: Sentence[] = [];
  let chars = 0;
  for (const { sentence, score } of rated) {
    if (picked.length === MAX_PASSAGES || score < least) break;
    const length = Math.min(sentence.text.length, MAX_PASSAGE_CHARS);
    if (chars + length > MAX_CHARS || picked.some((each) => each.text === sentence.text)) continue;
    picked.push(sentence);
    chars += length;
  }
  return picked.sort((one, other) => one.order - other.order);
}

/** A text cut at a word, with a mark where something is missing. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars - 2);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space >= maxChars / 2 ? space : undefined)} …`;
}

function rarity(word: string, sentences: readonly Sentence[]): number {
  const having = sentences.filter((sentence) => sentence.stems.has(word)).length;
  return Math.log(1 + (sentences.length + 1) / (1 + having));
}

/** Dense sentences are better than long ones that happen to have the words. */
function rate(sentence: Sentence, weights: ReadonlyMap<string, number>): Rated {
  const entries = [...weights];
  const inside = entries.filter(([word]) => sentence.stems.has(word)).map(([, weight]) => weight);
  const around = entries
    .filter(([word]) => !sentence.stems.has(word) && sentence.around.has(word))
    .map(([, weight]) => weight);
  const weight = sum(inside);
  if (inside.length === 0) return { sentence, weight, score: 0 };
  const density = 1 + inside.length / sentence.stems.size;
  const fullness = sentence.isRow ? ROW_FACTOR : sentence.text.length < SHORT ? 0.6 : 1;
  const named = entries.some(([word]) => sentence.named.has(word)) ? NAMED_FACTOR : 1;
  return { sentence, weight, score: (weight + sum(around) * AROUND_WEIGHT) * density * fullness * named };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function readSentences(source: Source): Omit<Sentence, "order">[] {
  const sentences: Omit<Sentence, "order">[] = [];
  const named = stems(source.name.replace(/[_./\\-]+/g, " "));
  for (const { heading, text, isRow } of readParagraphs(source.text)) {
    const around = new Set([...named, ...stems(heading)]);
    const split = splitSentences(text);
    for (const [at, sentence] of split.entries()) {
      const next = split[at + 1];
      sentences.push({
        source: source.name,
        heading,
        text: sentence,
        stems: stems(sentence),
        around,
        named,
        isRow,
        ...(next !== undefined && SPEAKS_OF_IT.test(next) ? { next } : {}),
      });
    }
  }
  return sentences;
}
