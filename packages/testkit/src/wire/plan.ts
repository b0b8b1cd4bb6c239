import { cut } from "../split.js";
import type { ScriptedEndpoint } from "./dialect.js";
import type { ByteSplit, WireAnswer } from "./entry.js";
import { faultOf, type WireFault } from "./fault.js";
import type { Frame } from "./frame.js";
import type { WireRequest } from "./request.js";

/** One thing to do on the connection, once headers are sent. */
export type Action =
  | { readonly type: "send"; readonly bytes: Uint8Array }
  | { readonly type: "wait"; readonly until: PromiseLike<unknown> | undefined }
  | { readonly type: "cut" }
  | { readonly type: "end" };

/** What is written, or waited for, before it is cut into chunks. */
type Piece = { readonly text: string } | { readonly until: PromiseLike<unknown> | undefined };

/** What to do for a streamed answer, in order. */
export function planStream(answer: WireAnswer, request: WireRequest, endpoint: ScriptedEndpoint): readonly Action[] {
  const { framing } = endpoint;
  const { faults = [], lineEnd = "\n" } = answer;
  const answered = answer.frames?.map(rawFrame) ?? endpoint.frames(answer, request);
  const frames = withFrameFaults(answered, faults, request, endpoint);
  const comment = faultOf(faults, "comments") === undefined ? "" : `${framing.comment}${lineEnd}${lineEnd}`;
  const texts = frames.map((frame) => `${comment}${framing.write(frame, lineEnd)}`);
  return toActions(texts, answer);
}

/** What to do for an answer that is not streamed. */
export function planWhole(answer: WireAnswer, request: WireRequest, endpoint: ScriptedEndpoint): readonly Action[] {
  const text = wholeText(answer, request, endpoint);
  const middle = Math.ceil(text.length / 2);
  return toActions([text.slice(0, middle), text.slice(middle)], {
    ...answer,
    faults: (answer.faults ?? []).map(toMiddle),
  });
}

function wholeText(answer: WireAnswer, request: WireRequest, { framing, whole }: ScriptedEndpoint): string {
  const { faults = [], whole: given } = answer;
  const error = faultOf(faults, "error_frame");
  if (error !== undefined) return framing.error(error.error, 0).data;
  const malformed = faultOf(faults, "malformed_frame");
  if (malformed !== undefined) return framing.malformed(malformed.data).data;
  if (given !== undefined) return typeof given === "string" ? given : JSON.stringify(given);
  return JSON.stringify(whole(answer, request, faultOf(faults, "no_finish") === undefined));
}

/** A body has two halves where a stream has frames. */
function toMiddle(fault: WireFault): WireFault {
  if (fault.type === "stall") return { ...fault, afterFrames: Math.min(fault.afterFrames, 1) };
  if (fault.type !== "cut" || fault.afterFrames === undefined) return fault;
  return { ...fault, afterFrames: Math.min(fault.afterFrames, 1) };
}

/** A frame in the entry's own words. One that says its type is an event of that name where events have names. */
function rawFrame(frame: NonNullable<WireAnswer["frames"]>[number]): Frame {
  if (typeof frame === "string") return { kind: "raw", data: frame };
  const named = typeof frame.type === "string" ? { event: frame.type } : {};
  return { kind: "raw", ...named, data: JSON.stringify(frame) };
}

function withFrameFaults(
  answered: readonly Frame[],
  faults: readonly WireFault[],
  request: WireRequest,
  { framing }: ScriptedEndpoint,
): readonly Frame[] {
  let frames = answered;
  const unfinished = faultOf(faults, "no_finish");
  if (unfinished !== undefined) {
    frames = frames.filter(({ kind }) => kind !== "finish" && kind !== "usage" && (kind !== "done" || unfinished.done));
  }
  if (faultOf(faults, "no_done") !== undefined) frames = frames.filter(({ kind }) => kind !== "done");
  if (faultOf(faults, "bare_frames") !== undefined) frames = framing.bare(frames, request);
  const malformed = faultOf(faults, "malformed_frame");
  if (malformed !== undefined) {
    frames = frames.toSpliced(malformed.afterFrames ?? 0, 0, framing.malformed(malformed.data));
  }
  const error = faultOf(faults, "error_frame");
  if (error === undefined) return frames;
  const before = frames.slice(0, error.afterFrames ?? 0);
  return [...before, framing.error(error.error, before.length)];
}

function toActions(texts: readonly string[], { faults = [], chunks }: WireAnswer): readonly Action[] {
  const cutFault = faultOf(faults, "cut");
  const stall = faultOf(faults, "stall");
  const pieces: Piece[] = texts.slice(0, cutFault?.afterFrames ?? texts.length).map((text) => ({ text }));
  if (stall !== undefined) pieces.splice(stall.afterFrames, 0, { until: stall.until });
  const actions = limitBytes(toChunks(pieces, chunks), cutFault?.afterBytes ?? Number.POSITIVE_INFINITY);
  return [...actions, { type: cutFault === undefined ? "end" : "cut" }];
}

/** Without a split each piece is a chunk; with one, chunks run across pieces, and a wait ends the chunk before it. */
function toChunks(pieces: readonly Piece[], split: ByteSplit | undefined): readonly Action[] {
  const encoder = new TextEncoder();
  const send = (bytes: Uint8Array): Action => ({ type: "send", bytes });
  const actions: Action[] = [];
  let pending = "";
  const flush = (): void => {
    const bytes = encoder.encode(pending);
    pending = "";
    if (bytes.length === 0) return;
    if (split === undefined) actions.push(send(bytes));
    else
      actions.push(
        ...cut([...bytes], split === "bytes" ? "characters" : split).map((group) => send(Uint8Array.from(group))),
      );
  };
  for (const piece of pieces) {
    if ("until" in piece) {
      flush();
      actions.push({ type: "wait", until: piece.until });
    } else {
      pending += piece.text;
      if (split === undefined) flush();
    }
  }
  flush();
  return actions;
}

function limitBytes(actions: readonly Action[], limit: number): readonly Action[] {
  const kept: Action[] = [];
  let left = limit;
  for (const action of actions) {
    if (left <= 0) break;
    if (action.type !== "send") {
      kept.push(action);
      continue;
    }
    const bytes = action.bytes.subarray(0, left);
    left -= bytes.length;
    kept.push({ type: "send", bytes });
  }
  return kept;
}
