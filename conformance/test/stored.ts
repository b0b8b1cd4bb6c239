import { type JsonValue, TinyAgentsError, throwIfAborted } from "@tinyagents/core";

/** The error for an argument that cannot be. */
export function refused(place: string, problem = "it cannot be"): TinyAgentsError<"invalid_request"> {
  const reason = `${place}: ${problem}`;
  return new TinyAgentsError("invalid_request", reason, { details: { reason } });
}

/** The error for a condition that does not hold. */
export function conflicting(resource: string, expected: JsonValue, found: JsonValue): TinyAgentsError<"conflict"> {
  return new TinyAgentsError("conflict", `${resource} has changed`, { details: { resource, expected, found } });
}

/** Lets a call in, unless it is cancelled or its store is closed. */
export function enter(
  isClosed: boolean,
  operation: string,
  options?: { readonly signal?: AbortSignal | undefined },
): void {
  throwIfAborted(options?.signal);
  if (!isClosed) return;
  throw new TinyAgentsError("store_failed", "It is closed.", { details: { store: "memory", operation } });
}

/** The JSON text of a value, or the place at which it is not JSON. */
export function jsonText(value: unknown, place: string): string {
  checkJson(value, place, 0);
  return JSON.stringify(value);
}

function checkJson(value: unknown, place: string, depth: number): void {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return;
  if (typeof value !== "object" || depth >= 256) throw refused(place);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === null || prototype === Object.prototype;
  if (!isPlain) throw refused(place);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkJson(value[i], `${place}[${i}]`, depth + 1);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const step = /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    checkJson(inner, place + step, depth + 1);
  }
}

/** A whole number from `least` up, or nothing. */
export function checkWhole(value: number | undefined, least: number, place: string): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) throw refused(place);
}

export function checkFields(fields: object, known: readonly string[]): void {
  for (const name of Object.keys(fields)) if (!known.includes(name)) throw refused(name, "nobody reads it");
}

export function checkOrder(order: unknown): void {
  if (order !== undefined && order !== "ascending" && order !== "descending") throw refused("order");
}
