import type { JsonObject } from "../json.js";
import { redactText } from "../redact.js";
import type { ModelDelta } from "./delta.js";

/** Ids of requests and what is left of limits, as providers and gateways name them. */
const KEPT = /^(x-)?request-id$|(^|-)ratelimit(-|$)/;
/** So many headers are kept, and so many characters of each. */
const MOST = 32;
const LONGEST = 256;

/**
 * Of the headers of an answer, those that say which request it was and how much of the provider's limits is left, by
 * their names in lower case and as they came. Without `secrets`: a gateway may repeat them. Nothing where there are none.
 */
export function keptHeaders(headers: Headers, secrets: readonly string[]): JsonObject | undefined {
  const kept: Record<string, string> = {};
  let count = 0;
  headers.forEach((value, name) => {
    if (count >= MOST || !KEPT.test(name)) return;
    kept[name] = redactText(value, secrets).slice(0, LONGEST);
    count++;
  });
  return count === 0 ? undefined : kept;
}

/** A fragment as it is; the one that ends the response with the headers that were kept, as `headers` of `providerData`. */
export function withKeptHeaders(delta: ModelDelta, kept: JsonObject | undefined): ModelDelta {
  if (kept === undefined || delta.type !== "finish") return delta;
  return { ...delta, providerData: { ...delta.providerData, headers: kept } };
}
