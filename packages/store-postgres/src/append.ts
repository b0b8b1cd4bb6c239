import { createHash } from "node:crypto";
import { type CheckedAppend, canonicalJson, otherValuesUnderKey, writeConflict } from "@tinyagents/core";
import type { LogContext } from "./append-store.js";
import type { Row } from "./database.js";
import { isDuplicate } from "./to-error.js";
import { checkKeySize, checkSize, jsonText, storedNumber } from "./values.js";

/**
 * Appends in one statement. Where that finds the key used, the head elsewhere, or somebody faster with the same key, it
 * asks what is there.
 */
export async function append(
  context: LogContext,
  checked: CheckedAppend,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { database, statements } = context;
  const { stream, expectedOffset, idempotencyKey } = checked;
  const place = `stream "${stream}"`;
  const key = idempotencyKey === undefined ? undefined : digestOf(idempotencyKey);
  const digest = key === undefined ? undefined : digestOf(canonicalJson(checked.values));
  const statement = statements.append({ isThere: (expectedOffset ?? 0) > 0, hasKey: key !== undefined });
  const values = valuesOf(context, checked, key, digest);

  const offsetIn = (row: Row): number => {
    if (row.digest != null && row.digest !== digest?.toString("hex")) throw otherValuesUnderKey(checked);
    return storedNumber(row.at, place);
  };
  for (;;) {
    const [row] = await database.query(statement, values, signal).catch((error: unknown) => {
      if (isDuplicate(error)) return [];
      throw error;
    });
    if (row !== undefined) return offsetIn(row);
    const at = context.at(stream);
    const [known] = key === undefined ? [] : await database.query(statements.known, [...at, key], signal);
    if (known !== undefined) return offsetIn(known);
    const [there] = await database.query(statements.head, at, signal);
    const head = there === undefined ? 0 : storedNumber(there.head, place);
    // Else the stream was deleted, or came to be, between two of these looks: what there is now may be as it should.
    if (expectedOffset !== undefined && expectedOffset !== head) throw writeConflict(place, expectedOffset, head);
  }
}

/** The values of the statement. @throws `invalid_request` for what is too large. */
function valuesOf(
  { at, notification }: LogContext,
  { stream, values, expectedOffset }: CheckedAppend,
  key: Buffer | undefined,
  digest: Buffer | undefined,
): unknown[] {
  const [owner, name] = at(stream);
  checkKeySize(name, "stream");
  const text = jsonText(values);
  checkSize(Buffer.byteLength(text), "values");
  return [
    ...[owner, name, values.length, text, expectedOffset ?? null],
    ...(key === undefined ? [] : [key, digest]),
    ...(notification === undefined ? [] : [notification.channel, notification.payloadOf(stream)]),
  ];
}

/** What stands for a key, or for values, in the table of keys. */
export function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf16le").digest();
}
