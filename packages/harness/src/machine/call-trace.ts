import type { JsonValue, ToolCallBlock } from "@tinyagents/core";

/** No arguments are nested deeper; what is all the same is taken for equal below. */
const DEEPEST = 256;

/**
 * A number below 2^53 for the calls of an answer: the same for the same names and arguments, whatever the order of their
 * keys. Each batch has one made, so it is made without putting a text together.
 */
export function traceOfCalls(blocks: readonly ToolCallBlock[]): number {
  const trace = new Trace();
  for (let i = 0; i < blocks.length; i++) {
    const { name, args, invalid } = blocks[i] as ToolCallBlock;
    trace.addText(name);
    if (invalid === undefined) trace.addValue(args, 0);
    else trace.addText(invalid.raw);
  }
  return trace.number;
}

/** A hash that takes one piece after the other (cyrb53). @see https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js */
class Trace {
  #high = 0xdeadbeef;
  #low = 0x41c6ce57;

  addValue(value: JsonValue | undefined, depth: number): void {
    if (typeof value === "string") this.addText(value);
    else if (typeof value === "number") this.#addNumber(value);
    else if (typeof value !== "object" || value === null) this.addText(String(value));
    else if (depth >= DEEPEST) this.#mix(DEEPEST);
    else if (Array.isArray(value)) this.#addItems(value, depth + 1);
    else this.#addEntries(value as { readonly [key: string]: JsonValue | undefined }, depth + 1);
  }

  /** With its length, so that two texts are not taken for one that is cut elsewhere. */
  addText(text: string): void {
    this.#mix(text.length);
    let high = this.#high;
    let low = this.#low;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      high = Math.imul(high ^ unit, 2_654_435_761);
      low = Math.imul(low ^ unit, 1_597_334_677);
    }
    this.#high = high;
    this.#low = low;
  }

  get number(): number {
    let high = this.#high;
    let low = this.#low;
    high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    return (high & 0x1fffff) * 0x100000000 + (low >>> 0);
  }

  #addNumber(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < 0x7fffffff) {
      this.#mix(NUMBER);
      this.#mix(value);
    } else this.addText(String(value));
  }

  #addItems(items: readonly JsonValue[], depth: number): void {
    this.#mix(LIST);
    this.#mix(items.length);
    for (const item of items) this.addValue(item, depth);
  }

  #addEntries(entries: { readonly [key: string]: JsonValue | undefined }, depth: number): void {
    const keys = Object.keys(entries);
    if (keys.length > 1) keys.sort();
    this.#mix(OBJECT);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      if (entries[key] === undefined) continue;
      this.addText(key);
      this.addValue(entries[key], depth);
    }
    this.#mix(OBJECT);
  }

  #mix(unit: number): void {
    this.#high = Math.imul(this.#high ^ unit, 2_654_435_761);
    this.#low = Math.imul(this.#low ^ unit, 1_597_334_677);
  }
}

/** What comes next, where a text's length does not say so: no text is that long. */
const NUMBER = 0x7fffffff;
const LIST = 0x7ffffffe;
const OBJECT = 0x7ffffffd;
