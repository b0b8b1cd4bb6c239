import type { JsonObject } from "@tinyagents/core";
import type { WireRequest } from "./request.js";

/** One frame of a stream: its data, the name of its event where it has one, and what it is in the order of things. */
export interface Frame {
  readonly kind: "start" | "delta" | "finish" | "usage" | "done" | "raw";
  readonly event?: string;
  readonly data: string;
}

/** How one API's frames look, wrong ones too. */
export interface Framing {
  readonly contentType: string;
  /** A frame as it is written, with what ends it. */
  write(frame: Frame, lineEnd: string): string;
  /** What clients skip, written before a frame. */
  readonly comment: string;
  /** A frame that is no JSON. */
  malformed(data: string | undefined): Frame;
  /** An error amid the frames, after so many others. */
  error(error: JsonObject | undefined, after: number): Frame;
  /** The frames with others among them that say nothing, or that nobody knows. */
  bare(frames: readonly Frame[], request: WireRequest): readonly Frame[];
}

/**
 * A frame as a server-sent event.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function writeEvent({ event, data }: Frame, lineEnd: string): string {
  const name = event === undefined ? "" : `event: ${event}${lineEnd}`;
  return `${name}data: ${data}${lineEnd}${lineEnd}`;
}

/** The frames with one put in before the first of a kind, or at the end where there is none. */
export function putBefore(
  frames: readonly Frame[],
  kinds: readonly Frame["kind"][],
  extra: readonly Frame[],
): readonly Frame[] {
  const found = frames.findIndex(({ kind }) => kinds.includes(kind));
  return frames.toSpliced(found === -1 ? frames.length : found, 0, ...extra);
}
