import { corruptData } from "@tinyagents/core";
import { type Chunks, readReference, type WrittenChunks } from "./chunks.js";
import type { Fields } from "./driver.js";
import { readBinary, readText } from "./fields.js";

/** What a document holds, in itself or in chunks: a text without lone surrogates, or bytes. */
export type Body = string | Uint8Array;

/** The fields that lead to a body, and what was written for them beside the document. */
export interface PlacedBody {
  readonly fields: Fields;
  readonly chunks?: WrittenChunks;
}

/** Writes a body to where it belongs: what has more than `inlineBytes` is no part of its document. */
export async function placeBody(
  body: Body,
  inlineBytes: number,
  write: (bytes: Uint8Array) => Promise<WrittenChunks>,
): Promise<PlacedBody> {
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size <= inlineBytes) return { fields: { body } };
  const chunks = await write(typeof body === "string" ? Buffer.from(body) : body);
  return { fields: { chunks: chunks.reference }, chunks };
}

/** The text of a document; nothing when its chunks are gone. @throws `corrupt_data` */
export async function readTextBody(
  document: Fields,
  chunks: Chunks,
  place: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (document.chunks === undefined) return readText(document.body, `${place}.body`);
  const bytes = await chunks.read(readReference(document.chunks, place), place, signal);
  return bytes && decode(bytes, place);
}

/** The bytes of a document, its own; nothing when its chunks are gone. @throws `corrupt_data` */
export async function readBytesBody(
  document: Fields,
  chunks: Chunks,
  place: string,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (document.chunks === undefined) return new Uint8Array(readBinary(document.body, `${place}.body`));
  return chunks.read(readReference(document.chunks, place), place, signal);
}

function decode(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw corruptData(`${place}.chunks`, "the bytes are no text", error);
  }
}
