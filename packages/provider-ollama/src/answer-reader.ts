import {
  argsText,
  countOf,
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type ModelDelta,
  type ModelWarning,
  objectsOf,
  saidFields,
  textOf,
  UnknownFields,
  unknownFields,
} from "@tinyagents/core";
import { PROVIDER } from "./profile.js";
import type { RefusedCall } from "./refused-call.js";
import { failureIn } from "./server-failure.js";
import type { PreparedRequest } from "./to-request.js";
import { toUsage } from "./to-usage.js";
import { findTruncation, truncationError, truncationWarning } from "./truncation.js";

/** Fields that have a home. The others, timings among them, are the provider's data. */
const LINE_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "message",
  "done",
  "done_reason",
  "prompt_eval_count",
  "eval_count",
]);
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "content", "thinking", "tool_calls"]);
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "type", "function"]);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["index", "name", "arguments"]);

/** How an answer is read. */
export interface ReaderOptions {
  readonly onTruncation: "error" | "warn";
  readonly secrets: readonly string[];
}

/**
 * Turns the lines of one answer into deltas. An answer that is not streamed is a single line, so both add up to the
 * same. Calls come whole, each an entry of its own: what they are numbered with is not read.
 */
export class AnswerReader {
  readonly #request: PreparedRequest;
  readonly #options: ReaderOptions;
  readonly #warnings: ModelWarning[];
  readonly #lineExtras = new UnknownFields(LINE_FIELDS);
  readonly #messageExtras = new UnknownFields(MESSAGE_FIELDS);
  readonly #channels: { text?: number; reasoning?: number } = {};
  #nextIndex = 0;
  #calls = 0;
  #model = "";
  #last: JsonObject | undefined;

  constructor(request: PreparedRequest, options: ReaderOptions) {
    this.#request = request;
    this.#options = options;
    this.#warnings = [...request.warnings];
  }

  /** Whether the last line has come. */
  get done(): boolean {
    return this.#last !== undefined;
  }

  /** @throws ServerFailure for a line that says that something went wrong. */
  read(line: JsonObject): readonly ModelDelta[] {
    const failure = failureIn(line, this.#options.secrets);
    if (failure !== undefined) throw failure;
    const out: ModelDelta[] = [];
    this.#lineExtras.grow(line);
    if (this.#model === "" && textOf(line.model) !== "") {
      this.#model = textOf(line.model);
      out.push({ type: "start", model: this.#model });
    }
    if (isJsonObject(line.message)) this.#readMessage(line.message, out);
    if (line.done === true) this.#last = line;
    return out;
  }

  /**
   * What is told when the last line has come. Nothing when it has not: the answer was cut short.
   * @throws `context_window_exceeded` when the prompt was cut.
   */
  end(): readonly ModelDelta[] {
    const last = this.#last;
    if (last === undefined) return [];
    const out: ModelDelta[] = [];
    const message = this.#messageExtras.fields(this.#warnings);
    if (message !== undefined) out.push({ type: "provider", providerMetadata: { [PROVIDER]: message } });
    const usage = toUsage(last);
    if (usage !== undefined) out.push({ type: "usage", usage });
    this.#judgePrompt(last);
    const providerData = this.#lineExtras.fields(this.#warnings);
    const raw = textOf(last.done_reason);
    out.push({
      type: "finish",
      finishReason: toFinishReason(raw, this.#calls > 0),
      ...saidFields({ rawFinishReason: raw, model: this.#model, warnings: this.#warnings, providerData }),
    });
    return out;
  }

  /** What is told when a call has come that the server could not read, and nothing comes after it. */
  endWith({ name, raw, reason }: RefusedCall): readonly ModelDelta[] {
    const out: ModelDelta[] = [];
    this.#readCall({ function: { name, arguments: raw } }, out);
    const message = `The server could not read the model's tool call: ${reason}`;
    const warnings: ModelWarning[] = [...this.#warnings, { code: "malformed_data", message }];
    return [...out, { type: "finish", finishReason: "tool_calls", ...saidFields({ model: this.#model }), warnings }];
  }

  #readMessage(message: JsonObject, out: ModelDelta[]): void {
    this.#messageExtras.grow(message);
    const thought = textOf(message.thinking);
    if (thought !== "") this.#readThought(thought, out);
    const text = textOf(message.content);
    if (text !== "") out.push({ type: "text", index: this.#channel("text"), text });
    for (const call of objectsOf(message.tool_calls)) this.#readCall(call, out);
  }

  #readThought(text: string, out: ModelDelta[]): void {
    const first = this.#channels.reasoning === undefined;
    const index = this.#channel("reasoning");
    out.push({ type: "reasoning", index, text });
    // The mark of reasoning that is this provider's own, and may go back to it.
    if (first) out.push({ type: "provider", index, providerMetadata: { [PROVIDER]: { field: "thinking" } } });
  }

  #readCall(call: JsonObject, out: ModelDelta[]): void {
    const inner = isJsonObject(call.function) ? call.function : {};
    const name = textOf(inner.name);
    const args = argsText(inner.arguments);
    const id = textOf(call.id) || this.#request.callId(this.#calls, name, args);
    const index = this.#nextIndex++;
    this.#calls++;
    out.push({ type: "tool_call_start", index, id, name });
    if (args !== "") out.push({ type: "tool_call_args", index, args });
    out.push({ type: "tool_call_end", index });
    const outerFields = unknownFields(call, CALL_FIELDS, this.#warnings);
    const innerFields = unknownFields(inner, FUNCTION_FIELDS, this.#warnings);
    if (outerFields === undefined && innerFields === undefined) return;
    const own = { ...outerFields, ...saidFields({ function: innerFields }) };
    out.push({ type: "provider", index, providerMetadata: { [PROVIDER]: own } });
  }

  #judgePrompt(last: JsonObject): void {
    const counted = {
      estimated: this.#request.estimatedTokens,
      window: this.#request.contextWindow,
      read: countOf(last.prompt_eval_count),
      written: countOf(last.eval_count),
    };
    const truncation = findTruncation(counted);
    if (truncation === undefined) return;
    if (truncation.sure && this.#options.onTruncation === "error") throw truncationError(truncation, counted);
    this.#warnings.push(truncationWarning(truncation));
  }

  #channel(channel: "text" | "reasoning"): number {
    this.#channels[channel] ??= this.#nextIndex++;
    return this.#channels[channel];
  }
}

/** Why the model stopped. Ollama says `stop` also of calls, and old versions say nothing. `load`: it made no answer. */
function toFinishReason(raw: string, called: boolean): FinishReason {
  if (raw === "length") return "length";
  if (raw !== "" && raw !== "stop") return "other";
  return called ? "tool_calls" : "stop";
}
