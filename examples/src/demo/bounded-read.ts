import type { FileHandle } from "node:fs/promises";
import { throwIfAborted } from "@tinyagents/core";

const PIECE_BYTES = 64 * 1024;

/**
 * What a file holds, but at most `maxBytes + 1` bytes, so that a longer result tells of a file that is too large. The
 * file's size is not asked for: some files say 0 and hold more, and some grow while they are read.
 * @throws the abort error of the signal, checked before each piece.
 */
export async function readAtMost(
  handle: Pick<FileHandle, "read">,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let left = maxBytes + 1;
  while (left > 0) {
    throwIfAborted(signal);
    const piece = Buffer.alloc(Math.min(left, PIECE_BYTES));
    const { bytesRead } = await handle.read(piece, 0, piece.length, null);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(pieces);
}
