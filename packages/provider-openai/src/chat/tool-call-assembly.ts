import { argsText, isJsonObject, type JsonObject, type ModelDelta, textOf, UnknownFields } from "@tinyagents/core";

/** A call that is being streamed. It is open until the stream ends: arguments that parse may still go on. */
interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly wireIndex: number | undefined;
  readonly extras: UnknownFields;
  name: string;
  /** Arguments that came before the name. */
  held: string;
}

/** Fields of a call on the wire that have a home; the rest is the server's own and goes back to it. */
export const CALL_FIELDS: ReadonlySet<string> = new Set(["index", "id", "type", "function"]);

/**
 * Puts fragments of tool calls together. Servers number them badly (all 0, gaps, no number at all), so an id says more
 * than an index, and a fragment with neither goes on with the last call.
 */
export class ToolCallAssembly {
  readonly calls: OpenCall[] = [];
  readonly #nextIndex: () => number;
  readonly #newId: (ordinal: number) => string;

  /** `nextIndex` gives the index of a new block, `newId` an id for a call that came without. */
  constructor(nextIndex: () => number, newId: (ordinal: number) => string) {
    this.#nextIndex = nextIndex;
    this.#newId = newId;
  }

  read(fragment: JsonObject, out: ModelDelta[]): void {
    const wireIndex = typeof fragment.index === "number" ? fragment.index : undefined;
    const id = textOf(fragment.id);
    const inner = isJsonObject(fragment.function) ? fragment.function : {};
    const name = textOf(inner.name);
    const args = argsText(inner.arguments);
    const call = this.#find(id, wireIndex, name) ?? this.#open(id, wireIndex);
    call.extras.grow(fragment);
    if (call.name === "" && name !== "") {
      call.name = name;
      out.push({ type: "tool_call_start", index: call.index, id: call.id, name });
      if (call.held !== "") out.push({ type: "tool_call_args", index: call.index, args: call.held });
    }
    if (args === "") return;
    if (call.name === "") call.held += args;
    else out.push({ type: "tool_call_args", index: call.index, args });
  }

  /** Ends all calls. One that never got a name is told with an empty one: no tool has it, and the model will be told. */
  end(out: ModelDelta[]): void {
    for (const { index, id, name, held } of this.calls) {
      if (name === "") {
        out.push({ type: "tool_call_start", index, id, name });
        if (held !== "") out.push({ type: "tool_call_args", index, args: held });
      }
      out.push({ type: "tool_call_end", index });
    }
  }

  #find(id: string, wireIndex: number | undefined, name: string): OpenCall | undefined {
    if (id !== "") {
      const known = this.calls.findLast((call) => call.id === id);
      const another = known !== undefined && name !== "" && wireIndex !== undefined && wireIndex !== known.wireIndex;
      if (known !== undefined) return another ? undefined : known;
      // Without a name nothing begins: some servers make up an id for each fragment.
      return name === "" ? this.#at(wireIndex) : undefined;
    }
    const open = this.#at(wireIndex);
    const begins =
      name !== "" && open !== undefined && open.name !== "" && (wireIndex === undefined || open.name !== name);
    return begins ? undefined : open;
  }

  #at(wireIndex: number | undefined): OpenCall | undefined {
    return wireIndex === undefined ? this.calls.at(-1) : this.calls.findLast((call) => call.wireIndex === wireIndex);
  }

  #open(id: string, wireIndex: number | undefined): OpenCall {
    const call: OpenCall = {
      index: this.#nextIndex(),
      id: id === "" ? this.#newId(this.calls.length) : id,
      wireIndex,
      extras: new UnknownFields(CALL_FIELDS),
      name: "",
      held: "",
    };
    this.calls.push(call);
    return call;
  }
}
