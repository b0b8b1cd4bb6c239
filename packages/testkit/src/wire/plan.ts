import { cut } from "../split.js";
import type { ByteSplit, WireAnswer } from "./entry.js";
import { faultOf, type WireFault } from "./fault.js";
import { type Asked, answerFrames, type Frame, finishReasonOf, wholeBody } from "./frames.js";

/** One thing to do on the connection, once headers are sent. */
export type Action =
  | { readonly type: "send"; readonly bytes: Uint8Array }
  | { readonly type: "wait"; readonly until: PromiseLike<unknown> | undefined }
  | { readonly type: "cut" }
  | { readonly type: "end" };

/** What is written, or waited for, before it is cut into chunks. */
type Piece = { readonly text: string } | { readonly until: PromiseLike<unknown> | undefined };

/** What to do for a streamed answer, in order. */
export function planStream(answer: WireAnswer, asked: Asked): readonly Action[] {
  const { faults = [], lineEnd = "\n" } = answer;
  const frames = withFrameFaults(answerFrames(answer, asked), faults, asked);
  const comment = faultOf(faults, "comments") === undefined ? "" : `: still working${lineEnd}${lineEnd}`;
  const texts = frames.map(({ data }) => `${comment}data: ${data}${lineEnd}${lineEnd}`);
  return toActions(texts, answer);
}

/** What to do for an answer that is not streamed. */
export function planWhole(answer: WireAnswer, asked: Asked): readonly Action[] {
  const text = wholeText(answer, asked);
  const middle = Math.ceil(text.length / 2);
  return toActions([text.slice(0, middle), text.slice(middle)], {
    ...answer,
    faults: (answer.faults ?? []).map(toMiddle),
  });
}

function wholeText(answer: WireAnswer, asked: Asked): string {
  const { faults = [], whole } = answer;
  const error = faultOf(faults, "error_frame");
  if (error !== undefined) return JSON.stringify({ error: error.error });
  const malformed = faultOf(faults, "malformed_frame");
  if (malformed !== undefined) return malformed.data ?? MALFORMED;
  if (whole !== undefined) return typeof whole === "string" ? whole : JSON.stringify(whole);
  const finishReason = faultOf(faults, "no_finish") === undefined ? finishReasonOf(answer) : null;
  return JSON.stringify(wholeBody(answer, asked, finishReason));
}

/** A body has two halves where a stream has frames. */
function toMiddle(fault: WireFault): WireFault {
  if (fault.type === "stall") return { ...fault, afterFrames: Math.min(fault.afterFrames, 1) };
  if (fault.type !== "cut" || fault.afterFrames === undefined) return fault;
  return { ...fault, afterFrames: Math.min(fault.afterFrames, 1) };
}

const MALFORMED = '{"id":"chatcmpl-1","choices":[{"index":0,"del';

function withFrameFaults(answered: readonly Frame[], faults: readonly WireFault[], asked: Asked): readonly Frame[] {
  let frames = answered;
  const unfinished = faultOf(faults, "no_finish");
  if (unfinished !== undefined) {
    frames = frames.filter(({ kind }) => kind !== "finish" && kind !== "usage" && (kind !== "done" || unfinished.done));
  }
  if (faultOf(faults, "no_done") !== undefined) frames = frames.filter(({ kind }) => kind !== "done");
  if (faultOf(faults, "bare_frames") !== undefined) frames = withBareFrames(frames, asked);
  const malformed = faultOf(faults, "malformed_frame");
  if (malformed !== undefined) {
    frames = frames.toSpliced(malformed.afterFrames ?? 0, 0, { kind: "raw", data: malformed.data ?? MALFORMED });
  }
  const error = faultOf(faults, "error_frame");
  if (error === undefined) return frames;
  return [...frames.slice(0, error.afterFrames ?? 0), { kind: "raw", data: JSON.stringify({ error: error.error }) }];
}

/**
 * Notes of a content filter, as a hosted variant sends them.
 * @see https://learn.microsoft.com/azure/ai-services/openai/concepts/content-streaming
 */
function withBareFrames(frames: readonly Frame[], { body, number }: Asked): readonly Frame[] {
  const note = (fields: object): Frame => ({
    kind: "raw",
    data: JSON.stringify({
      id: `chatcmpl-${number}`,
      object: "chat.completion.chunk",
      model: body.model ?? "",
      ...fields,
    }),
  });
  const filtered = { hate: { filtered: false, severity: "safe" } };
  const before = note({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: filtered }] });
  const between = note({ choices: [{ index: 0, finish_reason: null, content_filter_results: filtered }] });
  const after = note({ content_filter_results: filtered });
  const finish = frames.findIndex(({ kind }) => kind === "finish" || kind === "done");
  const end = finish === -1 ? frames.length : finish;
  return [before, ...frames.slice(0, 1), between, ...frames.slice(1, end), after, ...frames.slice(end), after];
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
