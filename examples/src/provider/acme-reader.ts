import {
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelDelta,
  type ModelWarning,
  TinyAgentsError,
  type Usage,
} from "@tinyagents/core";

/** The frames of an answer: the `data:` lines of a stream, or the list in a whole body. */
export async function* framesOf(response: Response): AsyncGenerator<JsonObject> {
  if (response.headers.get("content-type") === "application/json") {
    const whole: unknown = await response.json();
    if (isJsonObject(whole) && Array.isArray(whole.frames)) yield* whole.frames.filter(isJsonObject);
    return;
  }
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield frameOf(line.slice("data: ".length));
  }
}

function frameOf(line: string): JsonObject {
  try {
    const frame: unknown = JSON.parse(line);
    if (isJsonObject(frame)) return frame;
  } catch {}
  throw new TinyAgentsError("provider_server", "Acme sent a frame that is no object.", {
    details: { provider: "acme" },
  });
}

const REASONS: { readonly [reason: string]: FinishReason } = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
  refusal: "refusal",
};

/** Acme's frames as deltas. Texts are block 0, refusals block 1, calls those after. */
export class AcmeReader {
  /** The visible text so far. */
  text = "";
  finished = false;
  #call = 1;
  #open = false;
  readonly #warnings: readonly ModelWarning[];

  constructor(warnings: readonly ModelWarning[]) {
    this.#warnings = warnings;
  }

  /** Frames of unknown types are passed over: an API grows. */
  read({ type, text, ...frame }: JsonObject): readonly ModelDelta[] {
    switch (type) {
      case "text":
        this.text += said(text);
        return [{ type, index: 0, text: said(text) }];
      case "refusal":
        return [{ type, index: 1, text: said(text) }];
      case "call":
        return [...this.#endCall(), this.#startCall(frame)];
      case "args":
        return this.#open ? [{ type: "tool_call_args", index: this.#call, args: said(text) }] : [];
      case "usage":
        return [{ type, usage: usageOf(frame) }];
      case "end":
        return [...this.#endCall(), ...this.#end(frame)];
      default:
        return [];
    }
  }

  #startCall({ id, name }: JsonObject): ModelDelta {
    this.#open = true;
    this.#call += 1;
    return { type: "tool_call_start", index: this.#call, id: said(id), name: said(name) };
  }

  #endCall(): readonly ModelDelta[] {
    if (!this.#open) return [];
    this.#open = false;
    return [{ type: "tool_call_end", index: this.#call }];
  }

  /** What Acme says besides its reason is kept for whoever wants it. */
  *#end({ reason, ...more }: JsonObject): Generator<ModelDelta> {
    this.finished = true;
    if (Object.keys(more).length > 0) yield { type: "provider", providerMetadata: { acme: more } };
    const rawFinishReason = said(reason);
    const finishReason = REASONS[rawFinishReason] ?? "other";
    yield { type: "finish", finishReason, rawFinishReason, warnings: this.#warnings };
  }
}

function said(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A number that is missing is unknown, not zero. */
function usageOf({ input, output, cached, thought }: JsonObject): Usage {
  return {
    source: "reported",
    ...(typeof input === "number" ? { inputTokens: input } : {}),
    ...(typeof output === "number" ? { outputTokens: output } : {}),
    ...(typeof cached === "number" ? { cachedInputTokens: cached } : {}),
    ...(typeof thought === "number" ? { reasoningTokens: thought } : {}),
  };
}
