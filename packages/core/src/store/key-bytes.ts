import { corruptData } from "../guarded-read.js";
import type { StoreKey } from "./store.js";

/** Ends a name. No other byte of a key is 0. */
const END = 0;
/** Comes before what stands for a NUL or for itself: both would be told from the end of a name, or order wrongly, no more. */
const ESCAPE = 1;

/**
 * A key as bytes that order as keys do when they are compared byte by byte, as databases compare binary keys: name by name
 * in code unit order, a key before those that it starts. Every key that starts with a prefix starts with the prefix's bytes.
 *
 * Each UTF-16 code unit stands alone in the one to three bytes that UTF-8 has for it (surrogates too, so this is no UTF-8);
 * the bytes 0 and 1 are written `01 01` and `01 02`, and each name ends with `00`.
 */
export function storeKeyBytes(key: StoreKey): Uint8Array {
  let size = key.length;
  for (const name of key) size += sizeOf(name);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const name of key) {
    for (let i = 0; i < name.length; i++) at = writeUnit(bytes, at, name.charCodeAt(i));
    bytes[at++] = END;
  }
  return bytes;
}

/**
 * The first bytes that come after all keys that start with a prefix: with {@link storeKeyBytes} of the prefix, the range of
 * a listing. Nothing for the empty prefix, which has no end.
 */
export function storeKeyRangeEnd(prefix: StoreKey): Uint8Array | undefined {
  if (prefix.length === 0) return undefined;
  const bytes = storeKeyBytes(prefix);
  bytes[bytes.length - 1] = END + 1;
  return bytes;
}

/** The key that {@link storeKeyBytes} wrote. @throws `corrupt_data` for bytes that it did not. */
export function storeKeyFromBytes(bytes: Uint8Array, place: string): StoreKey {
  const names: string[] = [];
  let name = "";
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte === END) {
      names.push(name);
      name = "";
      at += 1;
      continue;
    }
    const length = byte === ESCAPE ? 2 : lengthOf(byte);
    name += String.fromCharCode(readUnit(bytes, at, length, place));
    at += length;
  }
  if (name !== "" || names.includes("")) throw corruptData(place, "these bytes are no key");
  return names;
}

function sizeOf(name: string): number {
  let size = 0;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    size += unit > ESCAPE && unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return size;
}

function writeUnit(bytes: Uint8Array, start: number, unit: number): number {
  let at = start;
  if (unit <= ESCAPE) {
    bytes[at++] = ESCAPE;
    bytes[at++] = unit + 1;
  } else if (unit < 0x80) {
    bytes[at++] = unit;
  } else if (unit < 0x800) {
    bytes[at++] = 0xc0 | (unit >> 6);
    bytes[at++] = 0x80 | (unit & 0x3f);
  } else {
    bytes[at++] = 0xe0 | (unit >> 12);
    bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
    bytes[at++] = 0x80 | (unit & 0x3f);
  }
  return at;
}

function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  return lead < 0xe0 ? 2 : 3;
}

function readUnit(bytes: Uint8Array, at: number, length: number, place: string): number {
  const [lead = 0, second, third] = bytes.subarray(at, at + length);
  if (lead === ESCAPE) {
    if (second === 1 || second === 2) return second - 1;
    throw corruptData(place, "these bytes are no key");
  }
  if (length === 1) return lead;
  const tail = length === 2 ? [second] : [second, third];
  let unit = lead & (length === 2 ? 0x1f : 0x0f);
  for (const byte of tail) {
    if (byte === undefined || (byte & 0xc0) !== 0x80) throw corruptData(place, "these bytes are no key");
    unit = (unit << 6) | (byte & 0x3f);
  }
  return unit;
}
