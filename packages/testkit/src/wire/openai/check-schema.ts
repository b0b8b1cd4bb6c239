import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";

/**
 * What strict mode refuses in a schema: objects that allow more keys, and properties that are not required.
 * @see https://platform.openai.com/docs/guides/structured-outputs
 */
export function* checkStrictSchema(schema: JsonObject, place: string): Generator<Problem> {
  if (schema.anyOf !== undefined || schema.type !== "object") {
    yield refused(place, "the root must be of type 'object', without 'anyOf'");
  }
  yield* checkObjects(schema, place);
}

function* checkObjects(schema: JsonValue, place: string): Generator<Problem> {
  if (Array.isArray(schema)) {
    for (const [at, entry] of schema.entries()) yield* checkObjects(entry, `${place}[${at}]`);
    return;
  }
  if (!isJsonObject(schema)) return;
  if (isObjectSchema(schema)) yield* checkObject(schema, place);
  for (const keyword of ["properties", "$defs"]) {
    const named = schema[keyword];
    if (!isJsonObject(named)) continue;
    for (const [name, entry] of Object.entries(named)) yield* checkObjects(entry, `${place}.${keyword}.${name}`);
  }
  for (const keyword of ["items", "anyOf", "prefixItems"]) {
    if (schema[keyword] !== undefined) yield* checkObjects(schema[keyword], `${place}.${keyword}`);
  }
}

function* checkObject({ properties, required, additionalProperties }: JsonObject, place: string): Generator<Problem> {
  if (additionalProperties !== false) {
    yield refused(place, "'additionalProperties' is required to be supplied and to be false");
  }
  const listed: readonly JsonValue[] = Array.isArray(required) ? required : [];
  const missing = Object.keys(isJsonObject(properties) ? properties : {}).filter((name) => !listed.includes(name));
  if (missing.length > 0) {
    yield refused(place, `'required' must include every key in properties. Missing '${missing.join("', '")}'`);
  }
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isJsonObject(properties);
}

function refused(place: string, reason: string): Problem {
  return { param: place, message: `Invalid schema: In ${place}, ${reason}.`, code: "invalid_function_parameters" };
}
