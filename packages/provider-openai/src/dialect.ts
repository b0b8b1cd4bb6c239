import type { JsonObject, ModelCallContext, ModelDelta, ModelRequest, ModelWarning } from "@tinyagents/core";
import type { PreparedRequest } from "./prepare.js";

/** One of the APIs that a model is asked through: what goes on its wire, and what comes from it. */
export interface Dialect {
  /** Below the base URL. */
  readonly path: string;
  /** @throws `capability_missing` and `invalid_request`, before anything is sent. */
  prepare(request: ModelRequest, delivery: ModelCallContext["delivery"]): PreparedRequest;
  /** For the frames of one streamed answer. `warnings` go with its end. */
  reader(warnings: readonly ModelWarning[]): FrameReader;
  /**
   * An answer of the unary endpoint, a whole block a delta. They add up to what its stream adds up to.
   * @throws `provider_server` for what is no answer; the SDK's error for one that tells of a failure.
   */
  readWhole(answer: unknown, warnings: readonly ModelWarning[]): readonly ModelDelta[];
  /** What a failure says that is an answer all the same. */
  readFailure?(failure: FailedCall): readonly ModelDelta[] | undefined;
}

/** Turns the frames of one streamed answer into deltas. */
export interface FrameReader {
  /** The index of a block that follows all that have come. */
  readonly nextIndex: number;
  /** @throws the SDK's error for a frame that tells of a failure. */
  read(frame: JsonObject): readonly ModelDelta[];
  /** What is told when the last frame has come. Nothing when the answer has no end: it was cut short, however cleanly. */
  end(): readonly ModelDelta[];
}

/** A call that failed: the SDK's error, and how far it had come. */
interface FailedCall {
  readonly error: unknown;
  readonly request: ModelRequest;
  readonly nextIndex: number;
  readonly warnings: readonly ModelWarning[];
}
