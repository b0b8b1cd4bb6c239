import { redactJson, redactText } from "@tinyagents/core";

/** How deep causes are followed. */
const DEEPEST = 5;
/** Fields of the SDK's errors that are texts. */
const TEXTS = ["message", "stack", "code", "type", "requestID", "workspaceID", "apiMessage", "errorCode"];
/** Fields that are pieces of the server's answer. */
const ANSWERS = ["error", "details"];

/** The same error with secrets taken out of everything in it that people or logs may read. */
export function cleanError(error: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof error === "string") return redactText(error, secrets);
  if (!(error instanceof Error) || depth >= DEEPEST) return undefined;
  const open = error as unknown as { [key: string]: unknown };
  for (const key of TEXTS) {
    const value = open[key];
    if (typeof value === "string") replace(open, key, redactText(value, secrets));
  }
  for (const key of ANSWERS) if (open[key] !== undefined) replace(open, key, redactJson(open[key], secrets));
  if (open.headers instanceof Headers) replace(open, "headers", cleanHeaders(open.headers, secrets));
  if (error.cause !== undefined) replace(open, "cause", cleanError(error.cause, secrets, depth + 1));
  return error;
}

/** Some fields are getters or not enumerable; one that cannot be changed is left to stand with nothing in it. */
function replace(target: { [key: string]: unknown }, key: string, value: unknown): void {
  if (target[key] === value) return;
  const enumerable = Object.prototype.propertyIsEnumerable.call(target, key);
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

function cleanHeaders(headers: Headers, secrets: readonly string[]): Headers {
  const clean = new Headers();
  headers.forEach((value, name) => {
    if (name !== "set-cookie") clean.append(name, redactText(value, secrets));
  });
  return clean;
}
