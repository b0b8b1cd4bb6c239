import {
  addUsage,
  estimateTokens,
  type Message,
  type ModelResponse,
  type ResponseCollector,
  type TokenCounter,
  type Usage,
} from "@tinyagents/core";

/** The tokens of one model call, in which those of attempts that failed without telling theirs are not forgotten. */
export class CallTokens {
  readonly #collector: ResponseCollector;
  readonly #countTokens: TokenCounter | undefined;
  /** Estimated, of attempts that failed. */
  #lost: Usage | undefined;

  constructor(collector: ResponseCollector, countTokens: TokenCounter | undefined) {
    this.#collector = collector;
    this.#countTokens = countTokens;
  }

  /** A new attempt begins at the same model, because the one before failed for this reason. */
  noteLostAttempt(reason: string, messages: readonly Message[]): void {
    const { reportsCurrent, receivedChars } = this.#collector;
    if (reportsCurrent || (receivedChars === 0 && reason !== "timeout")) return;
    const lost = this.#estimate(messages);
    this.#lost = this.#lost === undefined ? lost : addUsage(this.#lost, lost);
  }

  /** The response with the tokens of lost attempts in its usage. One whose own usage is unknown stays so. */
  withLost(response: ModelResponse): ModelResponse {
    if (this.#lost === undefined || response.usage === undefined) return response;
    return { ...response, usage: addUsage(response.usage, this.#lost) };
  }

  /**
   * What a failed call used up to now: what was reported, else an estimate of what had been sent and received, never a
   * zero. `cut`: its last attempt was under way, so that something had been sent at least.
   */
  ofFailure(cut: boolean, messages: readonly Message[]): Usage | undefined {
    const { usage, reportsCurrent } = this.#collector;
    const known = [usage, cut && !reportsCurrent ? this.#estimate(messages) : undefined, this.#lost];
    return known.reduce((sum, one) => (sum === undefined || one === undefined ? (sum ?? one) : addUsage(sum, one)));
  }

  /** What was lost has been counted, as the model's that lost it. */
  forgetLost(): void {
    this.#lost = undefined;
  }

  /** A counter of the application's own may give anything: then the input is not known. */
  #estimate(messages: readonly Message[]): Usage {
    const outputTokens = Math.ceil(this.#collector.receivedChars / 4);
    const input = Math.ceil(estimateTokens(messages, this.#countTokens));
    return Number.isSafeInteger(input) && input >= 0
      ? { inputTokens: input, outputTokens, source: "estimated" }
      : { outputTokens, source: "estimated" };
  }
}
