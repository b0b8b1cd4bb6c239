import {
  type AnyTinyAgentsError,
  checkOptions,
  corruptData,
  type FieldRule,
  invalidArgument,
  isTinyAgentsError,
  type JsonValue,
  type ModelResponse,
  optionRules,
  type ResponseCache,
  readModelResponse,
  readObject,
  readVersion,
  type Store,
  type StoreKey,
  type StoreValue,
} from "@tinyagents/core";
import { rules } from "./option-rules.js";

export interface ResponseCacheOptions {
  /** The names before the digest of a question in a record's key. Default `["responses"]`. */
  readonly prefix?: StoreKey | undefined;
  /**
   * Is told of a record that cannot be read: `corrupt_data`, or `version_mismatch` for one of a later format. It counts as
   * none, and stays until an answer takes its place. Default: nobody.
   */
  readonly onUnreadable?: ((error: AnyTinyAgentsError) => void) | undefined;
}

const FORMAT = 1;

const RULES: { readonly [Option in keyof ResponseCacheOptions]-?: FieldRule } = {
  prefix: rules.keyPrefix,
  onUnreadable: optionRules.call,
};

/**
 * Answers of models in a keyed store: one record per question, under the prefix and the SHA-256 of the question's key. A
 * record says whose it is, and one that is damaged, or of another question, is never given as an answer.
 *
 * Both methods throw what the store throws, and `invalid_request` for a key that is empty or has half a character; `put` also
 * for an answer that is none, and for `ttlMs` on a store without `capabilities.ttl`.
 * @throws `TypeError` for options that cannot be.
 */
export function responseCache(store: Store, options: ResponseCacheOptions = {}): ResponseCache {
  checkOptions(options, RULES, "responseCache: options");
  const { prefix = ["responses"], onUnreadable } = options;
  return {
    async get(key, { signal } = {}) {
      const digest = await digestOf(key);
      const record = await store.get([...prefix, digest], { signal });
      if (record === undefined) return undefined;
      try {
        return readRecord(record.value, digest);
      } catch (error) {
        if (!isTinyAgentsError(error)) throw error;
        onUnreadable?.(error);
        return undefined;
      }
    },
    async put(key, response, { ttlMs, signal } = {}) {
      const digest = await digestOf(key);
      checkResponse(response);
      const value = { v: FORMAT, question: digest, response } as unknown as JsonValue;
      await store.put([...prefix, digest], { type: "json", value }, { ttlMs, signal });
    },
  };
}

function readRecord(value: StoreValue, digest: string): ModelResponse {
  const place = `cached response ${digest}`;
  if (value.type !== "json") throw corruptData(place, `JSON is expected, ${value.type} found`);
  const record = readObject(value.value, place);
  readVersion(record, FORMAT, place);
  if (record.question !== digest) throw corruptData(`${place}.question`, "it is of another question");
  return readModelResponse(record.response, `${place}.response`);
}

function checkResponse(response: unknown): void {
  try {
    readModelResponse(response, "response");
  } catch (error) {
    if (!isTinyAgentsError(error, "corrupt_data")) throw error;
    throw invalidArgument(error.details.place, error.details.reason);
  }
}

/** In hexadecimal digits: of a question that somebody made up, no other has the same. */
async function digestOf(key: string): Promise<string> {
  if (typeof key !== "string" || key === "") throw invalidArgument("key", "a text that is not empty is expected");
  // As bytes, all halves of characters are the same one.
  if (/\p{Surrogate}/u.test(key)) throw invalidArgument("key", "a text of whole characters is expected");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
