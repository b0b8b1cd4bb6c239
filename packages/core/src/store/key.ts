import { invalidArgument } from "./refuse.js";
import type { StoreKey } from "./store.js";

/** A copy of a key. @throws `invalid_request` unless it is one or more names. */
export function readStoreKey(key: StoreKey, place = "key"): StoreKey {
  if (!Array.isArray(key) || key.length === 0)
    throw invalidArgument(place, "an array of one or more names is expected");
  return readKeyPrefix(key, place);
}

/** A copy of the names that keys start with. @throws `invalid_request` unless all are non-empty strings. */
export function readKeyPrefix(names: StoreKey, place = "prefix"): StoreKey {
  if (!Array.isArray(names)) throw invalidArgument(place, "an array of names is expected");
  names.forEach((name: unknown, index) => {
    if (typeof name !== "string" || name === "")
      throw invalidArgument(`${place}[${index}]`, "a name that is not empty is expected");
  });
  return [...names];
}

/** A text that no other key has: joining names would take `["a", "b"]` for `["a/b"]`. */
export function storeKeyText(key: StoreKey): string {
  return JSON.stringify(key);
}

/** How messages and conflicts name a record. */
export function recordName(key: StoreKey): string {
  return `record ${storeKeyText(key)}`;
}

/** The order of keys: name by name in code unit order, a key before those that it starts. */
export function compareStoreKeys(one: StoreKey, other: StoreKey): number {
  return compareKeyPrefix(one, other) || one.length - other.length;
}

/** As {@link compareStoreKeys}, but 0 for every key that starts with these names. */
export function compareKeyPrefix(key: StoreKey, prefix: StoreKey): number {
  for (let i = 0; i < prefix.length; i++) {
    const name = key[i];
    const wanted = prefix[i] as string;
    if (name === undefined || name < wanted) return -1;
    if (name > wanted) return 1;
  }
  return 0;
}
