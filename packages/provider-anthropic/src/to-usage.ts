import { isJsonObject, type JsonObject, type JsonValue, type Usage } from "@tinyagents/core";

/** Counts that have a home. The rest (tiers, server tools, lifetimes of cache entries) is kept as it is. */
const COUNTED: ReadonlySet<string> = new Set([
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
  "output_tokens_details",
]);

/**
 * The usage of one answer. It comes in several frames, each cumulative: a count replaces the earlier one and is never
 * added to it, and a count that a frame leaves out stays.
 */
export class UsageReader {
  #seen: JsonObject | undefined;

  take(wire: JsonObject): void {
    const said = Object.entries(wire).filter(([, value]) => value !== null && value !== undefined);
    this.#seen = { ...this.#seen, ...Object.fromEntries(said) };
  }

  /** What is known, or nothing. `unfinished`: what the model wrote is not counted yet, whatever the frame says. */
  usage(unfinished = false): Usage | undefined {
    if (this.#seen === undefined) return undefined;
    const usage = toUsage(
      unfinished ? { ...this.#seen, output_tokens: null, output_tokens_details: null } : this.#seen,
    );
    return Object.keys(usage).length > 1 ? usage : undefined;
  }

  /** What has no home in our usage. */
  get rest(): JsonObject | undefined {
    const rest = Object.entries(this.#seen ?? {}).filter(([name]) => !COUNTED.has(name));
    return rest.length === 0 ? undefined : Object.fromEntries(rest);
  }
}

/**
 * Tokens as the server counts them, in our words. Its `input_tokens` leaves out what was read from the cache or written
 * to it; ours is the total.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
function toUsage(wire: JsonObject): Usage {
  const uncached = count(wire.input_tokens);
  const read = count(wire.cache_read_input_tokens);
  const written = count(wire.cache_creation_input_tokens);
  const details = isJsonObject(wire.output_tokens_details) ? wire.output_tokens_details : {};
  const counts: [Exclude<keyof Usage, "source">, number | undefined][] = [
    ["inputTokens", uncached === undefined ? undefined : uncached + (read ?? 0) + (written ?? 0)],
    ["outputTokens", count(wire.output_tokens)],
    ["cachedInputTokens", read],
    ["cacheWriteTokens", written],
    ["reasoningTokens", count(details.thinking_tokens)],
  ];
  return { ...Object.fromEntries(counts.filter(([, tokens]) => tokens !== undefined)), source: "reported" };
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
