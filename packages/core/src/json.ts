/** A JSON scalar. */
export type JsonPrimitive = string | number | boolean | null;

/** Anything that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;

/** A JSON object. Absent keys are not said; `undefined` never means anything. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is an object with keys: no array, no `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The one JSON text of a value: keys sorted by code unit, no white space. Equal values give equal texts whatever
 * order their keys were written in. Keys whose value is `undefined` are left out, as `JSON.stringify` does.
 *
 * @throws TypeError for what is not JSON: functions, symbols, bigints, dates, maps, numbers that are not finite, cycles.
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

function write(value: unknown, ancestors: object[]): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`canonicalJson: ${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new TypeError(`canonicalJson: a ${typeof value} is not JSON`);
  if (ancestors.includes(value)) throw new TypeError("canonicalJson: the value contains itself");
  ancestors.push(value);
  const text = Array.isArray(value) ? writeArray(value, ancestors) : writeObject(value, ancestors);
  ancestors.pop();
  return text;
}

function writeArray(values: readonly unknown[], ancestors: object[]): string {
  let text = "[";
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ",";
    text += values[i] === undefined ? "null" : write(values[i], ancestors);
  }
  return `${text}]`;
}

function writeObject(value: object, ancestors: object[]): string {
  const kind = Object.prototype.toString.call(value);
  if (kind !== "[object Object]") throw new TypeError(`canonicalJson: ${kind.slice(8, -1)} is not JSON`);
  const entries = value as { readonly [key: string]: unknown };
  const keys = Object.keys(entries);
  if (keys.length > 1) keys.sort();
  let text = "{";
  for (const key of keys) {
    const entry = entries[key];
    if (entry === undefined) continue;
    if (text.length > 1) text += ",";
    text += `${JSON.stringify(key)}:${write(entry, ancestors)}`;
  }
  return `${text}}`;
}

/**
 * A short stable name (14 hex digits, 53 bits) for a JSON value: equal values give equal names in every process.
 * It tells values apart that differ by accident; it is no defence against somebody who looks for a collision.
 */
export function fingerprint(value: unknown): string {
  return hashText(canonicalJson(value));
}

/** The hash behind {@link fingerprint}, as 14 hex digits. */
export function hashText(text: string): string {
  return hashNumber(text).toString(16).padStart(14, "0");
}

/** The hash behind {@link fingerprint}, as a whole number below 2^53. */
export function hashNumber(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}
