import type { CheckedStreamsQuery, JsonValue } from "@tinyagents/core";
import { firstWhere, InOrder } from "./in-order.js";

export interface Stream {
  /** Offset of the first value that is kept. */
  start: number;
  readonly values: JsonValue[];
  /** What was appended under each idempotency key, as long as the stream lives. */
  readonly byKey: Map<string, { readonly offset: number; readonly values: readonly JsonValue[] }>;
}

/** The place of a name. It stays for a while after its stream is gone, and is swept later. */
interface Slot {
  readonly name: string;
  stream: Stream | undefined;
}

/** Streams by name and in the order of their names: a page of names costs what is in it. */
export class Streams {
  readonly #byName = new Map<string, Slot>();
  readonly #ordered = new InOrder<Slot>((one, other) => (one.name < other.name ? -1 : 1));
  #gone = 0;

  get(name: string): Stream | undefined {
    return this.#byName.get(name)?.stream;
  }

  /** Adds a stream under a name that has none. */
  add(name: string, stream: Stream): void {
    const slot = this.#byName.get(name);
    if (slot !== undefined) {
      slot.stream = stream;
      this.#gone--;
      return;
    }
    const added = { name, stream };
    this.#byName.set(name, added);
    this.#ordered.add(added);
  }

  /** Whether there was one. */
  delete(name: string): boolean {
    const slot = this.#byName.get(name);
    if (slot?.stream === undefined) return false;
    slot.stream = undefined;
    if (++this.#gone * 2 > this.#ordered.size) this.#sweep();
    return true;
  }

  /** In code unit order. */
  names({ prefix, after = "", limit }: CheckedStreamsQuery): readonly string[] {
    const all = this.#ordered.all();
    const names: string[] = [];
    for (let at = firstWhere(all, ({ name }) => name >= prefix && name > after); names.length < limit; at++) {
      const slot = all[at];
      if (slot === undefined || !slot.name.startsWith(prefix)) break;
      if (slot.stream !== undefined) names.push(slot.name);
    }
    return names;
  }

  #sweep(): void {
    this.#ordered.keepOnly(({ stream }) => stream !== undefined);
    for (const [name, { stream }] of this.#byName) if (stream === undefined) this.#byName.delete(name);
    this.#gone = 0;
  }
}
