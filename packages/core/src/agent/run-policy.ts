import type { FallbackPolicy } from "../model/fallback.js";
import type { RetryPolicy } from "../model/retry.js";
import type { ApprovalPolicy } from "./approval.js";
import type { Limits } from "./limits.js";

/**
 * What to do about a call for a tool that is not offered. `return_error`: tell the model which tools there are.
 * `fail`: end the run with `tool_not_found`. `rewrite`: run another tool in its place.
 */
export type UnknownToolPolicy =
  | { readonly type: "return_error"; readonly message?: string }
  | { readonly type: "fail" }
  | { readonly type: "rewrite"; readonly tool: string };

/** What to do about arguments that do not fit. `return_error`: tell the model what is wrong. `fail`: end the run. */
export type InvalidArgumentsPolicy = { readonly type: "return_error" } | { readonly type: "fail" };

/**
 * How a run that repeats itself is dealt with. A batch of calls counts as repeated when an earlier one, not far back,
 * had the same calls with the same results.
 */
export interface NoProgressPolicy {
  /** After so many repeats the model is told. Default 2. */
  readonly hintAfter?: number;
  /** After so many the calls are no longer run. Default 4. */
  readonly refuseAfter?: number;
  /** After so many the run ends with `no_progress`. Default 6. */
  readonly stopAfter?: number;
}

/** How a run decides, and within what bounds. All of it is data: it survives JSON, and works the same when read back. */
export interface RunPolicy {
  /** Limits that are given beside a policy stand before these, one by one. */
  readonly limits?: Limits | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** When to turn to the next model. */
  readonly fallback?: FallbackPolicy | undefined;
  readonly unknownTool?: UnknownToolPolicy | undefined;
  readonly invalidArguments?: InvalidArgumentsPolicy | undefined;
  readonly approval?: ApprovalPolicy | undefined;
  /** `sequential`: the calls of a batch run one after the other, in their order. Default `parallel`. */
  readonly toolExecution?: "parallel" | "sequential" | undefined;
  /** `false` turns it off. */
  readonly noProgress?: NoProgressPolicy | false | undefined;
  /** `finalize`: when a limit is hit, ask once more without tools, and end with that answer. Default `fail`. */
  readonly onLimit?: "fail" | "finalize" | undefined;
  /** Refuse tools that do not say what they do. Default: no. */
  readonly strictTools?: boolean | undefined;
  /** How long a cancelled run waits for what it has under way, ms. Default 2,000. */
  readonly cancelGraceMs?: number | undefined;
}

/** How long a cancelled run waits where its policy does not say, ms. */
export const CANCEL_GRACE_MS = 2_000;

/** A policy with its defaults. */
export function noProgressThresholds({
  hintAfter = 2,
  refuseAfter = 4,
  stopAfter = 6,
}: NoProgressPolicy): Required<NoProgressPolicy> {
  return { hintAfter, refuseAfter, stopAfter };
}
