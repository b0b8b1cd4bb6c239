import { isJsonObject, type JsonValue } from "@tinyagents/core";
import { nameWords, stem, stems } from "./words.js";

/** A file that a result names, with what the result says of it. */
export interface FoundFile {
  readonly path: string;
  readonly text: string;
}

const PATH_KEY = /^(?:path|file|file_?name|file_?path|name|uri|document|doc|source)$/i;
const LOOKS_LIKE_PATH = /^[^\s:*?"<>|][^:*?"<>|\n]*\.[a-zA-Z][a-zA-Z0-9]{0,7}$/;
/** `docs/a.md:12: text`, `- docs/a.md`, `docs/a.md 1200 bytes`. */
const PATH_IN_LINE = /^\s*(?:[-*•]\s+|\d+[.)]\s+)?(?:([^:\n]*?\.\w{1,8}):\d|([^\s:]+\.[a-zA-Z]\w{0,7})(?=:|\s|$))/;
const TITLE = /^\s*#\s/;
const TABLE_ROW = /^\s*\|/;
const PATH_IN_QUESTION = /(?<![\w./-])(?:[\w-]+\/)*[\w.-]*\w\.[a-zA-Z][a-zA-Z0-9]{0,5}(?![\w/])/g;

/** The files that a tool's result names, each once, in the order of their first place. */
export function findFiles(value: JsonValue | undefined): readonly FoundFile[] {
  const texts = new Map<string, string>();
  collect(value, (path, text) => texts.set(path, `${texts.get(path) ?? ""}${text}\n`));
  return [...texts].map(([path, text]) => ({ path, text }));
}

/** File names that a question has in it: `docs/limits.md`. */
export function filesInQuestion(question: string): readonly string[] {
  const found = question.match(PATH_IN_QUESTION) ?? [];
  return [...new Set(found)].filter((each) => !/^\d+(?:\.\d+)*$/.test(each) && !/^(?:e\.g|i\.e|node\.js)$/i.test(each));
}

/**
 * Files in the order in which they are worth reading: those named after the asked-for words first, then those whose
 * text has most of them. A row of a table says less than a sentence.
 */
export function rankFiles(files: readonly FoundFile[], asked: readonly string[]): readonly string[] {
  const wanted = asked.map(stem);
  const scored = files.map(({ path, text }) => {
    const lines = text.split("\n");
    const named = new Set([
      ...nameWords(path).map(stem),
      ...stems(lines.filter((line) => TITLE.test(line)).join("\n")),
    ]);
    const said = stems(lines.filter((line) => !TABLE_ROW.test(line)).join("\n"));
    const anywhere = stems(text);
    const worth = (word: string): number =>
      (named.has(word) ? 2 : 0) + (said.has(word) ? 1 : anywhere.has(word) ? 0.5 : 0);
    const score = wanted.reduce((sum, word) => sum + worth(word), 0);
    return { path, score: score + (/(?:^|\/)(?:readme|index)\.\w+$/i.test(path) ? 0.5 : 0) };
  });
  return scored.sort((one, other) => other.score - one.score).map(({ path }) => path);
}

function collect(value: JsonValue | undefined, found: (path: string, text: string) => void): void {
  if (typeof value === "string") collectLines(value, found);
  else if (Array.isArray(value)) for (const each of value as readonly JsonValue[]) collectItem(each, found);
  else if (isJsonObject(value)) collectItem(value, found);
}

function collectItem(value: JsonValue, found: (path: string, text: string) => void): void {
  if (typeof value === "string") {
    if (LOOKS_LIKE_PATH.test(value)) found(value, "");
    else collectLines(value, found);
    return;
  }
  if (!isJsonObject(value)) {
    collect(value, found);
    return;
  }
  const named = Object.entries(value).find(([key, each]) => PATH_KEY.test(key) && typeof each === "string");
  if (named === undefined) {
    for (const each of Object.values(value)) if (typeof each === "object") collect(each, found);
    return;
  }
  const { [named[0]]: _, ...rest } = value;
  found(String(named[1]), textsIn(rest).join("\n"));
}

/** The texts that are somewhere in a value, in order. */
function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function collectLines(text: string, found: (path: string, text: string) => void): void {
  for (const line of text.split("\n")) {
    const match = PATH_IN_LINE.exec(line);
    const path = match?.[1] ?? match?.[2];
    if (match !== null && path !== undefined) found(path, line.slice(match[0].length));
  }
}
