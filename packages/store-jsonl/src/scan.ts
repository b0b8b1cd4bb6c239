import type { OpenFile } from "./files.js";
import { newlineFrom } from "./line.js";

/** How much is read at first, and, as it goes on, at most at once, bytes. */
const FIRST_BYTES = 32 * 1024;
const MOST_BYTES = 256 * 1024;

/** Takes a line, without its newline; `false` ends the scan behind it. The bytes are valid during the call only. */
export type OnLine = (line: Buffer, position: number) => boolean | void;

/** Where a scan ended, and how many bytes without a newline were behind it. */
export interface ScanEnd {
  readonly position: number;
  readonly restBytes: number;
}

/** Hands out the lines of a file from a position on, in order, reading a piece of the file at a time. */
export async function scanLines(file: OpenFile, from: number, onLine: OnLine): Promise<ScanEnd> {
  let chunk = Buffer.allocUnsafe(FIRST_BYTES);
  let lineStart = from;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for (;;) {
    const filled = await file.read(chunk, lineStart + begunBytes);
    const bytes = chunk.subarray(0, filled);
    let at = 0;
    for (let end = newlineFrom(bytes, at); end >= 0; end = newlineFrom(bytes, at)) {
      const piece = bytes.subarray(at, end);
      const line = begunBytes === 0 ? piece : Buffer.concat([...begun, piece]);
      const position = lineStart;
      lineStart = position + line.byteLength + 1;
      at = end + 1;
      begun = [];
      begunBytes = 0;
      if (onLine(line, position) === false) return { position: lineStart, restBytes: 0 };
    }
    // A copy: the chunk is read into again.
    if (at < filled) begun.push(Buffer.from(bytes.subarray(at)));
    begunBytes += filled - at;
    if (filled < chunk.byteLength) return { position: lineStart, restBytes: begunBytes };
    if (chunk.byteLength < MOST_BYTES) chunk = Buffer.allocUnsafe(chunk.byteLength * 2);
  }
}
