import { crc32 } from "node:zlib";
import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

/** Ends each line: a checksum of the file up to it, and the end of the object. Only ASCII, and always as long. */
const TAIL_START = ',"crc":"';
const TAIL_BYTES = TAIL_START.length + 8 + 2;
const NEWLINE = 0x0a;

/** A line that was read: what it says, and the checksum that the next one goes on from. */
export interface ReadLine {
  readonly object: JsonObject;
  readonly crc: number;
}

/** The last bytes of a line whose checksum is this one, newline included. */
export function lineEnd(crc: number): Buffer {
  return Buffer.from(`${hex(crc)}"}\n`, "latin1");
}

/** How long a line with these fields is, bytes, newline included. */
export function lineBytes(fields: string): number {
  return Buffer.byteLength(fields) + 1 + TAIL_BYTES + 1;
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
  const body = bytes.write(`{${fields}`, start);
  const crc = crc32(bytes.subarray(start, start + body), before);
  const tail = bytes.write(`${TAIL_START}${hex(crc)}"}\n`, start + body, "latin1");
  return { length: body + tail, crc };
}

/** What a line says; nothing when it is not what was written behind the lines before it. `bytes` are without newline. */
export function decodeLine(bytes: Buffer, before: number): ReadLine | undefined {
  const bodyLength = bytes.byteLength - TAIL_BYTES;
  if (bodyLength < 1) return undefined;
  const crc = crc32(bytes.subarray(0, bodyLength), before);
  if (bytes.toString("latin1", bodyLength) !== `${TAIL_START}${hex(crc)}"}`) return undefined;
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

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
