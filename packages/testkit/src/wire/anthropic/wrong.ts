import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";

/** Ids of tool calls, of the API's own tools too. */
const ID = /^[a-zA-Z0-9_-]+$/;

/** A value that is wrong, in the words that the API uses: the place, and what should be there. */
export function wrong(param: string, reason: string): Problem {
  return { param, message: `${param}: ${reason}`, code: null };
}

/** A text that has to be there, in a pattern where there is one. */
export function* checkText(value: JsonValue | undefined, place: string, pattern?: RegExp): Generator<Problem> {
  if (value === undefined) return yield wrong(place, "Field required");
  if (typeof value !== "string") return yield wrong(place, "Input should be a valid string");
  if (pattern !== undefined && !pattern.test(value)) {
    yield wrong(place, `String should match pattern '${pattern.source}'`);
  }
}

/** The id of a call. */
export function checkId(value: JsonValue | undefined, place: string): Generator<Problem> {
  return checkText(value, place, ID);
}

/** Fields that nobody knows. */
export function* checkFields(object: JsonObject, known: readonly string[], place: string): Generator<Problem> {
  for (const field of Object.keys(object)) {
    if (!known.includes(field)) {
      yield wrong(place === "" ? field : `${place}.${field}`, "Extra inputs are not permitted");
    }
  }
}

/** The objects of a list that may be none. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
