import {
  corruptData,
  type JsonPrimitive,
  recordName,
  type StoreAttributes,
  type StoreKey,
  type StoreRecord,
  type StoreValue,
  storeKeyFromBytes,
} from "@tinyagents/core";
import type { SqliteRow, SqliteValue } from "./driver.js";
import { jsonText, readJsonText } from "./stored-text.js";

/** What stands in the column `kind`. The kind is not in the value: no value can be taken for one of another kind. */
const KINDS: readonly StoreValue["type"][] = ["json", "text", "bytes"];

/** The columns of a record, for {@link readRecord}. */
export const RECORD_COLUMNS = "r.key, r.kind, r.value, r.version, r.attributes, r.updated_at_ms";

/** The columns `kind` and `value`. Texts are stored as JSON, which has a form for NUL and for half a surrogate pair. */
export function valueColumns(value: StoreValue): readonly [kind: number, value: SqliteValue] {
  const kind = KINDS.indexOf(value.type);
  if (value.type === "bytes") return [kind, value.bytes];
  return [kind, jsonText(value.type === "json" ? value.value : value.text)];
}

/** The column `attributes`: nothing where there are none. */
export function attributesColumn(attributes: StoreAttributes): string | null {
  const text = jsonText(attributes);
  return text === "{}" ? null : text;
}

/** @throws `corrupt_data` that names the record. */
export function readAttributes(column: unknown, place: string): StoreAttributes {
  if (column === null) return {};
  const attributes = readJsonText(column, `${place}.attributes`);
  if (typeof attributes === "object" && attributes !== null && Object.values(attributes).every(isPrimitive))
    return attributes as StoreAttributes;
  throw corruptData(`${place}.attributes`, "an object of attributes is expected");
}

/** The record of a row. @throws `corrupt_data` that names it. */
export function readRecord(row: SqliteRow, table: string): StoreRecord {
  const key = readKey(row.key, table);
  const place = placeOf(key, table);
  const { version, updated_at_ms: updatedAtMs } = row;
  if (typeof version !== "string") throw corruptData(`${place}.version`, "a text is expected");
  if (typeof updatedAtMs !== "number") throw corruptData(`${place}.updated_at_ms`, "a number is expected");
  return {
    key,
    value: readValue(row, `${place}.value`),
    version,
    attributes: readAttributes(row.attributes, place),
    updatedAtMs,
  };
}

/** How errors name what is stored under a key. */
function placeOf(key: StoreKey, table: string): string {
  return `${recordName(key)} in SQLite table "${table}"`;
}

/** The key of a row. @throws `corrupt_data` */
function readKey(bytes: unknown, table: string): StoreKey {
  const place = `a key in SQLite table "${table}"`;
  if (bytes instanceof Uint8Array) return storeKeyFromBytes(bytes, place);
  throw corruptData(place, "bytes are expected");
}

function readValue({ kind, value }: SqliteRow, place: string): StoreValue {
  const type = KINDS[Number(kind)];
  if (type === "bytes" && value instanceof Uint8Array) return { type, bytes: new Uint8Array(value) };
  if (type === "json") return { type, value: readJsonText(value, place) };
  const text = type === "text" ? readJsonText(value, place) : undefined;
  if (typeof text === "string") return { type: "text", text };
  throw corruptData(place, `a value of the kinds ${KINDS.join(", ")} is expected`);
}

function isPrimitive(value: unknown): value is JsonPrimitive {
  return value === null || typeof value !== "object";
}
