import { addMoney, type Money } from "./cost.js";
import type { ResolvedModel } from "./profile.js";

/** Whether the provider said how many tokens a call took, or we estimated. */
export const USAGE_SOURCES = ["reported", "estimated"] as const;

/**
 * Tokens of one model call. An absent count is unknown, never zero. Counts of a class are part of the total they
 * belong to: `inputTokens` includes cached ones, `outputTokens` includes reasoning.
 */
export interface Usage {
  /** Everything the model read: uncached, read from a cache, and written to one, each counted once. */
  readonly inputTokens?: number;
  /** Everything the model wrote, reasoning included. */
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly imageTokens?: number;
  readonly audioTokens?: number;
  /** Of the input, what was turned into vectors. Of embedding models alone: totals of runs have none. */
  readonly embeddingTokens?: number;
  /** What the provider said that it charged for the call. Of several attempts: for those of which it said so. */
  readonly charged?: Money;
  /** Whether the provider said so or we estimated. */
  readonly source: (typeof USAGE_SOURCES)[number];
}

/** Sums over the calls of a run. Sums leave out what is unknown; `unknownCalls` says how much that is. */
export interface UsageTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly imageTokens: number;
  readonly audioTokens: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Model calls whose tokens are not known, or only in part. */
  readonly unknownCalls: number;
  /** Model calls whose tokens are our estimate. */
  readonly estimatedCalls: number;
}

/** Totals of one model. */
export interface ModelUsage {
  readonly model: ResolvedModel;
  readonly usage: UsageTotals;
}

/** Totals of no calls. */
export function emptyUsage(): UsageTotals {
  return {
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    imageTokens: 0,
    audioTokens: 0,
    modelCalls: 0,
    toolCalls: 0,
    unknownCalls: 0,
    estimatedCalls: 0,
  };
}

/** Totals with one more model call in them. `usage` absent: a call of unknown usage. */
export function addModelCall(totals: UsageTotals, usage: Usage | undefined): UsageTotals {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const unknown = input === undefined || output === undefined;
  return {
    inputTokens: totals.inputTokens + (input ?? 0),
    outputTokens: totals.outputTokens + (output ?? 0),
    totalTokens: totals.totalTokens + (input ?? 0) + (output ?? 0),
    cachedInputTokens: totals.cachedInputTokens + (usage?.cachedInputTokens ?? 0),
    cacheWriteTokens: totals.cacheWriteTokens + (usage?.cacheWriteTokens ?? 0),
    reasoningTokens: totals.reasoningTokens + (usage?.reasoningTokens ?? 0),
    imageTokens: totals.imageTokens + (usage?.imageTokens ?? 0),
    audioTokens: totals.audioTokens + (usage?.audioTokens ?? 0),
    modelCalls: totals.modelCalls + 1,
    toolCalls: totals.toolCalls,
    unknownCalls: totals.unknownCalls + (unknown ? 1 : 0),
    estimatedCalls: totals.estimatedCalls + (!unknown && usage?.source === "estimated" ? 1 : 0),
  };
}

/** The sum of two totals: of a run and its children. */
export function addTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    imageTokens: one.imageTokens + other.imageTokens,
    audioTokens: one.audioTokens + other.audioTokens,
    modelCalls: one.modelCalls + other.modelCalls,
    toolCalls: one.toolCalls + other.toolCalls,
    unknownCalls: one.unknownCalls + other.unknownCalls,
    estimatedCalls: one.estimatedCalls + other.estimatedCalls,
  };
}

/** The usage of two attempts at one call. A class that neither knows stays unknown. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    source: one.source === "reported" && other.source === "reported" ? "reported" : "estimated",
  };
  for (const key of TOKEN_CLASSES) {
    const a = one[key];
    const b = other[key];
    if (a !== undefined || b !== undefined) sum[key] = (a ?? 0) + (b ?? 0);
  }
  const charged = addCharges(one.charged, other.charged);
  if (charged !== undefined) sum.charged = charged;
  return sum;
}

/** Charges in two currencies have no sum: then nothing is known of them together. */
function addCharges(one: Money | undefined, other: Money | undefined): Money | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.currency === other.currency ? addMoney(one, other) : undefined;
}

/** The counts that a {@link Usage} may have. */
export const TOKEN_CLASSES = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "imageTokens",
  "audioTokens",
  "embeddingTokens",
] as const;

/** How far totals can be trusted. `partial`: some calls told nothing, so the true sums are higher. */
export function usageAccuracy(totals: UsageTotals): "exact" | "estimated" | "partial" {
  if (totals.unknownCalls > 0) return "partial";
  return totals.estimatedCalls > 0 ? "estimated" : "exact";
}
