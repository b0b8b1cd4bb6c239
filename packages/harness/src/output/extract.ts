import { isTinyAgentsError, type JsonValue, parseJson } from "@tinyagents/core";

/** Brackets that are looked at: each may cost a walk to the end of the text. */
const MAX_TRIES = 32;

/** What was found in a text. */
export type Extracted =
  | { readonly found: true; readonly value: JsonValue }
  | { readonly found: false; readonly reason: string };

/**
 * The JSON value of an answer: the whole text, else what stands in a code fence, else the first object or array that
 * can be read. Small models wrap their JSON in words; this finds it and never makes anything up.
 */
export function extractJson(text: string): Extracted {
  const whole = read(text.trim());
  if (whole.found) return whole;
  const fenced = /```(?:json)?\s*\n?([\s\S]*?)```/i.exec(text)?.[1];
  if (fenced !== undefined) {
    const inFence = read(fenced.trim());
    if (inFence.found) return inFence;
  }
  let start = nextOpening(text, 0);
  for (let tries = 0; start >= 0 && tries < MAX_TRIES; start = nextOpening(text, start + 1), tries++) {
    const end = closingOf(text, start);
    if (end < 0) continue;
    const part = read(text.slice(start, end + 1));
    if (part.found) return part;
  }
  return whole;
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
  const brace = text.indexOf("{", from);
  const bracket = text.indexOf("[", from);
  if (brace < 0 || bracket < 0) return Math.max(brace, bracket);
  return Math.min(brace, bracket);
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
