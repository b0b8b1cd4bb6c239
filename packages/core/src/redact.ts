import { isJsonObject, type JsonValue } from "./json.js";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

const SECRET_KEY =
  /^(authorization|cookie|set-cookie|x-api-key)$|api[-_]?key|secret|password|passphrase|access[-_]?token|refresh[-_]?token|credential/i;

const SECRET_TEXT =
  /\b(?:sk|pk|rk|ghp|gho|xox[bpars])[-_][A-Za-z0-9_-]{12,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/g;

/** Takes known secrets, and what has the shape of a key, out of a text that people will read. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  // The longest first: a secret that begins another one must not leave the rest of it behind.
  const known = secrets.filter((secret) => secret.length >= 4).sort((one, other) => other.length - one.length);
  for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
  return clean.replace(SECRET_TEXT, REDACTED);
}

/** A copy of a value in which strings are cleaned by {@link redactText} and values of secret-looking keys are gone. For JSON, typed or not. */
export function redactJson<T>(value: T, secrets: readonly string[] = []): T {
  return redacted(value as JsonValue, secrets) as T;
}

function redacted(value: JsonValue, secrets: readonly string[]): JsonValue {
  if (typeof value === "string") return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((item: JsonValue) => redacted(item, secrets));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, SECRET_KEY.test(key) ? REDACTED : redacted(entry, secrets)]),
  );
}
