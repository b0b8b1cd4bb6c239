import { corruptData } from "./guarded-read.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.js";

/**
 * Checks one value of stored data; `place` leads to it. @throws `corrupt_data` that names the place.
 *
 * What makes a check does nothing else, and says so to bundlers: they leave out the checks of records that nobody reads.
 */
export type Check = (value: JsonValue | undefined, place: string) => void;

/* @__NO_SIDE_EFFECTS__ */
function unless(is: (value: JsonValue | undefined) => boolean, what: string): Check {
  return (value, place) => {
    if (!is(value)) throw corruptData(place, `${what} is expected, ${describe(value)} found`);
  };
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Whatever it is, if it is there at all. */
export const anything: Check = () => undefined;

/** Anything, but something. */
export const something: Check = unless((value) => value !== undefined, "a value");

export const text: Check = unless((value) => typeof value === "string", "a string");

export const flag: Check = unless((value) => typeof value === "boolean", "true or false");

export const object: Check = unless(isJsonObject, "an object");

/** A number from 0 up. */
export const amount: Check = unless((value) => Number.isFinite(value) && (value as number) >= 0, "a number from 0 up");

/** A whole number from `least` up. */
/* @__NO_SIDE_EFFECTS__ */
export function whole(least = 0): Check {
  return unless((value) => Number.isInteger(value) && (value as number) >= least, `a whole number from ${least} up`);
}

/** A name of one of some lists. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf(...lists: readonly (readonly string[])[]): Check {
  const names = lists.flat();
  const known = new Set(names);
  return (value, place) => {
    text(value, place);
    if (!known.has(value as string)) throw corruptData(place, `"${value}" is none of ${names.join(", ")}`);
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function optional(check: Check): Check {
  return (value, place) => {
    if (value !== undefined) check(value, place);
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function nullable(check: Check): Check {
  return (value, place) => {
    if (value !== null) check(value, place);
  };
}

const array: Check = unless(Array.isArray, "an array");

/* @__NO_SIDE_EFFECTS__ */
export function list(check: Check): Check {
  return (value, place) => {
    array(value, place);
    const items = value as readonly JsonValue[];
    for (let at = 0; at < items.length; at++) check(items[at], `${place}[${at}]`);
  };
}

/** An object whose entries are all alike, under whatever names. */
/* @__NO_SIDE_EFFECTS__ */
export function entries(check: Check): Check {
  return (value, place) => {
    object(value, place);
    for (const [name, entry] of Object.entries(value as JsonObject)) check(entry, `${place}.${name}`);
  };
}

/** A check for every field of a type, so that none is forgotten. The field that tells shapes apart is {@link union}'s. */
export type Fields<T> = { readonly [K in Exclude<keyof T, "type" | "role">]-?: Check };

/** An object with the fields of `T`. Others may be there too, and are not looked at. */
/* @__NO_SIDE_EFFECTS__ */
export function shape<T>(fields: Fields<T>): Check {
  const checks = Object.entries<Check>(fields);
  return (value, place) => {
    object(value, place);
    for (const [name, check] of checks) check((value as JsonObject)[name], `${place}.${name}`);
  };
}

/** One of several shapes, told apart by the field `tag`. */
/* @__NO_SIDE_EFFECTS__ */
export function union<Name extends string>(tag: string, shapes: { readonly [N in Name]: Check }): Check {
  const known = new Map<string, Check>(Object.entries<Check>(shapes));
  const tagged = oneOf([...known.keys()]);
  return (value, place) => {
    object(value, place);
    const name = (value as JsonObject)[tag];
    tagged(name, `${place}.${tag}`);
    known.get(name as string)?.(value, place);
  };
}
