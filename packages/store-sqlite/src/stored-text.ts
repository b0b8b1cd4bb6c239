import { corruptData, type JsonValue, storeKeyBytes } from "@tinyagents/core";

/** JSON as its text. Neither NUL nor half a surrogate pair is in it: `JSON.stringify` writes both with escapes. */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value);
}

/** The JSON of a text that {@link jsonText} wrote. @throws `corrupt_data` that names the place. */
export function readJsonText(text: unknown, place: string): JsonValue {
  if (typeof text !== "string") throw corruptData(place, "a text is expected");
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw corruptData(place, "it is not JSON", error);
  }
}

/** A text as bytes that order by its code units, and start with those of every text that it starts with. */
export function textBytes(text: string): Uint8Array {
  return text === "" ? new Uint8Array() : storeKeyBytes([text]).subarray(0, -1);
}

/** After all bytes of texts and keys. */
export const LAST: Uint8Array = Uint8Array.of(0xff);

/** The first bytes that come after all texts that start with a text. */
export function textRangeEnd(prefix: string): Uint8Array {
  return withByte(textBytes(prefix), 0xff);
}

/** The first bytes that come after these. */
export function justAfter(bytes: Uint8Array): Uint8Array {
  return withByte(bytes, 0);
}

function withByte(bytes: Uint8Array, byte: number): Uint8Array {
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  longer[bytes.length] = byte;
  return longer;
}

/** As SQLite orders bytes. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  return Buffer.compare(one, other);
}
