/** Words that say nothing of what a question is about. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any anybody anyone anything are as at be because been before but by can could describe did do does doing " +
    "down everything explain find for from get give had has have he her here hers him his how i if in into is it its just let like " +
    "list look many may me might more most much must my no not now of off on one or our out over please said say says " +
    "search she should show so some somebody someone something summarise summarize tell than that the their them then there these they this those " +
    "to too under until up us use very was we were what when where which while who whom whose why will with would you your"
  ).split(" "),
);

const WORD = /[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*/gu;
/** Scripts that put no spaces between words: pairs of characters stand in for words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}$/u;

/** The words of a text in lower case, in order. */
function words(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []).flatMap((word) => (UNSPACED.test(word) ? pairs(word) : [word]));
}

/** The words that say what a text is about, each once, as they are written there (in lower case). */
export function keywords(text: string): string[] {
  const byStem = new Map<string, string>();
  for (const word of words(text)) {
    if (!isStopWord(word) && !byStem.has(stem(word))) byStem.set(stem(word), word.replace(/['’]s$/, ""));
  }
  return [...byStem.values()];
}

/** Contractions count as what they begin with: what's, don't. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase().replace(/(?:n['’]t|['’](?:s|re|m|ll|d|ve))$/, ""));
}

/** The stems of the words of a text. */
export function stems(text: string): Set<string> {
  return new Set(words(text).map(stem));
}

/** Forms of one English word get one stem: promise, promises, promised. Other words are left alone. */
export function stem(word: string): string {
  let root = singular(word.replace(/['’]s$/, ""));
  if (root.length > 4) root = root.replace(/(?<=...e)ed$/, "e").replace(/(?:ing|(?<!e)ed)$/, "");
  if (root.length > 3) root = root.replace(/e$/, "").replace(/([^aeiou\d])\1$/, "$1");
  return root.length < 2 ? word : root;
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return word.replace(/ies$/, "y");
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 ? word.replace(/(?<!s)s$/, "") : word;
}

/** The words of a name in code: `readFile`, `read_file` and `read-file` all have two. */
export function nameWords(name: string): string[] {
  return words(name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[_./\\-]+/g, " "));
}

function pairs(run: string): string[] {
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}
