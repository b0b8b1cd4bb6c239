import type { JsonValue } from "../json.js";
import { invalidArgument } from "./refuse.js";

/** Deeper values are refused: readers of stored JSON refuse them too. */
const MAX_DEPTH = 256;

/**
 * A copy that shares nothing with the value. Every own key stays an own key, `__proto__` as well. `-0` becomes `0`, as
 * in JSON text.
 *
 * @param place where the value stands, for the error: `value`.
 * @throws `invalid_request` that names the path of what is not JSON.
 */
export function copyStoredJson(value: unknown, place: string): JsonValue {
  return copy(value, [place]);
}

function copy(value: unknown, trail: (string | number)[]): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  if (typeof value !== "object") throw notJson(trail, describe(value));
  if (trail.length > MAX_DEPTH)
    throw notJson(trail, `a value more than ${MAX_DEPTH} levels deep, or one that contains itself,`);
  if (Array.isArray(value)) return copyArray(value, trail);
  if (!isPlain(value)) throw notJson(trail, `an object of class ${value.constructor?.name || "unknown"}`);
  return copyObject(value as { readonly [key: string]: unknown }, trail);
}

function copyArray(values: readonly unknown[], trail: (string | number)[]): JsonValue {
  const copied = new Array<JsonValue>(values.length);
  for (let i = 0; i < values.length; i++) {
    trail.push(i);
    copied[i] = copy(values[i], trail);
    trail.pop();
  }
  return copied;
}

function copyObject(value: { readonly [key: string]: unknown }, trail: (string | number)[]): JsonValue {
  const copied: { [key: string]: JsonValue } = {};
  for (const key of Object.keys(value)) {
    trail.push(key);
    const entry = copy(value[key], trail);
    trail.pop();
    if (key === "__proto__") defineOwn(copied, key, entry);
    else copied[key] = entry;
  }
  return copied;
}

/** Assigning to `__proto__` would set the prototype in place of a key. */
function defineOwn(target: object, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Objects as literals make them, those of another realm included. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function notJson(trail: readonly (string | number)[], found: string): Error {
  return invalidArgument(pathOf(trail), `${found} is not JSON and cannot be stored`);
}

function pathOf(trail: readonly (string | number)[]): string {
  const shown = trail.length > 24 ? [...trail.slice(0, 24), "..."] : trail;
  return shown.reduce<string>((path, step, index) => {
    if (index === 0) return String(step);
    if (typeof step === "number") return `${path}[${step}]`;
    return /^[\w$.]+$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
  }, "");
}

function describe(value: unknown): string {
  if (value === undefined) return "undefined";
  return typeof value === "number" ? `the number ${value}` : `a ${typeof value}`;
}
