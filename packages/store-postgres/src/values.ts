import { corruptData, invalidArgument, type JsonValue } from "@tinyagents/core";

/** The largest value, and the most that one append may bring, bytes. What is sent and read at once must be far below 1 GB. */
export const MOST_BYTES: number = 128 * 1024 * 1024;
/** The longest key or name, bytes: it stands in an index, whose entries are bounded by PostgreSQL. */
const MOST_KEY_BYTES = 2_048;

/** @throws `invalid_request` for a key or name that is too long to be indexed. */
export function checkKeySize(bytes: Uint8Array, place: string): void {
  if (bytes.length <= MOST_KEY_BYTES) return;
  throw invalidArgument(place, `it takes ${bytes.length} bytes; PostgreSQL can index up to ${MOST_KEY_BYTES}`);
}

/** @throws `invalid_request` for more than is stored at once. */
export function checkSize(bytes: number, place: string): void {
  if (bytes <= MOST_BYTES) return;
  throw invalidArgument(
    place,
    `it takes ${bytes} bytes; up to ${MOST_BYTES} are stored at once. Store it in parts, or by reference.`,
  );
}

/** JSON as PostgreSQL can hold it: in its text, NUL and half a surrogate pair are escapes. */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value);
}

/** @throws `corrupt_data` for a text that is not what {@link jsonText} wrote. */
export function parseStored(text: string | null | undefined, place: string): JsonValue {
  if (typeof text !== "string") throw corruptData(place, "its value is missing");
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw corruptData(place, "its value is not the JSON that was written", error);
  }
}

/** @throws `corrupt_data` unless a number was written there. */
export function storedNumber(text: string | null | undefined, place: string): number {
  const number = typeof text === "string" || typeof text === "number" ? Number(text) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw corruptData(place, "a number is missing");
}
