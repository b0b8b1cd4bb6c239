import { crc32 } from "node:zlib";
import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

/** Ends each line: a checksum of the file up to it, the end of the object, and a newline. Only ASCII, and always as long. */
const TAIL = Buffer.from(',"crc":"00000000"}\n', "latin1");
const DIGITS = Buffer.from("0123456789abcdef", "latin1");
/** Where the last digit of the checksum stands in it. */
const LAST_DIGIT = TAIL.lastIndexOf("0");
const NEWLINE = 0x0a;
const OPENING_BRACE = 0x7b;

/** A line that was read: what it says, and the checksum that the next one goes on from. */
export interface ReadLine {
  readonly object: JsonObject;
  readonly crc: number;
}

/** The last bytes of a line whose checksum is this one, newline included. */
export function lineEnd(crc: number): Buffer {
  const bytes = Buffer.allocUnsafe(TAIL.byteLength);
  writeEnd(bytes, 0, crc);
  return bytes;
}

/** How long a line with these fields is, bytes, newline included. */
export function lineBytes(fields: string): number {
  return 1 + Buffer.byteLength(fields) + TAIL.byteLength;
}

/**
 * Writes one line of JSON that proves itself: its last field is the CRC-32 of all bytes of the file up to there, checksums
 * and newlines left out. So a line fits only behind those that it was written behind.
 * @returns its length, and the checksum that the next one goes on from.
 */
export function writeLine(
  bytes: Buffer,
  start: number,
  fields: string,
  before: number,
): { readonly length: number; readonly crc: number } {
  bytes[start] = OPENING_BRACE;
  const end = start + 1 + bytes.write(fields, start + 1);
  const crc = crc32(bytes.subarray(start, end), before);
  writeEnd(bytes, end, crc);
  return { length: end + TAIL.byteLength - start, crc };
}

/** What a line says; nothing when it is not what was written behind the lines before it. `bytes` are without newline. */
export function decodeLine(bytes: Buffer, before: number): ReadLine | undefined {
  const bodyLength = bytes.byteLength - (TAIL.byteLength - 1);
  if (bodyLength < 1) return undefined;
  const crc = crc32(bytes.subarray(0, bodyLength), before);
  if (bytes.compare(lineEnd(crc), 0, TAIL.byteLength - 1, bodyLength) !== 0) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(bytes.toString("utf8")) as JsonValue;
  } catch {
    return undefined;
  }
  return isJsonObject(value) ? { object: value, crc } : undefined;
}

/** Where the first newline from a place on is; -1 when there is none. */
export function newlineFrom(bytes: Buffer, from: number): number {
  return bytes.indexOf(NEWLINE, from);
}

/** Digit by digit: this is done for every line, and texts of numbers are slow to make. */
function writeEnd(bytes: Buffer, at: number, crc: number): void {
  bytes.set(TAIL, at);
  for (let place = at + LAST_DIGIT, rest = crc; rest !== 0; place--, rest >>>= 4)
    bytes[place] = DIGITS[rest & 0xf] as number;
}
