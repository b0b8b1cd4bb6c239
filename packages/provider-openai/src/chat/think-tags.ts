/** A piece of what a model said: of its thoughts, or of its answer. */
export interface Said {
  readonly kind: "reasoning" | "text";
  readonly text: string;
}

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Parts thoughts from the answer, where a server leaves them in one text: `<think>…</think>` at its very beginning. White
 * space around either is dropped. The pieces add up to the same wherever the text is cut.
 */
export class ThinkTags {
  #state: "beginning" | "thinking" | "answering" = "beginning";
  /** What may still turn out to be a tag, or space before one. */
  #held = "";
  /** Whether nothing but space has come since the last tag. */
  #fresh = false;

  read(text: string): readonly Said[] {
    const out: Said[] = [];
    this.#held += text;
    if (this.#state === "beginning") this.#begin();
    if (this.#state === "thinking") this.#think(out);
    if (this.#state === "answering") this.#answer(out);
    return out;
  }

  /** What was held back when the last piece had come. */
  end(): readonly Said[] {
    const text = this.#held;
    this.#held = "";
    if (text === "") return [];
    return [{ kind: this.#state === "thinking" ? "reasoning" : "text", text }];
  }

  #begin(): void {
    const said = this.#held.trimStart();
    if (said.length < OPEN.length && OPEN.startsWith(said)) return;
    if (said.startsWith(OPEN)) this.#enter("thinking", said.slice(OPEN.length));
    else this.#state = "answering";
  }

  #think(out: Said[]): void {
    const close = this.#held.indexOf(CLOSE);
    if (close !== -1) {
      this.#tell("reasoning", this.#held.slice(0, close).trimEnd(), out);
      this.#enter("answering", this.#held.slice(close + CLOSE.length));
      return;
    }
    const end = endOfSure(this.#held);
    this.#tell("reasoning", this.#held.slice(0, end), out);
    this.#held = this.#held.slice(end);
  }

  #answer(out: Said[]): void {
    this.#tell("text", this.#held, out);
    this.#held = "";
  }

  #enter(state: "thinking" | "answering", rest: string): void {
    this.#state = state;
    this.#held = rest;
    this.#fresh = true;
  }

  #tell(kind: Said["kind"], text: string, out: Said[]): void {
    const told = this.#fresh ? text.trimStart() : text;
    if (told === "") return;
    this.#fresh = false;
    out.push({ kind, text: told });
  }
}

/** Up to where a thought is sure to go on: not into the space before a closing tag, nor into the tag. */
function endOfSure(text: string): number {
  let end = text.length;
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (!CLOSE.startsWith(text.slice(-length))) continue;
    end = text.length - length;
    break;
  }
  return text.slice(0, end).trimEnd().length;
}
