import type { JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";

/** A value that is wrong, and why. */
export function wrong(param: string, reason: string): Problem {
  return { param, message: `${param}: ${reason}`, code: null };
}

/** A value of another type than Ollama's own, in the words that its JSON reader has for it. */
export function misfit(param: string, value: JsonValue, type: string): Problem {
  const kind = Array.isArray(value) ? "array" : value === null ? "null" : KINDS[typeof value];
  const message = `json: cannot unmarshal ${kind} into Go struct field ChatRequest.${param} of type ${type}`;
  return { param, message, code: null };
}

const KINDS: { readonly [type: string]: string } = {
  string: "string",
  number: "number",
  boolean: "bool",
  object: "object",
};
