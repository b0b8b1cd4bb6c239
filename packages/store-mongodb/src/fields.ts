import { corruptData, type StoreKey, storeKeyBytes, storeKeyFromBytes, storeKeyRangeEnd } from "@tinyagents/core";
import type { Fields } from "./driver.js";

/** Comes after every hexadecimal digit. */
const AFTER_HEX = "g";

/**
 * A key as the `_id` of its document. Databases order texts by bytes, as keys do; binary values they order by length first,
 * and some refuse texts with a NUL.
 */
export function idOfKey(key: StoreKey): string {
  return toHex(storeKeyBytes(key));
}

/** The range of `_id`s of the keys that start with these names. */
export function idsUnder(prefix: StoreKey): { readonly from: string; readonly to: string } {
  const end = storeKeyRangeEnd(prefix);
  return { from: toHex(storeKeyBytes(prefix)), to: end === undefined ? AFTER_HEX : toHex(end) };
}

/** The range of `_id`s of the single names that start with a text. */
export function idsOfNames(prefix: string): { readonly from: string; readonly to: string } {
  const from = toHex(storeKeyBytes([prefix]).slice(0, -1));
  return { from, to: from + AFTER_HEX };
}

/** @throws `corrupt_data` for an `_id` that is no key. */
export function keyOfId(id: unknown, place: string): StoreKey {
  const text = readText(id, place);
  if (!/^(?:[0-9a-f]{2})+$/.test(text)) throw corruptData(place, "this _id is no key");
  return storeKeyFromBytes(Buffer.from(text, "hex"), place);
}

/** @throws `corrupt_data` */
export function readFields(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw corruptData(place, "a document is expected");
}

/** @throws `corrupt_data` */
export function readText(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw corruptData(place, "a text is expected");
}

/** @throws `corrupt_data` */
export function readCount(value: unknown, place: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw corruptData(place, "a whole number from 0 up is expected");
}

/** Bytes of a binary field, shared with the document. @throws `corrupt_data` */
export function readBinary(value: unknown, place: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  const { buffer, position } = (value ?? {}) as { readonly buffer?: unknown; readonly position?: unknown };
  if (buffer instanceof Uint8Array && typeof position === "number") return buffer.subarray(0, position);
  throw corruptData(place, "bytes are expected");
}

/** JSON that this package wrote. @throws `corrupt_data` */
export function readJsonText(value: unknown, place: string): unknown {
  const text = readText(value, place);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corruptData(place, "it is not JSON, or ends too early", error);
  }
}

/** A number as a text that orders as it does, among others of its kind. */
export function orderedNumber(value: number): string {
  return String(value).padStart(16, "0");
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
