import type { JsonPrimitive, StoreAttributes, StoreKey, StoreRecord, StoreValue, StoreVersion } from "@tinyagents/core";
import { copyJson } from "./copy-json.js";
import { idOf } from "./key.js";
import { refused } from "./refuse.js";

/** A record as it is kept. Never changed and never handed out: callers get a {@link snapshot}. */
export interface KeptRecord {
  readonly key: StoreKey;
  /** The key as one text, see `idOf`. */
  readonly id: string;
  readonly value: StoreValue;
  readonly version: StoreVersion;
  readonly attributes: StoreAttributes;
  readonly updatedAtMs: number;
  /** From this time on the record is gone; absent: never. */
  readonly expiresAtMs?: number;
}

/** A record that shares nothing with the one that is kept. */
export function snapshot(record: KeptRecord): StoreRecord {
  return {
    key: [...record.key],
    value: copyValue(record.value),
    version: record.version,
    attributes: { ...record.attributes },
    updatedAtMs: record.updatedAtMs,
  };
}

/** @throws `invalid_request` for what is no value of any kind. */
export function copyValue(value: StoreValue): StoreValue {
  switch (value?.type) {
    case "json":
      return { type: "json", value: copyJson(value.value, "value") };
    case "text":
      if (typeof value.text === "string") return { type: "text", text: value.text };
      break;
    case "bytes":
      if (isBytes(value.bytes)) return { type: "bytes", bytes: new Uint8Array(value.bytes) };
  }
  throw refused("value", "a store value of type json, text (with a string) or bytes (with a Uint8Array) is expected");
}

/** Attributes with `__proto__` as a name like any other. @throws `invalid_request` for what is no attribute. */
export function copyAttributes(attributes: StoreAttributes, place: string): StoreAttributes {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    throw refused(place, "an object of attributes is expected");
  const entries = Object.entries(attributes).map(([name, value]): [string, JsonPrimitive] => {
    if (name === "") throw refused(place, "the name of an attribute must not be empty");
    if (!isPrimitive(value)) throw refused(`${place}.${name}`, "a string, finite number, boolean or null is expected");
    return [name, typeof value === "number" ? value + 0 : value];
  });
  return Object.fromEntries(entries);
}

/** Whether a record has all of these attributes. */
export function hasAttributes(record: KeptRecord, wanted: StoreAttributes): boolean {
  return Object.entries(wanted).every(([name, value]) => record.attributes[name] === value);
}

/** How messages and conflicts name a record. */
export function resourceOf(key: StoreKey): string {
  return `record ${idOf(key)}`;
}

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

function isPrimitive(value: unknown): value is JsonPrimitive {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
