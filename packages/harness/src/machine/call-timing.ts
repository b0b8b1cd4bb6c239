import type { Clock, ModelDelta, ModelTiming } from "@tinyagents/core";
import type { Mutable } from "../mutable.js";

/** Where the time of one model call goes. It is told the time, once or twice per attempt and never per fragment. */
export class CallTiming {
  readonly #startedAtMs: number;
  /** When the attempt under way, or the last one, was asked; nothing while no model was. */
  #askedAtMs: number | undefined;
  /** When the last attempt was over; nothing while one is under way. */
  #overAtMs: number | undefined;
  #firstAtMs: number | undefined;
  #waitedMs: number | undefined = 0;
  #readerMs = 0;
  /** Of `readerMs`, what belongs to the last attempt. */
  #lastReaderMs = 0;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
    this.#overAtMs = startedAtMs;
  }

  /** Whether the attempt under way has given nothing of its content yet. */
  get silent(): boolean {
    return this.#firstAtMs === undefined;
  }

  asked(nowMs: number): void {
    this.#noteWait(nowMs);
    this.#askedAtMs = nowMs;
    this.#firstAtMs = undefined;
  }

  /** A fragment came while the attempt was silent. */
  heard(delta: ModelDelta, clock: Clock): void {
    if (CONTENT.has(delta.type)) this.#firstAtMs = clock.now();
  }

  /** The attempt under way is over. `readerMs`: for how long readers held it up. */
  over(nowMs: number, readerMs: number): void {
    this.#overAtMs = nowMs;
    this.#lastReaderMs = readerMs;
    this.#readerMs += readerMs;
  }

  /** The stream begins again. Inside an attempt, that is the model's own doing. */
  restarted(clock: Clock): void {
    if (this.#overAtMs === undefined) this.asked(clock.now());
    // What the next attempt gives has to be noted, even where a wrap shows its restart late.
    this.#firstAtMs = undefined;
  }

  /** When the attempt under way was over will not be known. */
  lost(): void {
    this.#waitedMs = undefined;
  }

  /** The breakdown, when the last attempt is over. A clock may be set back: no time is below zero. */
  result(nowMs: number): ModelTiming {
    const timing: Mutable<ModelTiming> = {
      elapsedMs: span(this.#startedAtMs, nowMs),
      readerMs: Math.max(0, this.#readerMs),
    };
    if (this.#waitedMs !== undefined) timing.waitedMs = this.#waitedMs;
    const askedAtMs = this.#askedAtMs;
    if (askedAtMs === undefined) return timing;
    timing.answerMs = span(askedAtMs, (this.#overAtMs ?? nowMs) - this.#lastReaderMs);
    if (this.#firstAtMs !== undefined) timing.firstDeltaMs = span(askedAtMs, this.#firstAtMs);
    return timing;
  }

  #noteWait(nowMs: number): void {
    if (this.#overAtMs === undefined) this.#waitedMs = undefined;
    else if (this.#waitedMs !== undefined) this.#waitedMs += span(this.#overAtMs, nowMs);
    this.#overAtMs = undefined;
  }
}

const CONTENT: ReadonlySet<ModelDelta["type"]> = new Set<ModelDelta["type"]>([
  "text",
  "reasoning",
  "refusal",
  "tool_call_start",
  "tool_call_args",
  "block",
]);

function span(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs);
}
