import { messageOf } from "./errors.js";
import type { JsonValue } from "./json.js";
import { redactJson, redactText } from "./redact.js";

/** How deep causes are followed. */
const DEEPEST = 5;

/**
 * The same error, changed in place: secrets are taken out of everything in it that people or logs may read, its causes
 * included. Texts are cleaned by `redactText`, JSON and headers by `redactJson`, and cookies are dropped; fields that hold
 * anything else (a socket, a request) are emptied. An error that lets nobody change it is replaced by a plain one with its message. A text
 * that was thrown becomes an error; nothing for what is neither.
 */
export function redactError(error: unknown, secrets: readonly string[] = []): Error | undefined {
  if (typeof error === "string") return new Error(redactText(error, secrets));
  return error instanceof Error ? redacted(error, secrets, 1) : undefined;
}

function redacted(error: Error, secrets: readonly string[], depth: number): Error {
  try {
    // Engines differ in where a stack stands, and subclasses in where a message does.
    for (const key of new Set([...Object.getOwnPropertyNames(error), "message", "stack"])) {
      replace(error, key, (value) => redactField(value, secrets, depth));
    }
    return error;
  } catch {
    return new Error(redactText(messageOf(error), secrets));
  }
}

/** Some fields are getters, or not enumerable: what was shown stays shown. */
function replace(error: Error, key: string, clean: (value: unknown) => unknown): void {
  const found: unknown = Reflect.get(error, key);
  const value = clean(found);
  if (value === found) return;
  const enumerable = Object.prototype.propertyIsEnumerable.call(error, key);
  Object.defineProperty(error, key, { value, enumerable, writable: true, configurable: true });
}

function redactField(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === "string") return redactText(value, secrets);
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return depth < DEEPEST ? redacted(value, secrets, depth + 1) : undefined;
  if (value instanceof Headers) return redactHeaders(value, secrets);
  if (Array.isArray(value)) return value.map((item: unknown) => redactField(item, secrets, depth));
  return isRecord(value) ? redactJson(value as JsonValue, secrets) : undefined;
}

function redactHeaders(headers: Headers, secrets: readonly string[]): Headers {
  const fields: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (name !== "set-cookie") fields[name] = value;
  });
  return new Headers(redactJson(fields, secrets));
}

/** Objects as literals make them, those of another realm included. */
function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
