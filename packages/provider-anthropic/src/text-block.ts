import { isJsonObject, type JsonObject, type ModelDelta, mayKeep, textOf, UnknownFields } from "@tinyagents/core";
import type { BlockContext, OpenBlock } from "./open-block.js";

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "citations"]);

/** Visible text. Where its words come from follows it, as blocks of their own. */
export class OpenText implements OpenBlock {
  readonly type = "text";
  readonly #context: BlockContext;
  readonly #extras = new UnknownFields(TEXT_FIELDS);
  readonly #citations: JsonObject[] = [];
  #index: number | undefined;

  constructor(start: JsonObject, context: BlockContext, out: ModelDelta[]) {
    this.#context = context;
    this.#extras.take(start);
    if (Array.isArray(start.citations)) this.#citations.push(...start.citations.filter(isJsonObject));
    this.#grow(textOf(start.text), out);
  }

  read(delta: JsonObject, out: ModelDelta[]): boolean {
    if (delta.type === "text_delta") this.#grow(textOf(delta.text), out);
    else if (delta.type === "citations_delta" && isJsonObject(delta.citation)) this.#citations.push(delta.citation);
    else return false;
    return true;
  }

  close(out: ModelDelta[]): void {
    const { provider, warnings, nextIndex } = this.#context;
    const own = this.#index === undefined ? undefined : this.#extras.fields(warnings);
    if (own !== undefined && this.#index !== undefined) {
      out.push({ type: "provider", index: this.#index, providerMetadata: { [provider]: own } });
    }
    for (const source of this.#citations) {
      if (!mayKeep(source, warnings)) continue;
      const cited = textOf(source.cited_text);
      const providerMetadata = { [provider]: { of: "text" } };
      const block = { type: "citation", source, ...(cited === "" ? {} : { text: cited }), providerMetadata } as const;
      out.push({ type: "block", index: nextIndex(), block });
    }
  }

  #grow(text: string, out: ModelDelta[]): void {
    if (text === "") return;
    this.#index ??= this.#context.nextIndex();
    out.push({ type: "text", index: this.#index, text });
  }
}
