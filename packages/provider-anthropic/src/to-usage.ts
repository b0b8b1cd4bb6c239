import { countOf, isJsonObject, type JsonObject, reportedUsage, type Usage } from "@tinyagents/core";

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
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = wire;
  const uncached = countOf(wire.input_tokens);
  const details = isJsonObject(wire.output_tokens_details) ? wire.output_tokens_details : {};
  return reportedUsage({
    inputTokens: uncached === undefined ? null : uncached + (countOf(read) ?? 0) + (countOf(written) ?? 0),
    outputTokens: wire.output_tokens,
    cachedInputTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: details.thinking_tokens,
  });
}
