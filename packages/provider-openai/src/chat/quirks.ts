/** How a server that speaks Chat Completions differs from OpenAI. Data; what is absent is as at OpenAI. */
export interface ChatQuirks {
  /** The setting for the longest answer. */
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens";
  /** The setting for a reproducible answer. */
  readonly seedField?: "seed" | "random_seed";
  /** The word for "some tool, whichever". */
  readonly requiredToolChoice?: "required" | "any";
  /** Whether a stream may be asked for usage. A server that refuses to be asked sends it unasked. */
  readonly streamOptions?: boolean;
  /** Whether the model's earlier thoughts go back, and under which field. Other providers' never do. */
  readonly reasoningField?: "reasoning_content" | "reasoning";
  /** A turn with tool calls names its thoughts, also when there are none. */
  readonly reasoningWithCalls?: boolean;
  /** Fields of a message, unknown to others, that the server wants back as it sent them. */
  readonly returnedFields?: readonly string[];
  /** Thoughts may come in the text, before the answer, between `<think>` and `</think>`. */
  readonly thinkTags?: boolean;
  /** Which ids of tool calls it takes. `nine`: nine letters and digits, no more and no less. */
  readonly toolCallIds?: "any" | "nine";
  /** What an answer's text is where it has calls alone. */
  readonly emptyContent?: null | "";
  /** The currency of `usage.cost`, where the server says what it charged. */
  readonly costCurrency?: string;
}
