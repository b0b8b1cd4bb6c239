import { isTinyAgentsError, type JsonValue, parseJson } from "@tinyagents/core";

/** Places that are looked at: each may cost a walk to the end of the text. */
const MAX_TRIES = 32;
const FENCE = "```";

/** What was found in a text. */
export type Extracted =
  | { readonly found: true; readonly value: JsonValue }
  | { readonly found: false; readonly reason: string };

/**
 * The JSON value of an answer: the whole text, else what stands in a code fence, else the longest object or array in
 * it. Small models wrap their JSON in words; this finds it and never makes anything up. Never throws, and takes time in
 * proportion to the text's length.
 */
export function extractJson(text: string): Extracted {
  const whole = read(text.trim());
  if (whole.found) return whole;
  return inFence(text) ?? inWords(text) ?? whole;
}

/** The first fence that has JSON in it, whatever language it names. */
function inFence(text: string): Extracted | undefined {
  let open = text.indexOf(FENCE);
  for (let tries = 0; open >= 0 && tries < MAX_TRIES; tries++) {
    const close = text.indexOf(FENCE, open + FENCE.length);
    if (close < 0) return undefined;
    const part = read(withoutLanguage(text.slice(open + FENCE.length, close)).trim());
    if (part.found) return part;
    open = text.indexOf(FENCE, close + FENCE.length);
  }
  return undefined;
}

function withoutLanguage(fenced: string): string {
  return fenced.replace(/^[a-zA-Z0-9_-]+(?=[\s{["])/, "");
}

/** The longest, since a footnote like [1] is JSON too. */
function inWords(text: string): Extracted | undefined {
  let longest: Extracted | undefined;
  let length = 0;
  let start = nextOpening(text, 0);
  for (let tries = 0; start >= 0 && tries < MAX_TRIES; tries++) {
    const end = closingOf(text, start);
    const part = end < 0 || end - start < length ? undefined : read(text.slice(start, end + 1));
    if (part?.found === true) {
      longest = part;
      length = end - start + 1;
    }
    start = nextOpening(text, part?.found === true ? end + 1 : start + 1);
  }
  return longest;
}

function read(text: string): Extracted {
  if (text === "") return { found: false, reason: "the answer is empty" };
  try {
    return { found: true, value: parseJson(text, { place: "the answer" }) };
  } catch (error) {
    if (isTinyAgentsError(error, "corrupt_data")) return { found: false, reason: error.details.reason };
    throw error;
  }
}

function nextOpening(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === "{" || text[i] === "[") return i;
  return -1;
}

/** Where the bracket at `start` closes, strings left out; -1 when it never does. */
function closingOf(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const unit = text[i];
    if (quoted) {
      if (unit === "\\") i++;
      else if (unit === '"') quoted = false;
    } else if (unit === '"') quoted = true;
    else if (unit === "{" || unit === "[") depth++;
    else if (unit === "}" || unit === "]") {
      depth--;
      if (depth === 0) return i;
    }
  }
  return -1;
}
