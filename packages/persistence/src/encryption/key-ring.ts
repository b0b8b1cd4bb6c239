import { type FieldRule, optionRules, TinyAgentsError } from "@tinyagents/core";

/** By what data is encrypted. */
export interface EncryptionKeys {
  /** Keys by their ids, of 32 random bytes each. Ids are stored beside what they encrypt, and are no secrets. */
  readonly keys: { readonly [keyId: string]: Uint8Array };
  /** The key that new data is encrypted by. The others are for reading. */
  readonly currentKeyId: string;
}

/** What {@link EncryptionKeys} are held against, besides what the key ring looks at. */
export const KEY_RULES: { readonly [Field in keyof EncryptionKeys]-?: FieldRule } = {
  keys: ["an object of keys by their ids", (value) => typeof value === "object" && value !== null],
  currentKeyId: optionRules.text,
};

/** A key in the two roles that it has. */
interface Key {
  readonly cipher: CryptoKey;
  /** Makes nonces for what has to be encrypted to the same bytes when it is encrypted again. */
  readonly nonces: CryptoKey;
}

/** How something is encrypted. */
export interface Sealing {
  readonly keyId: string;
  readonly nonce: Uint8Array;
  /** What it is bound to: it opens only together with the same text. */
  readonly bound: string;
}

const KEY_BYTES = 32;
export const NONCE_BYTES = 12;

/** The keys of an application, ready for AES-256-GCM. */
export class KeyRing {
  readonly currentKeyId: string;
  readonly #raw = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #keys = new Map<string, Promise<Key>>();

  /** @throws TypeError for keys of another length, and for a current key that is not there. */
  constructor({ keys, currentKeyId }: EncryptionKeys, factory: string) {
    for (const [id, bytes] of Object.entries(keys)) {
      if (!(bytes instanceof Uint8Array) || bytes.length !== KEY_BYTES)
        throw new TypeError(`${factory}: key ${JSON.stringify(id)} must be a Uint8Array of ${KEY_BYTES} random bytes`);
      if (id === "" || new TextEncoder().encode(id).length > 255)
        throw new TypeError(`${factory}: the id of a key must have 1 to 255 bytes`);
      this.#raw.set(id, new Uint8Array(bytes));
    }
    if (!this.#raw.has(currentKeyId))
      throw new TypeError(`${factory}: currentKeyId ${JSON.stringify(currentKeyId)} is not among the keys`);
    this.currentKeyId = currentKeyId;
  }

  /** Ids of all keys, the current one first. */
  get ids(): readonly string[] {
    return [this.currentKeyId, ...[...this.#raw.keys()].filter((id) => id !== this.currentKeyId)];
  }

  async encrypt({ keyId, nonce, bound }: Sealing, text: Uint8Array): Promise<Uint8Array> {
    const { cipher } = await this.#key(keyId, "This");
    const parameters = { name: "AES-GCM", iv: own(nonce), additionalData: bytesOf(bound) };
    return new Uint8Array(await crypto.subtle.encrypt(parameters, cipher, own(text)));
  }

  /**
   * Nothing when it was not encrypted like this: changed, moved, or by another key of that id.
   * @throws `store_failed` that names the key where there is none of that id.
   */
  async decrypt({ keyId, nonce, bound }: Sealing, sealed: Uint8Array, place: string): Promise<Uint8Array | undefined> {
    const { cipher } = await this.#key(keyId, place);
    try {
      const parameters = { name: "AES-GCM", iv: own(nonce), additionalData: bytesOf(bound) };
      return new Uint8Array(await crypto.subtle.decrypt(parameters, cipher, own(sealed)));
    } catch {
      return undefined;
    }
  }

  freshNonce(): Uint8Array<ArrayBuffer> {
    return crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  }

  /** A nonce that only the same key, text and place have. */
  async nonceFor(keyId: string, text: Uint8Array, place: string): Promise<Uint8Array<ArrayBuffer>> {
    const { nonces } = await this.#key(keyId, place);
    const before = bytesOf(place);
    const all = new Uint8Array(4 + before.length + text.length);
    new DataView(all.buffer).setUint32(0, before.length);
    all.set(before, 4);
    all.set(text, 4 + before.length);
    return new Uint8Array(await crypto.subtle.sign("HMAC", nonces, all)).slice(0, NONCE_BYTES);
  }

  #key(keyId: string, place: string): Promise<Key> {
    const raw = this.#raw.get(keyId);
    if (raw === undefined) throw unknownKey(keyId, place);
    const key = this.#keys.get(keyId) ?? deriveKey(raw);
    this.#keys.set(keyId, key);
    return key;
  }
}

/** The two roles have keys of their own: no bytes of one say anything of the other. */
async function deriveKey(raw: Uint8Array<ArrayBuffer>): Promise<Key> {
  const base = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const from = (info: string): HkdfParams => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: bytesOf(`tinyagents ${info} 1`),
  });
  const aes = { name: "AES-GCM", length: 256 };
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const [cipher, nonces] = await Promise.all([
    crypto.subtle.deriveKey(from("cipher"), base, aes, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveKey(from("nonces"), base, hmac, false, ["sign"]),
  ]);
  return { cipher, nonces };
}

function unknownKey(keyId: string, place: string): TinyAgentsError<"store_failed"> {
  return new TinyAgentsError(
    "store_failed",
    `${place} was encrypted by the key ${JSON.stringify(keyId)}, which is not among the keys. Add it to read this.`,
    { details: { store: "encrypted store", operation: "read" } },
  );
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
