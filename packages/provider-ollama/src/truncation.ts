import { type ModelWarning, TinyAgentsError } from "@tinyagents/core";
import { PROVIDER } from "./profile.js";

/** What tells whether a prompt was cut. All in tokens. */
export interface PromptCount {
  /** Our estimate of what was sent. */
  readonly estimated: number;
  /** The context that was asked for; absent when nobody knows it. */
  readonly window?: number | undefined;
  /** What the server says it read; absent when it does not say. */
  readonly read?: number | undefined;
  /** What the server says it wrote. */
  readonly written?: number | undefined;
}

/** How sure it is that the model did not see, or has forgotten, the beginning of its prompt. */
export interface Truncation {
  readonly sure: boolean;
  readonly message: string;
}

/** How far off an estimate may be, as a part of the true number: it is right within about a third. */
const TOLERANCE = 1 / 3;
/** The smallest context that servers have loaded models with unasked. */
const SMALLEST_WINDOW = 2_048;

/**
 * Whether a prompt was cut. A server that cuts says nothing: it counts what was left, which is half the context or all
 * of it. But it may also count only what it did not have in its cache, or not count at all, so a low count alone proves
 * nothing. The rule:
 *
 * - The count fills the context, or together with the answer exceeds it: the beginning is gone.
 * - By our estimate the prompt cannot fit, and the count is lower by more than the estimate can err: it was cut.
 * - By our estimate it may just not fit, and the count is that much lower: it was perhaps cut.
 * - There is no count, and by our estimate the prompt cannot fit even if that errs as far as it can: it was cut.
 * - The context is unknown, the prompt is longer than the smallest there is, and the count is not half of our estimate:
 *   it was perhaps cut.
 *
 * @see https://github.com/ollama/ollama/issues/17427
 * @see https://github.com/ollama/ollama/pull/16428
 */
export function findTruncation({ estimated, window, read, written = 0 }: PromptCount): Truncation | undefined {
  if (window === undefined) {
    const low = read !== undefined && read < estimated / 2;
    return low && estimated > SMALLEST_WINDOW ? finding(false, read, estimated) : undefined;
  }
  if (read === undefined)
    return estimated * (1 - TOLERANCE) > window ? finding(true, read, estimated, window) : undefined;
  // The last token that is written needs no room any more.
  if (read >= window || read + written > window + 1) return finding(true, read, estimated, window);
  const low = read < estimated * (1 - TOLERANCE);
  if (!low || estimated < window * (1 - TOLERANCE)) return undefined;
  return finding(estimated >= window, read, estimated, window);
}

function finding(sure: boolean, read: number | undefined, estimated: number, window?: number): Truncation {
  const context = window === undefined ? "a context of unknown size" : `a context of ${window} tokens`;
  const counted = read === undefined ? "" : `, of which the model read ${read}`;
  const happened = sure ? "The prompt does not fit into" : "The prompt may have been cut to fit into";
  return { sure, message: `${happened} ${context}: it has about ${estimated} tokens${counted}.` };
}

/** The truncation as what goes with a response. */
export function truncationWarning({ message }: Truncation): ModelWarning {
  return { code: "provider", setting: "messages", message };
}

/** The truncation as a failure. */
export function truncationError(
  { message }: Truncation,
  { window, estimated }: PromptCount,
): TinyAgentsError<"context_window_exceeded"> {
  const advice = "Ask for more with profile.contextWindow, or send less.";
  return new TinyAgentsError("context_window_exceeded", `${message} ${advice}`, {
    details: {
      provider: PROVIDER,
      providerCode: "prompt_truncated",
      askedTokens: estimated,
      ...(window === undefined ? {} : { limitTokens: window }),
    },
  });
}
