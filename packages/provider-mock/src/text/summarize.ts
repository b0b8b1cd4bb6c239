import { isStopWord, stem, stems, words } from "./words.js";

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
}

const MAX_PASSAGES = 4;
const MAX_CHARS = 900;
/** What a word counts that stands in the heading or the file's name instead of the sentence. */
const AROUND_WEIGHT = 0.35;

/** Picks sentences: those with the question's rarer words first. */
export function summarize(question: string, sources: readonly Source[]): Summary {
  const asked = [
    ...new Set(
      words(question)
        .filter((word) => !isStopWord(word))
        .map(stem),
    ),
  ];
  const sentences = sources.flatMap(readSentences).map((sentence, order) => ({ ...sentence, order }));
  const weights = new Map(asked.map((word) => [word, rarity(word, sentences)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scored = sentences
    .map((sentence) => ({ sentence, score: scoreOf(sentence, weights) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.sentence.order - other.sentence.order);
  const best = scored[0]?.score ?? 0;
  const picked: Sentence[] = [];
  let chars = 0;
  for (const { sentence, score } of scored) {
    if (picked.length === MAX_PASSAGES || score < best * 0.5) break;
    if (picked.some((each) => each.text === sentence.text)) continue;
    if (picked.length > 0 && chars + sentence.text.length > MAX_CHARS) continue;
    picked.push(sentence);
    chars += sentence.text.length;
  }
  return {
    passages: picked
      .sort((one, other) => one.order - other.order)
      .map(({ source, heading, text }) => ({ source, heading, text: shorten(text, MAX_CHARS) })),
    coverage: total === 0 ? 0 : Math.min(1, best / total),
  };
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

function scoreOf(sentence: Sentence, weights: ReadonlyMap<string, number>): number {
  let score = 0;
  let inside = 0;
  for (const [word, weight] of weights) {
    if (sentence.stems.has(word)) {
      score += weight;
      inside++;
    } else if (sentence.around.has(word)) score += weight * AROUND_WEIGHT;
  }
  if (inside === 0) return 0;
  return sentence.text.length < 30 ? score * 0.6 : score;
}

function readSentences(source: Source): Omit<Sentence, "order">[] {
  const sentences: Omit<Sentence, "order">[] = [];
  const named = stems(source.name.replace(/[_./\\-]+/g, " "));
  for (const { heading, text } of readParagraphs(source.text)) {
    const around = new Set([...named, ...stems(heading)]);
    for (const sentence of splitSentences(text)) {
      sentences.push({ source: source.name, heading, text: sentence, stems: stems(sentence), around });
    }
  }
  return sentences;
}

/** Paragraphs, list items and table rows of plain text or Markdown, without code. */
function readParagraphs(text: string): { readonly heading: string; readonly text: string }[] {
  const paragraphs: { heading: string; text: string }[] = [];
  let heading = "";
  let lines: string[] = [];
  let inCode = false;
  const close = (): void => {
    if (lines.length > 0) paragraphs.push({ heading, text: plain(lines.join(" ")) });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const fence = /^\s*(?:```|~~~)/.test(line);
    if (fence) inCode = !inCode;
    const title = inCode ? null : /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
    const opens = /^\s*(?:[-*+•]\s+|\d+[.)]\s+|\|\s*)/.exec(line);
    if (fence || inCode || title !== null || line.trim() === "" || opens !== null) close();
    if (fence || inCode) continue;
    if (title !== null) heading = plain(title[1] ?? "");
    else if (opens !== null) lines = tableRule(line) ? [] : [line.slice(opens[0].length)];
    else if (line.trim() !== "") lines.push(line.trim());
  }
  close();
  return paragraphs;
}

function tableRule(line: string): boolean {
  return /^[\s|:-]+$/.test(line);
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|__/g, "")
    .replace(/\s*\|\s*$/, "")
    .replace(/\s*\|\s*/g, " – ")
    .replace(/\s+/g, " ")
    .trim();
}

function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?]["”')]*)\s+(?=["“'([`]*[\p{Lu}\p{N}])|(?<=[。！？])/u)
    .filter((each) => each.trim() !== "");
}
