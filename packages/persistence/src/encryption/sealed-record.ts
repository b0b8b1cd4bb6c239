import {
  canonicalJson,
  corruptData,
  type JsonValue,
  recordName,
  type StoreAttributes,
  type StoreKey,
  type StoreRecord,
  type StoreValue,
  TinyAgentsError,
} from "@tinyagents/core";
import { bytesOf, type KeyRing, NONCE_BYTES } from "./key-ring.js";

/** The newest format: this byte, the length of the key id, the key id, the nonce, what was encrypted. */
const FORMAT = 1;
const KINDS = ["json", "text", "bytes"] as const;
/** The kind, and when the record expires. */
const HEAD_BYTES = 9;

/** What was sealed. */
export interface Opened {
  readonly value: StoreValue;
  /** Ms since 1970. Absent: never. */
  readonly expiresAtMs?: number;
  readonly keyId: string;
}

/** Encrypts a value for one key of a store, bound to that key and to the attributes beside it. */
export async function sealValue(
  ring: KeyRing,
  key: StoreKey,
  attributes: StoreAttributes,
  { value, expiresAtMs }: Omit<Opened, "keyId">,
): Promise<StoreValue> {
  const keyId = ring.currentKeyId;
  const content = contentOf(value);
  const text = new Uint8Array(HEAD_BYTES + content.length);
  text[0] = KINDS.indexOf(value.type);
  new DataView(text.buffer).setFloat64(1, expiresAtMs ?? Number.POSITIVE_INFINITY);
  text.set(content, HEAD_BYTES);
  const nonce = ring.freshNonce();
  const sealed = await ring.encrypt({ keyId, nonce, bound: boundTo(key, attributes, keyId) }, text);
  const id = bytesOf(keyId);
  const bytes = new Uint8Array(2 + id.length + nonce.length + sealed.length);
  bytes.set([FORMAT, id.length]);
  bytes.set(id, 2);
  bytes.set(nonce, 2 + id.length);
  bytes.set(sealed, 2 + id.length + nonce.length);
  return { type: "bytes", bytes };
}

/** @throws `corrupt_data` for what is not ours, was changed or was moved; `version_mismatch`; `store_failed` for an unknown key. */
export async function openRecord(
  ring: KeyRing,
  { key, value, attributes }: Pick<StoreRecord, "key" | "value" | "attributes">,
): Promise<Opened> {
  const place = recordName(key);
  if (value.type !== "bytes") throw corruptData(place, "it is not encrypted");
  const { bytes } = value;
  const [format, idLength = 0] = bytes;
  if (format !== FORMAT) throw otherFormat(place, format);
  const start = 2 + idLength + NONCE_BYTES;
  if (idLength === 0 || bytes.length <= start) throw corruptData(place, "it ends too early");
  const keyId = new TextDecoder().decode(bytes.subarray(2, 2 + idLength));
  const nonce = bytes.subarray(2 + idLength, start);
  const text = await ring.decrypt(
    { keyId, nonce, bound: boundTo(key, attributes, keyId) },
    bytes.subarray(start),
    place,
  );
  if (text === undefined || text.length < HEAD_BYTES)
    throw corruptData(place, "it was changed, or belongs to another key or other attributes");
  const expiresAtMs = new DataView(text.buffer, text.byteOffset).getFloat64(1);
  const content = readContent(KINDS[text[0] as number], text.subarray(HEAD_BYTES), place);
  return { value: content, keyId, ...(expiresAtMs === Number.POSITIVE_INFINITY ? {} : { expiresAtMs }) };
}

function boundTo(key: StoreKey, attributes: StoreAttributes, keyId: string): string {
  return canonicalJson(["record", FORMAT, keyId, key, attributes]);
}

/** Texts go as JSON strings, which have a form for every half of a surrogate pair. */
function contentOf(value: StoreValue): Uint8Array {
  switch (value.type) {
    case "json":
      return bytesOf(JSON.stringify(value.value));
    case "text":
      return bytesOf(JSON.stringify(value.text));
    case "bytes":
      return value.bytes;
  }
}

function readContent(kind: StoreValue["type"] | undefined, bytes: Uint8Array, place: string): StoreValue {
  if (kind === "bytes") return { type: "bytes", bytes: new Uint8Array(bytes) };
  const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  if (kind === "json") return { type: "json", value };
  if (kind === "text" && typeof value === "string") return { type: "text", text: value };
  throw corruptData(place, "what it holds is of no known kind");
}

function otherFormat(place: string, format: number | undefined): TinyAgentsError {
  if (format === undefined || format < FORMAT) return corruptData(place, "it is not encrypted");
  return new TinyAgentsError(
    "version_mismatch",
    `${place} is not encrypted, or was by a newer version: it has format ${format}, and ${FORMAT} is read.`,
    { details: { place, expected: FORMAT, found: format } },
  );
}
