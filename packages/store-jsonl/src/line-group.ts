import type { JsonObject } from "@tinyagents/core";
import { lineBytes, writeLine } from "./line.js";

/** A line that is to be written: its fields as JSON text, and those of them that the index goes by. */
export interface NewLine {
  /** Without the braces; not empty. */
  readonly fields: string;
  readonly object: JsonObject;
}

/** Where a line begins. */
export interface LineStart {
  readonly position: number;
  /** Number of the line, from 1. */
  readonly line: number;
  /** The checksum that the line goes on from. */
  readonly before: number;
}

/** Where a line is, so that it can be read, and proven, alone. */
export interface LinePlace extends LineStart {
  /** Bytes, newline included. */
  readonly length: number;
}

/** The first line of a file. */
export const FIRST_LINE: LineStart = { position: 0, line: 1, before: 0 };

/** A line that was written or read, and where it is. */
export interface PlacedLine {
  readonly object: JsonObject;
  readonly place: LinePlace;
}

/** The newest format that is written and read. */
export const FORMAT_VERSION = 1;

/** How far a file is known. */
export interface Tip {
  /** Where the last whole group ends. */
  readonly end: number;
  readonly crc: number;
  readonly lines: number;
}

/** Nothing is known. */
export const START: Tip = { end: 0, crc: 0, lines: 0 };

/** The first line of a file, which says what the file is. */
export function withFormat({ fields, object }: NewLine, format: string): NewLine {
  return { fields: `"format":${JSON.stringify(format)},"v":${FORMAT_VERSION},${fields}`, object };
}

/** A line of a group, of which so many are to come behind it. The last is as it is. */
export function followedBy(more: number, line: NewLine): NewLine {
  return more === 0 ? line : { fields: `${line.fields},"more":${more}`, object: line.object };
}

/** Lines as they stand behind those that are known. */
export function encodeLines(
  lines: readonly NewLine[],
  from: Tip,
): { readonly bytes: Buffer; readonly placed: readonly PlacedLine[]; readonly tip: Tip } {
  let { end, crc, lines: count } = from;
  const bytes = Buffer.allocUnsafe(lines.reduce((sum, { fields }) => sum + lineBytes(fields), 0));
  const placed = lines.map(({ fields, object }) => {
    const written = writeLine(bytes, end - from.end, fields, crc);
    const place = { position: end, length: written.length, line: ++count, before: crc };
    end += written.length;
    crc = written.crc;
    return { object, place };
  });
  return { bytes, placed, tip: { end, crc, lines: count } };
}
