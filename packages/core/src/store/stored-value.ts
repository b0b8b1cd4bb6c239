import type { JsonPrimitive } from "../json.js";
import { invalidArgument } from "./refuse.js";
import type { StoreAttributes, StoreValue } from "./store.js";
import { copyStoredJson } from "./stored-json.js";

/** A copy that shares nothing with the value. @throws `invalid_request` for what is no value of any kind. */
export function copyStoreValue(value: StoreValue): StoreValue {
  switch (value?.type) {
    case "json":
      return { type: "json", value: copyStoredJson(value.value, "value") };
    case "text":
      if (typeof value.text === "string") return { type: "text", text: value.text };
      break;
    case "bytes":
      if (isBytes(value.bytes)) return { type: "bytes", bytes: new Uint8Array(value.bytes) };
  }
  throw invalidArgument(
    "value",
    "a store value of type json, text (with a string) or bytes (with a Uint8Array) is expected",
  );
}

/** A copy, with `__proto__` as a name like any other. @throws `invalid_request` for what is no attribute. */
export function copyAttributes(attributes: StoreAttributes, place = "attributes"): StoreAttributes {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    throw invalidArgument(place, "an object of attributes is expected");
  const entries = Object.entries(attributes).map(([name, value]): [string, JsonPrimitive] => {
    if (name === "") throw invalidArgument(place, "the name of an attribute must not be empty");
    if (!isPrimitive(value))
      throw invalidArgument(`${place}.${name}`, "a string, finite number, boolean or null is expected");
    return [name, typeof value === "number" ? value + 0 : value];
  });
  return Object.fromEntries(entries);
}

/** Whether attributes have all that a `where` asks for, by type and value. */
export function matchesAttributes(attributes: StoreAttributes, where: StoreAttributes): boolean {
  return Object.entries(where).every(([name, value]) => Object.hasOwn(attributes, name) && attributes[name] === value);
}

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

function isPrimitive(value: unknown): value is JsonPrimitive {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
