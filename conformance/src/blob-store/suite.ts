import type { BlobStore, StoredBlob } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { type PlaceTopic, placeTopic } from "../store/place-topic.js";
import type { BlobNeed, BlobSituation } from "./subject.js";

/** Makes the checks of one topic. */
export const topic: (group: string) => PlaceTopic<BlobSituation, BlobNeed> = placeTopic;

export const KEY: readonly string[] = ["reports", "1.pdf"];

/** So many bytes, each place another. */
export function bytesOf(length: number, seed: number = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8) + seed) % 251);
}

/** More than a store gives in one piece. */
export const LARGE: Uint8Array = bytesOf(3 * 1024 * 1024);

/** The bytes in pieces of a length, as they come from a network. */
export async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** All bytes of a blob. */
export async function joined(blob: StoredBlob | undefined): Promise<Uint8Array> {
  if (blob === undefined) throw new CheckFailure("the blob: a record is expected, nothing found");
  const pieces: Uint8Array[] = [];
  for await (const piece of blob.chunks) pieces.push(piece);
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export async function readAll(store: BlobStore, key: readonly string[] = KEY): Promise<Uint8Array> {
  return joined(await store.getBlob(key));
}

/** @throws CheckFailure that says where, and not with all the bytes. */
export function assertBytes(found: Uint8Array, wanted: Uint8Array, what: string): void {
  if (found.length !== wanted.length)
    throw new CheckFailure(`${what}: ${wanted.length} bytes are expected, ${found.length} found`);
  const at = wanted.findIndex((byte, index) => found[index] !== byte);
  if (at >= 0) throw new CheckFailure(`${what} at byte ${at}: ${wanted[at]} is expected, ${found[at]} found`);
}
