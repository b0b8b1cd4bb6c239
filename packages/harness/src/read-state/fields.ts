import { isJsonObject, type JsonObject, type JsonValue, TinyAgentsError } from "@tinyagents/core";

/** Checks one value of a stored state; `place` leads to it. @throws `corrupt_data` that names the place. */
export type Check = (value: JsonValue | undefined, place: string) => void;

/** @returns the error for a value that cannot be. */
export function corrupt(place: string, reason: string): TinyAgentsError<"corrupt_data"> {
  return new TinyAgentsError("corrupt_data", `Cannot read ${place}: ${reason}.`, { details: { place, reason } });
}

function expected(what: string, value: JsonValue | undefined, place: string): TinyAgentsError<"corrupt_data"> {
  const found =
    value === undefined ? "nothing" : value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  return corrupt(place, `${what} is expected, ${found === "object" ? "an object" : found} found`);
}

/** Anything, but something. */
export const something: Check = (value, place) => {
  if (value === undefined) throw expected("a value", value, place);
};

export const text: Check = (value, place) => {
  if (typeof value !== "string") throw expected("a string", value, place);
};

export const flag: Check = (value, place) => {
  if (typeof value !== "boolean") throw expected("true or false", value, place);
};

/** A number from 0 up. */
export const amount: Check = (value, place) => {
  if (typeof value !== "number" || !(value >= 0)) throw expected("a number from 0 up", value, place);
};

/** A whole number from `least` up. */
export function whole(least = 0): Check {
  return (value, place) => {
    if (!Number.isInteger(value) || (value as number) < least)
      throw expected(`a whole number from ${least} up`, value, place);
  };
}

export const object: Check = (value, place) => {
  if (!isJsonObject(value)) throw expected("an object", value, place);
};

export function oneOf(names: readonly string[]): Check {
  const known = new Set(names);
  return (value, place) => {
    text(value, place);
    if (!known.has(value as string)) throw corrupt(place, `"${value}" is none of ${names.join(", ")}`);
  };
}

export function optional(check: Check): Check {
  return (value, place) => {
    if (value !== undefined) check(value, place);
  };
}

export function nullable(check: Check): Check {
  return (value, place) => {
    if (value !== null) check(value, place);
  };
}

export function list(check: Check): Check {
  return (value, place) => {
    if (!Array.isArray(value)) throw expected("an array", value, place);
    for (let at = 0; at < value.length; at++) check(value[at], `${place}[${at}]`);
  };
}

/** An object with these fields. Others may be there too, and are not looked at. */
export function shape(fields: { readonly [name: string]: Check }): Check {
  const checks = Object.entries(fields);
  return (value, place) => {
    object(value, place);
    for (const [name, check] of checks) check((value as JsonObject)[name], `${place}.${name}`);
  };
}

/** One of several shapes, told apart by the field `tag`. */
export function union(tag: string, shapes: { readonly [name: string]: Check }): Check {
  const tagged = oneOf(Object.keys(shapes));
  return (value, place) => {
    object(value, place);
    const name = (value as JsonObject)[tag];
    tagged(name, `${place}.${tag}`);
    shapes[name as string]?.(value, place);
  };
}
