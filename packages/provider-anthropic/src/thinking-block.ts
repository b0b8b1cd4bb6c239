import { hashText, type JsonObject, type ModelDelta, textOf, UnknownFields } from "@tinyagents/core";
import type { BlockContext, OpenBlock } from "./open-block.js";

const THINKING_FIELDS: ReadonlySet<string> = new Set(["type", "thinking", "signature"]);

/** What the model thought. The server takes it back only with its signature, and only as it was: hence the hash. */
export class OpenThinking implements OpenBlock {
  readonly type = "thinking";
  readonly #context: BlockContext;
  readonly #extras = new UnknownFields(THINKING_FIELDS);
  #index: number | undefined;
  #text = "";
  #signature: string;

  constructor(start: JsonObject, context: BlockContext, out: ModelDelta[]) {
    this.#context = context;
    this.#extras.take(start);
    this.#signature = textOf(start.signature);
    this.#grow(textOf(start.thinking), out);
  }

  read(delta: JsonObject, out: ModelDelta[]): boolean {
    if (delta.type === "thinking_delta") this.#grow(textOf(delta.thinking), out);
    else if (delta.type === "signature_delta") this.#signature += textOf(delta.signature);
    else return false;
    return true;
  }

  close(out: ModelDelta[]): void {
    const { provider, warnings, nextIndex } = this.#context;
    const own = this.#extras.fields(warnings);
    if (this.#signature === "" && own === undefined) return;
    const signed = this.#signature === "" ? {} : { signature: this.#signature, textHash: hashText(this.#text) };
    this.#index ??= nextIndex();
    out.push({ type: "provider", index: this.#index, providerMetadata: { [provider]: { ...own, ...signed } } });
  }

  #grow(text: string, out: ModelDelta[]): void {
    if (text === "") return;
    this.#text += text;
    this.#index ??= this.#context.nextIndex();
    out.push({ type: "reasoning", index: this.#index, text });
  }
}

/** Thoughts that the provider withheld: only it can read them. */
export class OpenRedacted implements OpenBlock {
  readonly type = "redacted_thinking";
  readonly #context: BlockContext;
  readonly #start: JsonObject;

  constructor(start: JsonObject, context: BlockContext) {
    this.#context = context;
    this.#start = start;
  }

  read(): boolean {
    return false;
  }

  close(out: ModelDelta[]): void {
    const { provider, nextIndex } = this.#context;
    const providerMetadata = { [provider]: { redactedData: textOf(this.#start.data) } };
    out.push({
      type: "block",
      index: nextIndex(),
      block: { type: "reasoning", text: "", redacted: true, providerMetadata },
    });
  }
}
