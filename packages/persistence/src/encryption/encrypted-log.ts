import {
  type AppendStore,
  canonicalJson,
  checkOptions,
  corruptData,
  isJsonObject,
  isTinyAgentsError,
  type JsonValue,
  type LogRecord,
  readAppend,
  readObject,
  readString,
  readVersion,
  type StoreCallOptions,
  throwIfAborted,
} from "@tinyagents/core";
import { bytesOf, type EncryptionKeys, KEY_RULES, KeyRing, NONCE_BYTES } from "./key-ring.js";

const FORMAT = 1;

/**
 * Values are encrypted (AES-256-GCM) on their way into a log, bound to the name of their stream: one that was changed, or
 * moved to another stream, is `corrupt_data`. Names, idempotency keys, sizes, times and the number of records are not
 * encrypted. Whoever may
 * write to the log below can still drop, repeat and reorder records within a stream.
 *
 * An append that is repeated under its `idempotencyKey` is recognized, also by a newer key.
 * @throws TypeError for keys that cannot be.
 */
export function encryptedLog(log: AppendStore, keys: EncryptionKeys): AppendStore {
  checkOptions(keys, KEY_RULES, "encryptedLog: keys");
  const ring = new KeyRing(keys, "encryptedLog");
  const { watch } = log;
  return {
    capabilities: log.capabilities,
    async append(stream, values, options = {}) {
      throwIfAborted(options.signal);
      const { values: copied, idempotencyKey } = readAppend(stream, values, options);
      const sealedBy = (keyId: string): Promise<readonly JsonValue[]> =>
        Promise.all(copied.map((value, index) => sealEntry(ring, keyId, stream, value, idempotencyKey, index)));
      const append = async (keyId: string): Promise<number> => log.append(stream, await sealedBy(keyId), options);
      try {
        return await append(ring.currentKeyId);
      } catch (error) {
        if (idempotencyKey === undefined || !isTinyAgentsError(error, "invalid_request")) throw error;
        // It may be a repeat that looks otherwise: by the key of then, or with the keys of its objects in another order.
        const earlier = await appendedUnder(ring, log, stream, idempotencyKey, options);
        if (earlier !== undefined && canonicalJson(earlier.values) === canonicalJson(copied)) return earlier.offset;
        return firstThatSucceeds(ring.ids.slice(1), append, error);
      }
    },
    async read(stream, range) {
      const records = await log.read(stream, range);
      return Promise.all(records.map((record) => openEntry(ring, stream, record)));
    },
    head: (stream, options) => log.head(stream, options),
    offsetOf: (stream, key, options) => log.offsetOf(stream, key, options),
    truncate: (stream, options) => log.truncate(stream, options),
    streams: (prefix, range) => log.streams(prefix, range),
    delete: (stream, options) => log.delete(stream, options),
    ...(watch === undefined
      ? {}
      : { watch: (stream, onAppend, options) => watch.call(log, stream, onAppend, options) }),
  };
}

/** What was appended under a key, as far as it is still there. */
async function appendedUnder(
  ring: KeyRing,
  log: AppendStore,
  stream: string,
  idempotencyKey: string,
  { signal }: StoreCallOptions,
): Promise<{ readonly offset: number; readonly values: readonly JsonValue[] } | undefined> {
  const offset = await log.offsetOf(stream, idempotencyKey, { signal });
  if (offset === undefined) return undefined;
  const values: JsonValue[] = [];
  for (let from = offset; ; ) {
    const records = await log.read(stream, { from, signal });
    const others = records.findIndex(({ value }) => !(isJsonObject(value) && value.once === idempotencyKey));
    const under = others < 0 ? records : records.slice(0, others);
    values.push(...(await Promise.all(under.map(async (record) => (await openEntry(ring, stream, record)).value))));
    const last = under.at(-1);
    if (last === undefined || others >= 0) return { offset, values };
    from = last.offset + 1;
  }
}

async function firstThatSucceeds(
  keyIds: readonly string[],
  append: (keyId: string) => Promise<number>,
  refusal: unknown,
): Promise<number> {
  for (const keyId of keyIds) {
    try {
      return await append(keyId);
    } catch (error) {
      if (!isTinyAgentsError(error, "invalid_request")) throw error;
    }
  }
  throw refusal;
}

/** The log compares what is appended again under a key: then the same values must become the same bytes. */
async function sealEntry(
  ring: KeyRing,
  keyId: string,
  stream: string,
  value: JsonValue,
  idempotencyKey: string | undefined,
  index: number,
): Promise<JsonValue> {
  const text = bytesOf(JSON.stringify(value));
  const nonce =
    idempotencyKey === undefined
      ? ring.freshNonce()
      : await ring.nonceFor(keyId, text, canonicalJson(["nonce", stream, idempotencyKey, index]));
  const sealed = await ring.encrypt({ keyId, nonce, bound: boundTo(stream, keyId, idempotencyKey) }, text);
  const all = new Uint8Array(NONCE_BYTES + sealed.length);
  all.set(nonce);
  all.set(sealed, NONCE_BYTES);
  const once = idempotencyKey === undefined ? {} : { once: idempotencyKey };
  return { v: FORMAT, type: "sealed", keyId, ...once, data: toBase64(all) };
}

async function openEntry(ring: KeyRing, stream: string, { offset, value }: LogRecord): Promise<LogRecord> {
  const place = `stream ${JSON.stringify(stream)} at offset ${offset}`;
  const entry = readObject(value, place);
  readVersion(entry, FORMAT, place);
  if (entry.type !== "sealed") throw corruptData(place, "it is not encrypted");
  const keyId = readString(entry.keyId, `${place}.keyId`);
  const once = entry.once === undefined ? undefined : readString(entry.once, `${place}.once`);
  const all = fromBase64(readString(entry.data, `${place}.data`));
  if (all === undefined || all.length <= NONCE_BYTES) throw corruptData(place, "it ends too early");
  const sealed = all.subarray(NONCE_BYTES);
  const sealing = { keyId, nonce: all.subarray(0, NONCE_BYTES), bound: boundTo(stream, keyId, once) };
  const text = await ring.decrypt(sealing, sealed, place);
  if (text === undefined) throw corruptData(place, "it was changed, or belongs to another stream");
  return { offset, value: JSON.parse(new TextDecoder().decode(text)) as JsonValue };
}

function boundTo(stream: string, keyId: string, once: string | undefined): string {
  return canonicalJson(["entry", FORMAT, keyId, stream, once ?? null]);
}

/** Pieces that engines take as arguments. */
const PIECE = 8_192;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
