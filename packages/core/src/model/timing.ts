/**
 * Where the time of a model call went, in ms. Measured by whoever makes the call and has a clock: an agent does. What
 * is left of `elapsedMs` are attempts that failed.
 */
export interface ModelTiming {
  /** From the beginning of the call to the end of its answer: all attempts, waits and readers in it. */
  readonly elapsedMs: number;
  /**
   * The attempt that answered, from asking to its end, without the time that readers took. Absent where middleware
   * answered in the model's place.
   */
  readonly answerMs?: number;
  /**
   * The same attempt, from asking to the first fragment of content. Near `answerMs` where the answer came as a whole;
   * absent where it has no content.
   */
  readonly firstDeltaMs?: number;
  /**
   * Between attempts. Absent where attempts were made out of sight: by a model that repeats failed calls itself, or
   * by middleware that asked again before an attempt was over.
   */
  readonly waitedMs?: number;
  /** For how long readers of the run's stream held the answer up. */
  readonly readerMs: number;
}
