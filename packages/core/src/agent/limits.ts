import { type LimitName, TinyAgentsError } from "../errors.js";
import type { JsonObject } from "../json.js";

/** Bounds on one run. A child's are never wider than what is left of its parent's. */
export interface Limits {
  /** Model calls, attempts of a retry not counted. Default 32. */
  readonly maxModelCalls?: number | undefined;
  /** Tool calls, those with wrong names or arguments included. Default 256. */
  readonly maxToolCalls?: number | undefined;
  /** Tool calls in flight at once. Default 8. */
  readonly maxConcurrency?: number | undefined;
  /** Retries of model and tool calls, all together. Default 16. */
  readonly maxRetries?: number | undefined;
  /** How often the model is told of a mistake of its own: unknown tool, wrong arguments, wrong output. Default 6. */
  readonly maxCorrections?: number | undefined;
  /** How deep sub-agents may nest: 0 allows none. Default 4. */
  readonly maxDepth?: number | undefined;
  /** Input and output tokens, children's included. Default: none. */
  readonly maxTotalTokens?: number | undefined;
  /** From the run's start, pauses not counted, ms. Default: none. */
  readonly wallClockMs?: number | undefined;
  /** One attempt at a model call, ms. Default 600,000. */
  readonly modelTimeoutMs?: number | undefined;
  /** One attempt at a tool call, ms. Default 600,000. */
  readonly toolTimeoutMs?: number | undefined;
  /** A tool result, in characters. Default 100,000. */
  readonly maxResultChars?: number | undefined;
}

/** Limits with every default filled in. `maxTotalTokens` and `wallClockMs` stay absent when unbounded. */
export interface ResolvedLimits {
  readonly maxModelCalls: number;
  readonly maxToolCalls: number;
  readonly maxConcurrency: number;
  readonly maxRetries: number;
  readonly maxCorrections: number;
  readonly maxDepth: number;
  readonly modelTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly maxResultChars: number;
  readonly maxTotalTokens?: number;
  readonly wallClockMs?: number;
}

const DEFAULTS: ResolvedLimits = {
  maxModelCalls: 32,
  maxToolCalls: 256,
  maxConcurrency: 8,
  maxRetries: 16,
  maxCorrections: 6,
  maxDepth: 4,
  modelTimeoutMs: 600_000,
  toolTimeoutMs: 600_000,
  maxResultChars: 100_000,
};

const NAMES: ReadonlySet<string> = new Set([...Object.keys(DEFAULTS), "maxTotalTokens", "wallClockMs"]);

/**
 * Limits with defaults. `place` stands in what is thrown.
 * @throws TypeError for an unknown name, and for a limit that is no whole number from 0 up (`maxConcurrency`: from 1 up).
 */
export function resolveLimits(limits: Limits = {}, place = "limits"): ResolvedLimits {
  if (typeof limits !== "object" || limits === null) throw new TypeError(`${place}: an object is expected`);
  const resolved: Record<string, number> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(limits) as [string, number | undefined][]) {
    if (value === undefined) continue;
    if (!NAMES.has(name))
      throw new TypeError(`${place}.${name}: there is no such limit; there are: ${[...NAMES].join(", ")}`);
    const least = name === "maxConcurrency" ? 1 : 0;
    if (!Number.isInteger(value) || value < least) {
      throw new TypeError(`${place}.${name}: a whole number from ${least} up is expected, ${value} given`);
    }
    resolved[name] = value;
  }
  return resolved as unknown as ResolvedLimits;
}

/** The tighter of two sets of limits, one by one: what a child may have when its parent has the other. */
export function narrowLimits(own: ResolvedLimits, allowed: Partial<ResolvedLimits>): ResolvedLimits {
  const narrow: Record<string, number> = { ...own };
  for (const [name, bound] of Object.entries(allowed) as [string, number | undefined][]) {
    if (bound !== undefined) narrow[name] = Math.min(narrow[name] ?? bound, bound);
  }
  return narrow as unknown as ResolvedLimits;
}

/** The error of a limit that was hit, with what had been counted, and the failure that used it up where one did. */
export function limitError(
  limit: LimitName,
  allowed: number,
  counters: JsonObject,
  cause?: TinyAgentsError,
): TinyAgentsError<"limit_exceeded"> {
  const after = cause === undefined ? "" : ` The last failure: ${cause.message}`;
  return new TinyAgentsError(
    "limit_exceeded",
    `The run reached its limit ${limit} (${allowed}). Raise limits.${limit} and resume the run, or give it less to do.${after}`,
    { details: { limit, allowed, counters }, cause },
  );
}
