import type { StoreKey } from "@tinyagents/core";
import { refused } from "./refuse.js";

/** @throws `invalid_request` unless the key is one or more names. */
export function checkKey(key: StoreKey, place: string): StoreKey {
  if (!Array.isArray(key) || key.length === 0) throw refused(place, "an array of one or more names is expected");
  return checkNames(key, place);
}

/** A copy of the names. @throws `invalid_request` unless all are non-empty strings. */
export function checkNames(names: StoreKey, place: string): StoreKey {
  if (!Array.isArray(names)) throw refused(place, "an array of names is expected");
  names.forEach((name: unknown, index) => {
    if (typeof name !== "string" || name === "")
      throw refused(`${place}[${index}]`, "a name that is not empty is expected");
  });
  return [...names];
}

/** A text that no other key has: joining names would take `["a", "b"]` for `["a/b"]`. */
export function idOf(key: StoreKey): string {
  return JSON.stringify(key);
}

/** The order of keys: name by name in code unit order, a key before those that it starts. */
export function compareKeys(one: StoreKey, other: StoreKey): number {
  return comparePrefix(one, other) || one.length - other.length;
}

/** As {@link compareKeys}, but 0 for every key that starts with these names. */
export function comparePrefix(key: StoreKey, prefix: StoreKey): number {
  for (let i = 0; i < prefix.length; i++) {
    const name = key[i];
    const wanted = prefix[i] as string;
    if (name === undefined || name < wanted) return -1;
    if (name > wanted) return 1;
  }
  return 0;
}
