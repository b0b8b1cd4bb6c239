import {
  hashText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelDelta,
  type ModelWarning,
  parseJson,
} from "@tinyagents/core";
import { Extras, isSafe, textOf } from "./extras.js";

/** What blocks of one answer share. */
export interface BlockContext {
  readonly provider: string;
  readonly warnings: ModelWarning[];
  /** The index of a new block. */
  nextIndex(): number;
  /** An id for a call that came without one. */
  newCallId(): string;
}

/** A content block that is being streamed, or that came whole. */
export interface OpenBlock {
  /** The type on the wire. */
  readonly type: string;
  /** Reads one more fragment. Says whether it belongs to a block of this kind. */
  read(delta: JsonObject, out: ModelDelta[]): boolean;
  close(out: ModelDelta[]): void;
}

/** Begins a block with what its first frame says of it. */
export function openBlock(start: JsonObject, context: BlockContext, out: ModelDelta[]): OpenBlock {
  switch (start.type) {
    case "text":
      return new OpenText(start, context, out);
    case "thinking":
      return new OpenThinking(start, context, out);
    case "redacted_thinking":
      return new OpenRedacted(start, context);
    case "tool_use":
      return new OpenCall(start, context, out);
    default:
      return new OpenProviderBlock(start, context);
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "citations"]);

/** Visible text. Where its words come from follows it, as blocks of their own. */
class OpenText implements OpenBlock {
  readonly type = "text";
  readonly #context: BlockContext;
  readonly #extras = new Extras(TEXT_FIELDS);
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
    const own = this.#index === undefined ? undefined : this.#extras.safeFields(warnings);
    if (own !== undefined && this.#index !== undefined) {
      out.push({ type: "provider", index: this.#index, providerMetadata: { [provider]: own } });
    }
    for (const source of this.#citations) {
      if (!isSafe(source, warnings)) continue;
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

const THINKING_FIELDS: ReadonlySet<string> = new Set(["type", "thinking", "signature"]);

/** What the model thought. The server takes it back only with its signature, and only as it was: hence the hash. */
class OpenThinking implements OpenBlock {
  readonly type = "thinking";
  readonly #context: BlockContext;
  readonly #extras = new Extras(THINKING_FIELDS);
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
    const own = this.#extras.safeFields(warnings);
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
class OpenRedacted implements OpenBlock {
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

const CALL_FIELDS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

/** A call of one of our tools. */
class OpenCall implements OpenBlock {
  readonly type = "tool_use";
  readonly #context: BlockContext;
  readonly #extras = new Extras(CALL_FIELDS);
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
    const own = this.#extras.safeFields(this.#context.warnings);
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

/** A block that only its provider understands: calls of its own tools, their results, and whatever comes to be. */
class OpenProviderBlock implements OpenBlock {
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
    if (isSafe(value, warnings)) {
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
