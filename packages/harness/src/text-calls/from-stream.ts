import type { Block, FinishDelta, ModelDelta, ModelWarning, TextBlock } from "@tinyagents/core";
import { argsText, type TextTool, type TextTools } from "./text-tools.js";

/**
 * The deltas of a stream in which calls were written as text, with tool calls in their places. Text that may be the
 * beginning of a mark is held back until that is known; a call comes whole when its end has come.
 */
export async function* withToolCalls(
  deltas: AsyncIterable<ModelDelta>,
  tools: TextTools,
  callId: string | undefined,
  warnings: readonly ModelWarning[],
): AsyncGenerator<ModelDelta> {
  let reading = new TextCalls(tools, callId);
  for await (const delta of deltas) {
    if (delta?.type === "restart") reading = new TextCalls(tools, callId);
    if (delta?.type !== "finish") yield* reading.add(delta);
    else {
      yield* reading.end();
      yield finishOf(delta, reading.found > 0, warnings);
    }
  }
  // A stream that was cut short keeps what had come.
  yield* reading.rest();
}

function finishOf(finish: FinishDelta, hasCalls: boolean, warnings: readonly ModelWarning[]): FinishDelta {
  const finishReason = hasCalls && finish.finishReason === "stop" ? "tool_calls" : finish.finishReason;
  if (warnings.length === 0) return { ...finish, finishReason };
  return { ...finish, finishReason, warnings: [...(finish.warnings ?? []), ...warnings] };
}

type Indexed = ModelDelta & { readonly index: number };

function hasIndex(delta: ModelDelta): delta is Indexed {
  return Number.isFinite((delta as { readonly index?: unknown } | null)?.index);
}

/** Finds calls in the text of one answer. */
class TextCalls {
  /** How many calls there were. */
  found = 0;
  readonly #tools: readonly TextTool[];
  readonly #idPrefix: string;
  /** The block of the text that is being read. */
  #index = 0;
  /** Text that was read and not passed on: what may begin a mark; in a call, all since its first mark. */
  #text = "";
  /** White space that begins a text: it is passed on with what follows it, and dropped when that is a call. */
  #space = "";
  /** The tool whose call is being read, and up to where its end was looked for. */
  #open: TextTool | undefined;
  #searched = 0;
  /** Blocks are counted anew: one of theirs may become several of ours. */
  readonly #indexes = new Map<number, number>();
  #nextIndex = 0;

  constructor(tools: TextTools, callId: string | undefined) {
    this.#tools = [...tools.values()];
    const name = callId?.slice(callId.lastIndexOf("/") + 1);
    this.#idPrefix = name === undefined ? "t" : `${name}_t`;
  }

  *add(delta: Exclude<ModelDelta, FinishDelta>): Generator<ModelDelta> {
    // It may be anything until the collector has looked at it: what is wrong is passed on as it is.
    if (!hasIndex(delta)) yield delta;
    else if (delta.type === "text" && typeof delta.text === "string") yield* this.#read(delta.index, delta.text);
    else if (delta.type === "block" && this.#hasMark(delta.block)) yield* this.#readBlock(delta.index, delta.block);
    else yield* this.#passOn(delta);
  }

  /** A call without its end is one that the model is told of: it meant to make it. */
  *end(): Generator<ModelDelta> {
    const tool = this.#open;
    if (tool === undefined) {
      yield* this.rest();
      return;
    }
    const reason = `The call does not end with ${tool.format.close}`;
    const invalid = { reason, raw: this.#text };
    const block: Block = { type: "tool_call", id: this.#nextId(), name: tool.name, args: {}, invalid };
    this.#text = "";
    this.#open = undefined;
    yield { type: "block", index: this.#nextIndex++, block };
  }

  /** The text that was held back, as text. */
  *rest(): Generator<ModelDelta> {
    const text = (this.#open?.format.open ?? "") + this.#text;
    this.#text = "";
    this.#open = undefined;
    yield* this.#say(text);
  }

  /** A delta of another block than text. What was held back stands before it, unless it is part of a call. */
  *#passOn(delta: Indexed): Generator<ModelDelta> {
    if (this.#open === undefined && !this.#indexes.has(delta.index)) yield* this.rest();
    yield { ...delta, index: this.#outer(delta.index) } as ModelDelta;
  }

  *#readBlock(index: number, { text, providerMetadata }: TextBlock): Generator<ModelDelta> {
    yield* this.#read(index, text);
    const outer = this.#indexes.get(index);
    if (providerMetadata !== undefined && outer !== undefined)
      yield { type: "provider", index: outer, providerMetadata };
  }

  *#read(index: number, text: string): Generator<ModelDelta> {
    if (index !== this.#index && this.#open === undefined) yield* this.rest();
    this.#index = index;
    this.#text += text;
    for (;;) {
      const goesOn = this.#open === undefined ? yield* this.#lookForCall() : yield* this.#lookForEnd(this.#open);
      if (!goesOn) return;
    }
  }

  *#lookForCall(): Generator<ModelDelta, boolean> {
    const text = this.#text;
    let at = text.length;
    for (const tool of this.#tools) {
      const place = text.indexOf(tool.format.open);
      if (place < 0 || place >= at) continue;
      at = place;
      this.#open = tool;
    }
    const tool = this.#open;
    const end = tool === undefined ? text.length - this.#heldBack(text) : at;
    this.#text = text.slice(tool === undefined ? end : at + tool.format.open.length);
    yield* this.#say(text.slice(0, end));
    this.#searched = 0;
    return tool !== undefined;
  }

  *#lookForEnd(tool: TextTool): Generator<ModelDelta, boolean> {
    const { close } = tool.format;
    const text = this.#text;
    const at = text.indexOf(close, this.#searched);
    this.#searched = Math.max(0, text.length - close.length + 1);
    if (at < 0) return false;
    this.#open = undefined;
    this.#text = text.slice(at + close.length);
    this.#space = "";
    const index = this.#nextIndex++;
    yield { type: "tool_call_start", index, id: this.#nextId(), name: tool.name };
    yield { type: "tool_call_args", index, args: argsText(tool, text.slice(0, at)) };
    yield { type: "tool_call_end", index };
    // What follows is another block, behind the call.
    this.#indexes.delete(this.#index);
    return true;
  }

  *#say(text: string): Generator<ModelDelta> {
    if (text === "") return;
    if (!this.#indexes.has(this.#index) && text.trim() === "") {
      this.#space += text;
      return;
    }
    const space = this.#space;
    this.#space = "";
    yield { type: "text", index: this.#outer(this.#index), text: space + text };
  }

  /** How many characters at the end may begin a mark. */
  #heldBack(text: string): number {
    let held = 0;
    for (const { format } of this.#tools) {
      for (let length = Math.min(format.open.length - 1, text.length); length > held; length--) {
        if (text.endsWith(format.open.slice(0, length))) held = length;
      }
    }
    return held;
  }

  #hasMark(block: Block): block is TextBlock {
    if (block?.type !== "text" || typeof block.text !== "string") return false;
    const { text } = block;
    return this.#open !== undefined || this.#tools.some(({ format }) => text.includes(format.open));
  }

  #outer(index: number): number {
    const known = this.#indexes.get(index);
    if (known !== undefined) return known;
    const next = this.#nextIndex++;
    this.#indexes.set(index, next);
    return next;
  }

  #nextId(): string {
    this.found++;
    return `${this.#idPrefix}${this.found}`;
  }
}
