import { type JsonObject, textOf } from "@tinyagents/core";

/** An item that is being streamed, or was. */
export interface OpenItem {
  /** Where the server says that it stands in the answer. */
  readonly place: number;
  /** Block indexes of its parts, by the part's place. */
  readonly parts: Map<number, number>;
  /** Empty until the server says what it is. */
  type: string;
  callId: string;
  /** The block of a thought or a call. */
  index?: number;
  /** The part of a thought that was told last. */
  thought?: string;
  /** Arguments that came before the call's name. */
  held: string;
  /** Whether any arguments have come. */
  hasArgs: boolean;
  done: boolean;
}

/**
 * Which item an event speaks of. Some servers give several items one place, others give an item a new id in every event:
 * an id that is known says more than a place, one that is not says nothing.
 *
 * @see https://github.com/vercel/ai/pull/18548
 */
export class OpenItems {
  readonly #all: OpenItem[] = [];
  readonly #byId = new Map<string, OpenItem>();
  /** The newest of each place. */
  readonly #byPlace = new Map<number, OpenItem>();

  /** The item of a fragment. */
  of(event: JsonObject): OpenItem {
    return this.#byId.get(textOf(event.item_id)) ?? this.#byPlace.get(placeOf(event)) ?? this.#open(placeOf(event));
  }

  /** The item of an event that says that it begins. */
  begun(event: JsonObject, item: JsonObject): OpenItem {
    const here = this.#byPlace.get(placeOf(event));
    const known = this.#known(item) ?? (here?.type === "" || isCallOf(here, item) ? here : undefined);
    return this.#note(known ?? this.#open(placeOf(event)), item);
  }

  /** The item of an event that says that it is done. */
  ended(event: JsonObject, item: JsonObject): OpenItem {
    const here = this.#byPlace.get(placeOf(event));
    const fits = here !== undefined && mayBe(here, item) && (!here.done || isCallOf(here, item) || !hasId(item));
    return this.#note(this.#known(item) ?? (fits ? here : undefined) ?? this.#open(placeOf(event)), item);
  }

  /** The items of a whole answer, which repeats them in their order. */
  repeated(items: readonly JsonObject[]): readonly OpenItem[] {
    const told = this.#all.toSorted((one, other) => one.place - other.place);
    return items.map((item, at) => {
      const same = told[at];
      const fits = same !== undefined && mayBe(same, item);
      return this.#note(this.#known(item) ?? (fits ? same : undefined) ?? this.#open(at), item);
    });
  }

  #known(item: JsonObject): OpenItem | undefined {
    const known = this.#byId.get(textOf(item.id));
    return known !== undefined && mayBe(known, item) ? known : undefined;
  }

  #note(open: OpenItem, item: JsonObject): OpenItem {
    open.type = textOf(item.type);
    if (open.callId === "") open.callId = textOf(item.call_id);
    if (hasId(item)) this.#byId.set(textOf(item.id), open);
    return open;
  }

  #open(place: number): OpenItem {
    const open: OpenItem = { place, parts: new Map(), type: "", callId: "", held: "", hasArgs: false, done: false };
    this.#all.push(open);
    this.#byPlace.set(place, open);
    return open;
  }
}

function placeOf({ output_index: place }: JsonObject): number {
  return typeof place === "number" ? place : 0;
}

function hasId(item: JsonObject): boolean {
  return textOf(item.id) !== "";
}

function mayBe({ type }: OpenItem, item: JsonObject): boolean {
  return type === "" || type === textOf(item.type);
}

function isCallOf(open: OpenItem | undefined, item: JsonObject): boolean {
  return open !== undefined && open.callId !== "" && mayBe(open, item) && open.callId === item.call_id;
}
