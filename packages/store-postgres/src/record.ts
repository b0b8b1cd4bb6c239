import { createHash } from "node:crypto";
import {
  type CheckedPut,
  copyAttributes,
  corruptData,
  readObject,
  recordName,
  type StoreAttributes,
  type StoreKey,
  type StoreRecord,
  type StoreValue,
  storeKeyBytes,
  storeKeyFromBytes,
} from "@tinyagents/core";
import type { Row } from "./database.js";
import { checkKeySize, checkSize, jsonText, parseStored, storedNumber } from "./values.js";

/** What is read of a record `r`, as texts that no setting of database or driver changes. */
export const RECORD_COLUMNS: string =
  "encode(r.key, 'hex') AS key, kind, content, encode(bytes, 'base64') AS bytes, attributes, version::text AS version, " +
  "updated_at_ms::text AS updated_at_ms";

/** What is written of a record besides its namespace and version, in the order of {@link recordValues}. */
export const WRITTEN_COLUMNS: readonly string[] = [
  "key",
  "kind",
  "content",
  "bytes",
  "attributes",
  "terms",
  "updated_at_ms",
  "expires_at_ms",
];

/** A put as the database takes it. @throws `invalid_request` for a key or value that is too large. */
export function recordValues(
  { key, value, attributes, ttlMs }: CheckedPut,
  namespace: string,
  nowMs: number,
): unknown[] {
  const keyBytes = storeKeyBytes(key);
  checkKeySize(keyBytes, "key");
  const content = value.type === "bytes" ? null : jsonText(value.type === "json" ? value.value : value.text);
  const bytes = value.type === "bytes" ? Buffer.from(value.bytes) : null;
  const facts = jsonText(attributes);
  checkSize(content === null ? (bytes?.length ?? 0) : Buffer.byteLength(content), "value");
  checkSize(Buffer.byteLength(facts), "attributes");
  const expiresAtMs = ttlMs === undefined ? null : nowMs + ttlMs;
  return [keyBytes, value.type, content, bytes, facts, terms(attributes, namespace), nowMs, expiresAtMs];
}

/** The record of a row. @throws `corrupt_data` that names it, for what was not written by {@link recordValues}. */
export function recordOf(row: Row): StoreRecord {
  const key = storeKeyFromBytes(Buffer.from(row.key ?? "", "hex"), `the key with the bytes ${row.key}`);
  const place = recordName(key);
  return {
    key,
    value: storeValueOf(row, place),
    version: versionOf(row, key),
    attributes: attributesOf(row, place),
    updatedAtMs: storedNumber(row.updated_at_ms, place),
  };
}

/** @throws `corrupt_data` for a row without a version. */
function versionOf(row: Row, key: StoreKey): string {
  const { version } = row;
  if (typeof version === "string") return version;
  throw corruptData(recordName(key), "its version is missing");
}

function storeValueOf({ kind, content, bytes }: Row, place: string): StoreValue {
  switch (kind) {
    case "json":
      return { type: "json", value: parseStored(content, place) };
    case "text": {
      const text = parseStored(content, place);
      if (typeof text !== "string") throw corruptData(place, "its value is not the text that was written");
      return { type: "text", text };
    }
    case "bytes":
      if (typeof bytes !== "string") throw corruptData(place, "its value is missing");
      return { type: "bytes", bytes: new Uint8Array(Buffer.from(bytes, "base64")) };
    default:
      throw corruptData(place, `its value is of a kind that is not known: ${JSON.stringify(kind)}`);
  }
}

function attributesOf(row: Row, place: string): StoreAttributes {
  const stored = readObject(parseStored(row.attributes, `${place}, attributes`), `${place}, attributes`);
  try {
    return copyAttributes(stored as StoreAttributes);
  } catch (error) {
    throw corruptData(`${place}, attributes`, "they are not what was written", error);
  }
}

/**
 * What an index finds attributes by: a digest for each, of its name, type and value, and of the namespace. Two that differ
 * in anything have different ones, whatever characters and however many of them.
 */
export function terms(attributes: StoreAttributes, namespace: string): readonly Buffer[] {
  return Object.entries(attributes).map((attribute) =>
    createHash("sha256")
      .update(JSON.stringify([namespace, ...attribute]))
      .digest(),
  );
}
