import { isJsonObject, type JsonObject, type ModelWarning } from "@tinyagents/core";
import type { CacheMode } from "./options.js";
import type { Turn } from "./turns.js";

/** The parts of a request that the server caches, in the order in which it reads them. */
export interface Prompt {
  readonly tools: readonly JsonObject[];
  readonly system: readonly JsonObject[];
  readonly turns: readonly Turn[];
}

/** How many marks the server takes in one request. */
const MOST_MARKS = 4;
const HINT = "providerMetadata.cacheControl";

/**
 * A prompt with its marks for the cache, at most four. Hints of blocks come first, the newest of them where there are too
 * many; what is left goes to the last user turn, the system prompt, the tools and the user turn before the last.
 * `reserved`: marks that the request has elsewhere.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function markPrompt(prompt: Prompt, mode: CacheMode, reserved: number, warnings: ModelWarning[]): Prompt {
  const places = placesOf(prompt);
  const hinted = places.filter(({ block }) => block.cache_control !== undefined);
  const most = MOST_MARKS - reserved;
  const dropped = hinted.slice(0, Math.max(0, hinted.length - most));
  if (dropped.length > 0) {
    const message = `The server takes ${most} marks for the cache; the ${dropped.length} oldest hints were left out.`;
    warnings.push({ code: "changed_setting", setting: HINT, message });
  }
  const kept = hinted.filter((hint) => !dropped.includes(hint));
  const added = isWanted(prompt, mode) ? ownChoice(prompt, places, kept).slice(0, most - kept.length) : [];
  if (dropped.length === 0 && added.length === 0 && !kept.some(({ block }) => isLong(block.cache_control)))
    return prompt;
  const mark = typeof mode === "object" && mode.ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  const marks = new Map<string, JsonObject>();
  for (const place of kept) marks.set(place.path, place.block.cache_control as JsonObject);
  for (const place of added) marks.set(place.path, mark);
  const ordered = lengthened(places, marks);
  if (kept.some(({ path, block }) => isLong(ordered.get(path)) && !isLong(block.cache_control))) {
    const message =
      "An entry that lives an hour follows a shorter one, which the server refuses; the shorter one got an hour.";
    warnings.push({ code: "changed_setting", setting: HINT, message });
  }
  return rewrite(prompt, ordered);
}

/** A block of the prompt that can be marked. */
interface Place {
  /** `tools`, `system` or `turns`, and where in it. */
  readonly path: string;
  readonly block: JsonObject;
}

/** Thoughts cannot be marked. */
const UNMARKABLE: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

function placesOf({ tools, system, turns }: Prompt): readonly Place[] {
  return [
    ...tools.map((block, at) => ({ path: `tools.${at}`, block })),
    ...system.map((block, at) => ({ path: `system.${at}`, block })),
    ...turns.flatMap(({ content }, turn) => content.map((block, at) => ({ path: `turns.${turn}.${at}`, block }))),
  ].filter(({ block }) => !UNMARKABLE.has(block.type));
}

/** Whether a next request with the same beginning is likely, or said to come. */
function isWanted({ tools, turns }: Prompt, mode: CacheMode): boolean {
  if (mode !== "auto") return mode !== "off";
  return tools.length > 0 || turns.some(({ role }) => role === "assistant");
}

/** Ends of parts, the most useful first. One that a hint marks already is passed over. */
function ownChoice({ turns }: Prompt, places: readonly Place[], kept: readonly Place[]): readonly Place[] {
  const userTurns = turns.flatMap(({ role }, at) => (role === "user" ? [`turns.${at}.`] : []));
  const [last, beforeLast] = userTurns.toReversed();
  return [last, "system.", "tools.", beforeLast].flatMap((prefix) => {
    const end = prefix === undefined ? undefined : places.findLast(({ path }) => path.startsWith(prefix));
    return end === undefined || kept.includes(end) ? [] : [end];
  });
}

function isLong(mark: unknown): boolean {
  return isJsonObject(mark) && mark.ttl === "1h";
}

/** Entries that live an hour stand before those that live less: the server refuses the other order. */
function lengthened(places: readonly Place[], marks: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, JsonObject> {
  const lastLong = places.findLastIndex(({ path }) => isLong(marks.get(path)));
  const ordered = new Map<string, JsonObject>();
  for (const [at, { path }] of places.entries()) {
    const mark = marks.get(path);
    if (mark !== undefined) ordered.set(path, at < lastLong ? { ...mark, ttl: "1h" } : mark);
  }
  return ordered;
}

/** The prompt with these marks and no others. Blocks that are shared with other requests are not changed. */
function rewrite({ tools, system, turns }: Prompt, marks: ReadonlyMap<string, JsonObject>): Prompt {
  const marked = (block: JsonObject, path: string): JsonObject => {
    const mark = marks.get(path);
    if (block.cache_control === mark) return block;
    const { cache_control: _, ...rest } = block;
    return mark === undefined ? rest : { ...rest, cache_control: mark };
  };
  return {
    tools: tools.map((block, at) => marked(block, `tools.${at}`)),
    system: system.map((block, at) => marked(block, `system.${at}`)),
    turns: turns.map(({ role, content }, turn) => ({
      role,
      content: content.map((block, at) => marked(block, `turns.${turn}.${at}`)),
    })),
  };
}
