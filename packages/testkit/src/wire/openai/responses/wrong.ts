import type { JsonObject } from "@tinyagents/core";
import type { Problem } from "../../problem.js";

/** A parameter that has to be there. */
export function missing(param: string): Problem {
  return { param, message: `Missing required parameter: '${param}'.`, code: "missing_required_parameter" };
}

/** A parameter that nobody knows. */
export function unknownParameter(param: string): Problem {
  return { param, message: `Unknown parameter: '${param}'.`, code: "unknown_parameter" };
}

/** A value out of a list. */
export function unsupportedValue(param: string, value: string, supported: readonly string[]): Problem {
  const list = supported.map((one) => `'${one}'`).join(", ");
  return { param, message: `Invalid value: '${value}'. Supported values are: ${list}.`, code: "invalid_value" };
}

/** Fields that nobody knows. */
export function* checkFields(object: JsonObject, known: readonly string[], place: string): Generator<Problem> {
  for (const field of Object.keys(object)) {
    if (!known.includes(field)) yield unknownParameter(`${place}.${field}`);
  }
}
