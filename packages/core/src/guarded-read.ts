import { TinyAgentsError } from "./errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.js";

/** How text from outside may look. */
export interface ParseLimits {
  /** What is read, for the error: `arguments of tool call call_1`. */
  readonly place: string;
  /** Longest text, in UTF-16 code units. Default 16 Mi. */
  readonly maxChars?: number | undefined;
  /** Deepest nesting of arrays and objects. Default 256. */
  readonly maxDepth?: number | undefined;
}

const DEFAULT_MAX_CHARS = 16 * 1024 * 1024;
const DEFAULT_MAX_DEPTH = 256;

/**
 * Parses JSON that somebody else wrote. Refuses what could reach an object's prototype when it is copied carelessly
 * (a key `__proto__`, or `constructor` that holds `prototype`), and what is too long or too deep.
 *
 * @throws `corrupt_data` that names the place and says what is wrong.
 */
export function parseJson(text: string, limits: ParseLimits): JsonValue {
  const maxChars = limits.maxChars ?? DEFAULT_MAX_CHARS;
  if (text.length > maxChars) {
    throw corruptData(limits.place, `the text has ${text.length} characters, more than the ${maxChars} that are read`);
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw corruptData(limits.place, notJson(error), error);
  }
  const maxDepth = limits.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (text.length >= maxDepth || mayNameAPrototype(text)) checkShape(value, limits.place, maxDepth);
  return value;
}

/**
 * Checks a value that was parsed elsewhere (by an SDK, a driver) by the rules of {@link parseJson}.
 * @throws `corrupt_data`
 */
export function checkJson(value: JsonValue, place: string): JsonValue {
  checkShape(value, place, DEFAULT_MAX_DEPTH);
  return value;
}

/** Where the text stops being JSON, without a word of it: what was read may be secret, and details are logged. */
function notJson(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? "it is not JSON, or ends too early" : `it is not JSON from character ${position} on`;
}

/** Keys may be written with escapes, so a text with any `\u` is looked through. */
function mayNameAPrototype(text: string): boolean {
  return text.includes("__proto__") || text.includes('"constructor"') || text.includes("\\u");
}

function checkShape(root: JsonValue, place: string, maxDepth: number): void {
  if (typeof root !== "object" || root === null) return;
  let level: JsonValue[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) throw corruptData(place, `it is nested more than ${maxDepth} levels deep`);
    const below: JsonValue[] = [];
    for (const value of level) {
      if (Array.isArray(value)) pushNested(below, value);
      else if (isJsonObject(value)) {
        if (Object.hasOwn(value, "__proto__")) throw corruptData(place, 'it has a key "__proto__"');
        const constructed = Object.hasOwn(value, "constructor") ? value.constructor : undefined;
        if (isJsonObject(constructed) && Object.hasOwn(constructed, "prototype")) {
          throw corruptData(place, 'it has a key "constructor" that holds "prototype"');
        }
        pushNested(below, Object.values(value));
      }
    }
    level = below;
  }
}

function pushNested(target: JsonValue[], values: readonly JsonValue[]): void {
  for (const value of values) if (typeof value === "object" && value !== null) target.push(value);
}

/** @throws `corrupt_data` unless the value is an object. */
export function readObject(value: unknown, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw corruptData(place, `an object is expected, ${describe(value)} found`);
}

/** @throws `corrupt_data` unless the value is an array. */
export function readArray(value: unknown, place: string): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  throw corruptData(place, `an array is expected, ${describe(value)} found`);
}

/** @throws `corrupt_data` unless the value is a string. */
export function readString(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw corruptData(place, `a string is expected, ${describe(value)} found`);
}

/** @throws `corrupt_data` unless the value is a finite number. */
export function readNumber(value: unknown, place: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw corruptData(place, `a number is expected, ${describe(value)} found`);
}

/**
 * The format version of a stored object.
 * @throws `version_mismatch` when it is not one of those that this code reads, `corrupt_data` when there is none.
 */
export function readVersion(value: JsonObject, supported: number, place: string): number {
  const found = value.v;
  if (typeof found !== "number" || !Number.isInteger(found) || found < 1) {
    throw corruptData(`${place}.v`, `a format version is expected, ${describe(found)} found`);
  }
  if (found <= supported) return found;
  throw new TinyAgentsError(
    "version_mismatch",
    `${place} was written in format ${found}; this version reads formats up to ${supported}. Update the packages that read it.`,
    { details: { place, expected: supported, found } },
  );
}

/** What a value is, for an error, without a word of what it holds. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The error of stored data, or of an answer, that is not what it should be. `place` leads to what is wrong. */
export function corruptData(place: string, reason: string, cause?: unknown): TinyAgentsError<"corrupt_data"> {
  return new TinyAgentsError("corrupt_data", `Cannot read ${place}: ${reason}.`, { details: { place, reason }, cause });
}
