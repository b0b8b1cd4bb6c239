import { isStopWord } from "./words.js";

/** What a question names, in its order: stuff for arguments. */
export interface Evidence {
  readonly numbers: readonly number[];
  /** Text in quotation marks. */
  readonly quoted: readonly string[];
  /** Names of places, people and things: `Oslo`, `New York`. */
  readonly names: readonly string[];
  readonly urls: readonly string[];
  readonly emails: readonly string[];
  /** ISO dates. */
  readonly dates: readonly string[];
}

const NAME = /\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*/gu;
const BEFORE_A_NAME = /(?:^|\s)(?:in|at|for|of|near|to|from|on|about|named|called|für|von|nach|aus|à|de|en)\s+$/iu;
const AFTER_ANOTHER = /^\s*(?:,|and|or|&|und|oder|et|y)(?:\s*and)?\s*$/iu;

export function readEvidence(text: string): Evidence {
  const dates = text.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
  const bare = text.replace(/\b\d{4}-\d{2}-\d{2}\b/g, " ").replace(/(\d),(?=\d{3}\b)/g, "$1");
  return {
    numbers: (bare.match(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g) ?? []).map(Number),
    quoted: [...text.matchAll(/"([^"]+)"|“([^”]+)”|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)/g)].map(
      (match) => match.slice(1).find((each) => each !== undefined) ?? "",
    ),
    names: readNames(text),
    urls: text.match(/https?:\/\/[^\s"'<>)]+/g) ?? [],
    emails: text.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [],
    dates,
  };
}

/** Words with a capital. Where some follow "in", "for" and the like, only those and what is joined to them. */
function readNames(text: string): readonly string[] {
  const found: { readonly name: string; readonly led: boolean; readonly opens: boolean }[] = [];
  let lastEnd = 0;
  for (const match of text.matchAll(NAME)) {
    const name = withoutStopWords(match[0]);
    if (name === "") continue;
    const start = match.index + match[0].indexOf(name);
    const joined = found.at(-1)?.led === true && AFTER_ANOTHER.test(text.slice(lastEnd, start));
    found.push({
      name,
      led: joined || BEFORE_A_NAME.test(text.slice(0, start)),
      opens: /(?:^|[.!?]\s+)$/.test(text.slice(0, start)),
    });
    lastEnd = start + name.length;
  }
  if (found.length === 0) return lowerCaseName(text);
  const led = found.filter((each) => each.led);
  const inside = found.filter((each) => !each.opens);
  const best = led.length > 0 ? led : inside.length > 0 ? inside : found;
  return [...new Set(best.map((each) => each.name))];
}

function withoutStopWords(name: string): string {
  const parts = name.split(/\s+/);
  while (parts[0] !== undefined && isStopWord(parts[0].replace(/['’].*$/, ""))) parts.shift();
  return parts.join(" ");
}

/** "weather in oslo?": what follows the last such word at the end of the question. */
function lowerCaseName(text: string): readonly string[] {
  const name = /\s(?:in|at|for|near)\s+([\p{L}-]+)\s*[?.!]*\s*$/iu.exec(text)?.[1];
  return name === undefined || isStopWord(name) ? [] : [name];
}
