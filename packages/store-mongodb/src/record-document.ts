import {
  type CheckedPut,
  corruptData,
  type JsonPrimitive,
  type JsonValue,
  recordName,
  type StoreAttributes,
  type StoreRecord,
  type StoreValue,
} from "@tinyagents/core";
import { type Body, readBytesBody, readTextBody } from "./body.js";
import type { Chunks } from "./chunks.js";
import type { Fields } from "./driver.js";
import { keyOfId, readFields, readJsonText, readText } from "./fields.js";

/** When a record is written and is gone, ms since 1970. */
export interface RecordTimes {
  readonly updatedAtMs: number;
  readonly expiresAtMs?: number;
  /** From when on the server may take the document away. */
  readonly removeAt?: Date;
}

/** The fields of a record, without its `_id` and those of its body. */
export function recordFields({ value, attributes }: CheckedPut, version: string, times: RecordTimes): Fields {
  return { version, type: value.type, attributes: attributeEntries(attributes), ...times };
}

/** JSON text has all that a text can have, lone surrogates too, in characters that every database takes. */
export function bodyOf(value: StoreValue): Body {
  if (value.type === "bytes") return value.bytes;
  return JSON.stringify(value.type === "text" ? value.text : value.value);
}

/** Attributes as texts that are equal exactly if name, type and value are. Whoever asks for one cannot ask for more. */
export function attributeEntries(attributes: StoreAttributes): readonly string[] {
  return Object.entries(attributes).map((entry) => JSON.stringify(entry));
}

/** Whether a document's time is over. @throws `corrupt_data` */
export function isExpired(document: Fields, nowMs: number, place: string): boolean {
  const { expiresAtMs } = document;
  return expiresAtMs !== undefined && readTime(expiresAtMs, `${place}.expiresAtMs`) <= nowMs;
}

/** How errors name the record of a document. @throws `corrupt_data` */
export function placeOf(document: Fields): string {
  return recordName(keyOfId(document._id, "records._id"));
}

/** The record of a document; nothing when its chunks are gone. @throws `corrupt_data` that names the record and the field. */
export async function readRecord(
  found: Fields,
  chunks: Chunks,
  signal?: AbortSignal,
): Promise<StoreRecord | undefined> {
  const key = keyOfId(found._id, "records._id");
  const place = recordName(key);
  const value = await readValue(found, chunks, place, signal);
  return (
    value && {
      key,
      value,
      version: readText(found.version, `${place}.version`),
      attributes: readAttributes(found.attributes, `${place}.attributes`),
      updatedAtMs: readTime(found.updatedAtMs, `${place}.updatedAtMs`),
    }
  );
}

async function readValue(
  found: Fields,
  chunks: Chunks,
  place: string,
  signal: AbortSignal | undefined,
): Promise<StoreValue | undefined> {
  if (found.type === "bytes") {
    const bytes = await readBytesBody(found, chunks, place, signal);
    return bytes && { type: "bytes", bytes };
  }
  if (found.type !== "json" && found.type !== "text")
    throw corruptData(`${place}.type`, "there is no such kind of value");
  const body = await readTextBody(found, chunks, place, signal);
  if (body === undefined) return undefined;
  const value = readJsonText(body, `${place}.body`);
  if (found.type === "json") return { type: "json", value: value as JsonValue };
  return { type: "text", text: readText(value, `${place}.body`) };
}

function readAttributes(value: unknown, place: string): StoreAttributes {
  if (!Array.isArray(value)) throw corruptData(place, "an array is expected");
  return Object.fromEntries(value.map((text, index) => readEntry(text, `${place}[${index}]`)));
}

function readEntry(text: unknown, place: string): [string, JsonPrimitive] {
  const entry = readJsonText(text, place);
  if (!Array.isArray(entry) || entry.length !== 2 || (typeof entry[1] === "object" && entry[1] !== null))
    throw corruptData(place, "a name and a value are expected");
  return [readText(entry[0], place), entry[1] as JsonPrimitive];
}

function readTime(value: unknown, place: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw corruptData(place, "a time is expected");
}

/** A document of the records. @throws `corrupt_data` */
export function readRecordFields(found: unknown): Fields {
  return readFields(found, "records");
}
