import { describe } from "../guarded-read.js";
import { readMoney } from "./cost.js";
import { TOKEN_CLASSES, USAGE_SOURCES, type Usage } from "./usage.js";

/** Usage as far as it can be believed, and what could not be. */
export interface ReadUsage {
  /** Absent when nothing in it can be believed. */
  readonly usage: Usage | undefined;
  /** What was wrong, one sentence each. Empty when all was right. */
  readonly faults: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Counts = { readonly [K in (typeof TOKEN_CLASSES)[number]]?: unknown };

/**
 * Reads the usage that a model told. What is wrong in it is dropped and so counts as unknown: an answer that was paid
 * for is not lost over a wrong count, and no sum is spoilt by one. Sound usage is given as it is.
 */
export function readUsage(told: unknown): ReadUsage {
  if (isSound(told)) return { usage: told, faults: NONE };
  if (typeof told !== "object" || told === null || Array.isArray(told)) {
    return { usage: undefined, faults: [`it is ${describe(told)}`] };
  }
  const faults: string[] = [];
  const usage: Mutable<Usage> = { source: sourceOf((told as Partial<Usage>).source, faults) };
  for (const name of TOKEN_CLASSES) {
    const count = (told as Counts)[name];
    if (isCount(count)) usage[name] = count;
    else if (count !== undefined) faults.push(`${name} is ${describe(count)}, and no whole number from 0 up`);
  }
  for (const [names, total, of] of oversized(usage)) {
    for (const name of names) delete usage[name];
    faults.push(`${names.join(" and ")} are more than the ${total} of ${of}`);
  }
  const charged = chargedIn((told as { readonly charged?: unknown }).charged, faults);
  if (charged !== undefined) usage.charged = charged;
  const known = Object.keys(usage).length > 1;
  return { usage: known || faults.length === 0 ? usage : undefined, faults };
}

const NONE: readonly string[] = [];

/** Whether there is nothing to mend. Makes nothing: most usage is sound. */
function isSound(told: unknown): told is Usage {
  if (typeof told !== "object" || told === null) return false;
  for (const name in told) if (!FIELDS.has(name)) return false;
  const usage = told as Usage;
  if (!SOURCES.has(usage.source) || usage.charged !== undefined) return false;
  // Every call has its usage looked at: an index makes no object per class.
  for (let i = 0; i < TOKEN_CLASSES.length; i++) {
    const count: unknown = usage[TOKEN_CLASSES[i] as (typeof TOKEN_CLASSES)[number]];
    if (count !== undefined && !isCount(count)) return false;
  }
  return isWithinTotals(usage);
}

const FIELDS: ReadonlySet<string> = new Set(["source", "charged", ...TOKEN_CLASSES]);
const SOURCES: ReadonlySet<unknown> = new Set(USAGE_SOURCES);

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** An unknown source is the weaker one: nobody may have reported it. */
function sourceOf(source: unknown, faults: string[]): Usage["source"] {
  if (SOURCES.has(source)) return source as Usage["source"];
  faults.push(`source is ${describe(source)}, and none of ${USAGE_SOURCES.join(", ")}`);
  return "estimated";
}

function chargedIn(told: unknown, faults: string[]): Usage["charged"] {
  if (told === undefined) return undefined;
  const money = readMoney(told);
  if (money === undefined) faults.push("charged is no amount from 0 up with a currency");
  return money;
}

function isWithinTotals({
  inputTokens = Number.POSITIVE_INFINITY,
  outputTokens = Number.POSITIVE_INFINITY,
  cachedInputTokens = 0,
  cacheWriteTokens = 0,
  reasoningTokens = 0,
  imageTokens = 0,
  audioTokens = 0,
  embeddingTokens = 0,
}: Usage): boolean {
  return (
    cachedInputTokens + cacheWriteTokens <= inputTokens &&
    reasoningTokens <= outputTokens &&
    imageTokens <= inputTokens + outputTokens &&
    audioTokens <= inputTokens + outputTokens &&
    embeddingTokens <= inputTokens
  );
}

type Class = (typeof TOKEN_CLASSES)[number];

/** Classes that are larger than what they are part of. Of two that are too large together, neither can be believed. */
function oversized(usage: Usage): (readonly [names: readonly Class[], total: number, of: string])[] {
  const { inputTokens: input, outputTokens: output } = usage;
  const both = input === undefined || output === undefined ? undefined : input + output;
  const found: (readonly [readonly Class[], number, string])[] = [];
  const look = (names: readonly Class[], total: number | undefined, of: string): void => {
    const there = names.filter((name) => usage[name] !== undefined);
    const sum = there.reduce((tokens, name) => tokens + (usage[name] ?? 0), 0);
    if (total !== undefined && sum > total) found.push([there, total, of]);
  };
  look(["cachedInputTokens", "cacheWriteTokens"], input, "inputTokens");
  look(["embeddingTokens"], input, "inputTokens");
  look(["reasoningTokens"], output, "outputTokens");
  look(["imageTokens"], both, "input and output");
  look(["audioTokens"], both, "input and output");
  return found;
}
