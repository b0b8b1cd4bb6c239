import { type JsonObject, type JsonValue, type ModelDelta, mayKeep, parseJson, textOf } from "@tinyagents/core";
import type { BlockContext, OpenBlock } from "./open-block.js";

/** A block that only its provider understands: calls of its own tools, their results, and whatever comes to be. */
export class OpenProviderBlock implements OpenBlock {
  readonly type: string;
  readonly #context: BlockContext;
  readonly #fields: Map<string, JsonValue>;
  #input = "";

  constructor(start: JsonObject, context: BlockContext) {
    this.type = textOf(start.type);
    this.#context = context;
    this.#fields = new Map(Object.entries(start));
  }

  /** Fields of fragments that nobody knows grow the fields of the same name: texts are joined. */
  read(delta: JsonObject): boolean {
    if (delta.type === "input_json_delta") {
      this.#input += textOf(delta.partial_json);
      return true;
    }
    for (const [name, value] of Object.entries(delta)) {
      if (name === "type" || value === null) continue;
      const before = this.#fields.get(name);
      this.#fields.set(name, typeof before === "string" && typeof value === "string" ? before + value : value);
    }
    return true;
  }

  close(out: ModelDelta[]): void {
    const { provider, warnings, nextIndex } = this.#context;
    if (this.#input !== "") this.#fields.set("input", this.#parsedInput());
    const value = Object.fromEntries(this.#fields);
    if (mayKeep(value, warnings)) {
      out.push({ type: "block", index: nextIndex(), block: { type: "provider", provider, value } });
    }
  }

  #parsedInput(): JsonValue {
    try {
      return parseJson(this.#input, { place: "the input of a provider's tool" });
    } catch {
      const message = `The input of ${this.type} is no JSON; it is kept as text.`;
      this.#context.warnings.push({ code: "malformed_data", message });
      return this.#input;
    }
  }
}
