import type { JsonObject } from "@tinyagents/core";

/**
 * What goes wrong within an answer of status 200. Frames are counted from 1, as they are written, with those that
 * other faults put in. For an answer that does not stream: an error or malformed frame takes the place of the body,
 * a cut or stall with a number of frames comes in the middle of it, and what concerns frames alone does nothing.
 */
export type WireFault =
  /** No byte is ever sent. */
  | { readonly type: "silence" }
  /** Nothing more comes after so many frames; with `until`, the rest comes then. */
  | { readonly type: "stall"; readonly afterFrames: number; readonly until?: PromiseLike<unknown> }
  /** The connection breaks after so many frames, or bytes of the body; with neither, before any header. */
  | { readonly type: "cut"; readonly afterFrames?: number; readonly afterBytes?: number }
  /** The stream ends properly, without what marks its end: `[DONE]`, `message_stop`. */
  | { readonly type: "no_done" }
  /** The stream ends properly, without a finish reason and what follows one. `done`: but with its mark. */
  | { readonly type: "no_finish"; readonly done?: boolean }
  /** An error as a frame, after so many others (default 0); the stream ends with it. Default: what the API says of its own failure. */
  | { readonly type: "error_frame"; readonly afterFrames?: number; readonly error?: JsonObject }
  /** A frame that is no JSON, after so many others (default 0); the others follow. */
  | { readonly type: "malformed_frame"; readonly afterFrames?: number; readonly data?: string }
  /** Frames that say nothing of the answer: empty ones, notes, and events and fields that nobody knows. */
  | { readonly type: "bare_frames" }
  /** A comment line before each frame. */
  | { readonly type: "comments" };

/** The fault of one type, where an answer has it. */
export function faultOf<T extends WireFault["type"]>(
  faults: readonly WireFault[],
  type: T,
): Extract<WireFault, { type: T }> | undefined {
  return faults.find((fault): fault is Extract<WireFault, { type: T }> => fault.type === type);
}
