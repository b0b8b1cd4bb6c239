import { isTinyAgentsError } from "./errors.js";
import type { JsonValue } from "./json.js";
import type { Check } from "./shape.js";

/** The deepest that a value may be nested, so that a state that holds it can still be read. */
const DEEPEST = 200;
/** The most lists and objects that are looked at: what holds itself, or one part many times over, has no end. */
const MOST_HOLDERS = 1_000_000;

/**
 * Why a value that a program handed over cannot be stored as JSON and read back; nothing when it can. Keys whose value
 * is `undefined` count as absent. The fault begins with the way to the bad value: `place.rows[3].when is a function`.
 */
export function jsonFault(value: unknown, place: string): string | undefined {
  try {
    const fault = faultIn(value, 0, { left: MOST_HOLDERS });
    return fault === undefined ? undefined : `${place}${fault}`;
  } catch {
    return `${place} cannot be read`;
  }
}

/**
 * The same for a value that must have a shape: what the check of stored data says of it, as `place: reason`, or why it
 * cannot be stored.
 */
export function checkFault(check: Check, value: unknown, place: string): string | undefined {
  try {
    check(value as JsonValue, place);
  } catch (error) {
    if (!isTinyAgentsError(error, "corrupt_data")) return `${place} cannot be read`;
    return `${error.details.place}: ${error.details.reason}`;
  }
  return jsonFault(value, place);
}

function faultIn(value: unknown, depth: number, budget: { left: number }): string | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : ` is ${value}, which is no JSON number`;
  if (typeof value !== "object") return value === undefined ? " is missing" : ` is a ${typeof value}`;
  if (depth >= DEEPEST) return ` is nested more than ${DEEPEST} levels deep, or holds itself`;
  budget.left -= 1;
  if (budget.left < 0) return ` holds more than ${MOST_HOLDERS} lists and objects, or itself`;
  return Array.isArray(value) ? faultInItems(value, depth, budget) : faultInEntries(value, depth, budget);
}

function faultInItems(items: readonly unknown[], depth: number, budget: { left: number }): string | undefined {
  for (let at = 0; at < items.length; at++) {
    const fault = faultIn(items[at], depth + 1, budget);
    if (fault !== undefined) return `[${at}]${fault}`;
  }
  return undefined;
}

function faultInEntries(holder: object, depth: number, budget: { left: number }): string | undefined {
  if (!isRecord(holder)) return ` is no plain object but ${Object.prototype.toString.call(holder)}`;
  const entries = holder as { readonly [key: string]: unknown };
  for (const key of Object.keys(entries)) {
    if (key === "__proto__") return ' has a key "__proto__"';
    const entry = entries[key];
    if (entry === undefined) continue;
    if (key === "constructor" && typeof entry === "object" && entry !== null && Object.hasOwn(entry, "prototype")) {
      return ' has a key "constructor" that holds "prototype"';
    }
    const fault = faultIn(entry, depth + 1, budget);
    if (fault !== undefined) return `.${key}${fault}`;
  }
  return undefined;
}

/** Objects as literals make them, those of another realm included. */
function isRecord(holder: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(holder);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
