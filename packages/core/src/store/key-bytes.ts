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
  const bytes = new Uint8Array(sizeOf(key));
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
      if (name === "") break;
      names.push(name);
      name = "";
      at += 1;
      continue;
    }
    const unit = byte > ESCAPE && byte < 0x80 ? byte : readUnit(bytes, at);
    if (unit < 0) break;
    name += String.fromCharCode(unit);
    at += sizeOfUnit(unit);
  }
  if (bytes.length === 0 || sizeOf(names) !== bytes.length) throw corruptData(place, "these bytes are no key");
  return names;
}

function sizeOf(key: StoreKey): number {
  let size = key.length;
  for (const name of key) {
    for (let i = 0; i < name.length; i++) size += sizeOfUnit(name.charCodeAt(i));
  }
  return size;
}

function sizeOfUnit(unit: number): number {
  if (unit > ESCAPE && unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
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

/** The code unit that starts there in two or three bytes, or -1 where {@link writeUnit} wrote none: each unit has one form. */
function readUnit(bytes: Uint8Array, at: number): number {
  const [lead, second, third] = [bytes[at] as number, tailOf(bytes[at + 1]), tailOf(bytes[at + 2])];
  if (lead === ESCAPE) {
    const escaped = bytes[at + 1];
    return escaped === 1 || escaped === 2 ? escaped - 1 : -1;
  }
  if (lead < 0xe0) return lead >= 0xc2 && second >= 0 ? ((lead & 0x1f) << 6) | second : -1;
  if (lead >= 0xf0 || second < 0 || third < 0) return -1;
  const unit = ((lead & 0x0f) << 12) | (second << 6) | third;
  return unit < 0x800 ? -1 : unit;
}

/** Six bits of a code unit, or -1. */
function tailOf(byte: number | undefined): number {
  return byte !== undefined && (byte & 0xc0) === 0x80 ? byte & 0x3f : -1;
}
