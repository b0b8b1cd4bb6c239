import type { Problem } from "../problem.js";

/** Names of tools and of schemas. */
export const NAME: RegExp = /^[a-zA-Z0-9_-]{1,64}$/;

/** A value that is wrong, in the words that the API uses. */
export function invalid(param: string, reason: string): Problem {
  return { param, message: `Invalid '${param}': ${reason}.`, code: "invalid_value" };
}
