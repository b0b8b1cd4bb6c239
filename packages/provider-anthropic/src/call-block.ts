import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelDelta,
  textOf,
  UnknownFields,
} from "@tinyagents/core";
import type { BlockContext, OpenBlock } from "./open-block.js";

const CALL_FIELDS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

/** A call of one of our tools. */
export class OpenCall implements OpenBlock {
  readonly type = "tool_use";
  readonly #context: BlockContext;
  readonly #extras = new UnknownFields(CALL_FIELDS);
  readonly #index: number;
  readonly #start: JsonObject;
  #hasArgs = false;

  constructor(start: JsonObject, context: BlockContext, out: ModelDelta[]) {
    this.#context = context;
    this.#start = start;
    this.#index = context.nextIndex();
    this.#extras.take(start);
    const id = textOf(start.id) || context.newCallId();
    out.push({ type: "tool_call_start", index: this.#index, id, name: textOf(start.name) });
  }

  read(delta: JsonObject, out: ModelDelta[]): boolean {
    if (delta.type !== "input_json_delta") return false;
    this.#grow(textOf(delta.partial_json), out);
    return true;
  }

  /** A call that came whole has its arguments in the first frame. Some servers send that in streams, too. */
  close(out: ModelDelta[]): void {
    if (!this.#hasArgs) this.#grow(inputText(this.#start.input), out);
    out.push({ type: "tool_call_end", index: this.#index });
    const own = this.#extras.fields(this.#context.warnings);
    if (own === undefined) return;
    out.push({ type: "provider", index: this.#index, providerMetadata: { [this.#context.provider]: own } });
  }

  #grow(args: string, out: ModelDelta[]): void {
    if (args === "") return;
    this.#hasArgs = true;
    out.push({ type: "tool_call_args", index: this.#index, args });
  }
}

/** The JSON text of an input. Nothing for an empty one; broken input comes as text. */
function inputText(input: JsonValue | undefined): string {
  if (typeof input === "string") return input;
  if (isJsonObject(input)) return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
  return input === undefined || input === null ? "" : JSON.stringify(input);
}
