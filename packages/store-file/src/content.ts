import { createHash } from "node:crypto";
import {
  type CheckedBlobRange,
  corruptData,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  readArray,
  readNumber,
  readObject,
  readString,
  type StoreAttributes,
  type StoreKey,
  type StoreValue,
  TinyAgentsError,
} from "@tinyagents/core";
import type { OpenFile } from "./files.js";

/** What a file says of its record before the bytes. */
export interface ContentFacts {
  readonly key: StoreKey;
  readonly type: StoreValue["type"];
  /** How a text became bytes. UTF-16 is for a text that has half a pair of surrogates. */
  readonly encoding?: "utf-16le";
  readonly attributes: StoreAttributes;
  /** Milliseconds since 1970. */
  readonly updatedAtMs: number;
}

/** The head of a file that is there. */
export interface ContentHead extends ContentFacts {
  /** How many bytes the value has. */
  readonly size: number;
  /** Of the value, in hex. */
  readonly sha256: string;
  /** Where in the file the value begins. */
  readonly startsAt: number;
}

const FORMAT = 1;
/** The first line: what this is, the version of the format, the bytes of the second line, and its SHA-256. */
const FIRST_LINE = /^tinyagents-file (\d{3}) (\d{8}) ([0-9a-f]{64})\n$/;
const FIRST_LINE_BYTES = 94;
/** What is read first: in most files the head is in it. */
const FIRST_READ = 4 * 1024;
/** How much is written, and read, at once, bytes. */
const STEP_BYTES = 256 * 1024;

/** The value as bytes, with what tells how they became so. */
export function encodeValue(value: StoreValue): { readonly bytes: Uint8Array; readonly encoding?: "utf-16le" } {
  if (value.type === "bytes") return value;
  if (value.type === "json") return { bytes: Buffer.from(JSON.stringify(value.value)) };
  const bytes = Buffer.from(value.text);
  if (bytes.toString() === value.text) return { bytes };
  return { bytes: Buffer.from(value.text, "utf16le"), encoding: "utf-16le" };
}

/** @throws `corrupt_data` for what {@link encodeValue} did not write. */
export function decodeValue({ type, encoding }: ContentFacts, bytes: Buffer, place: string): StoreValue {
  if (type === "bytes") return { type, bytes: new Uint8Array(bytes) };
  if (type === "text") return { type, text: bytes.toString(encoding === undefined ? "utf8" : "utf16le") };
  try {
    return { type, value: JSON.parse(bytes.toString()) as JsonValue };
  } catch (error) {
    throw corruptData(place, "its value is not JSON", error);
  }
}

/** Writes a new file: the bytes as they come, and before them, at last, what is to be known of them. */
export async function writeContent(
  file: OpenFile,
  facts: ContentFacts,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const hash = createHash("sha256");
  const room = Buffer.byteLength(headText(facts, Number.MAX_SAFE_INTEGER, "0".repeat(64))) + 1;
  const startsAt = FIRST_LINE_BYTES + room;
  let size = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += STEP_BYTES) {
      // A copy: what is hashed is what is written, whatever becomes of the piece meanwhile.
      const step = Buffer.from(piece.subarray(at, at + STEP_BYTES));
      hash.update(step);
      await file.write(step, startsAt + size);
      size += step.byteLength;
    }
  }
  const head = Buffer.alloc(room, " ");
  head.write(headText(facts, size, hash.digest("hex")));
  head[room - 1] = 0x0a;
  const numbers = `${String(FORMAT).padStart(3, "0")} ${String(room).padStart(8, "0")}`;
  const first = `tinyagents-file ${numbers} ${createHash("sha256").update(head).digest("hex")}\n`;
  await file.write(Buffer.concat([Buffer.from(first), head]), 0);
}

/**
 * What a file says of its record.
 * @param place how errors name the file.
 * @throws `corrupt_data` for a head that is damaged, and a file that is shorter or longer than it says; `version_mismatch`.
 */
export async function readHead(file: OpenFile, place: string): Promise<ContentHead> {
  const { size: bytes } = await file.facts();
  const start = Buffer.alloc(FIRST_READ);
  const filled = await file.read(start, 0);
  const [, format, length, sum] = FIRST_LINE.exec(start.toString("latin1", 0, FIRST_LINE_BYTES)) ?? [];
  if (format === undefined) throw corruptData(place, "its first line is damaged");
  if (Number(format) > FORMAT) throw tooNew(place, Number(format));
  const startsAt = FIRST_LINE_BYTES + Number(length);
  if (startsAt > bytes) throw corruptData(place, `it ends after ${bytes} bytes, before its value`);
  let head = start.subarray(FIRST_LINE_BYTES, startsAt);
  if (startsAt > filled) {
    head = Buffer.alloc(Number(length));
    await file.read(head, FIRST_LINE_BYTES);
  }
  if (createHash("sha256").update(head).digest("hex") !== sum) throw corruptData(place, "its head is damaged");
  const read = factsFrom(head.toString(), place);
  if (startsAt + read.size === bytes) return { ...read, startsAt };
  throw corruptData(place, `its value has ${bytes - startsAt} bytes in place of ${read.size}`);
}

/**
 * The bytes of a value from `start` to before `end`, in pieces that belong to the reader. The last piece of a value that is read whole
 * is given only when all are what was written.
 * @throws `corrupt_data`
 */
export async function* readPieces(
  file: OpenFile,
  head: ContentHead,
  place: string,
  { start, end }: CheckedBlobRange = { start: 0, end: head.size },
): AsyncGenerator<Uint8Array> {
  const isWhole = start === 0 && end === head.size;
  const hash = isWhole ? createHash("sha256") : undefined;
  for (let at = start; at < end; ) {
    const piece = new Uint8Array(Math.min(STEP_BYTES, end - at));
    if ((await file.read(piece, head.startsAt + at)) < piece.byteLength) throw corruptData(place, "it became shorter");
    hash?.update(piece);
    at += piece.byteLength;
    if (at === end && hash !== undefined && hash.digest("hex") !== head.sha256)
      throw corruptData(place, "its value is not what was written");
    yield piece;
  }
}

function headText(facts: ContentFacts, size: number, sha256: string): string {
  return JSON.stringify({ ...facts, size, sha256 });
}

function factsFrom(text: string, place: string): Omit<ContentHead, "startsAt"> {
  const head = parse(text, place);
  const { type, encoding, key } = head;
  if (type !== "json" && type !== "text" && type !== "bytes")
    throw corruptData(`${place}: type`, "a type of value that is known here is expected");
  return {
    key: readArray(key, `${place}: key`).map((name) => readString(name, `${place}: key`)),
    type,
    ...(encoding === "utf-16le" ? { encoding } : {}),
    attributes: readObject(head.attributes, `${place}: attributes`) as StoreAttributes,
    updatedAtMs: readNumber(head.updatedAtMs, `${place}: updatedAtMs`),
    size: readNumber(head.size, `${place}: size`),
    sha256: readString(head.sha256, `${place}: sha256`),
  };
}

function parse(text: string, place: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw corruptData(place, "its head is not JSON", error);
  }
  throw corruptData(place, "its head is no object");
}

function tooNew(place: string, found: number): Error {
  return new TinyAgentsError(
    "version_mismatch",
    `${place} was written in format ${found}; this version reads formats up to ${FORMAT}. Update @tinyagents/store-file.`,
    { details: { place, expected: FORMAT, found } },
  );
}
