import {
  meeting,
  type RecordedRequest,
  type Scenario,
  type ScenarioAnswer,
  scenarioMetadata,
} from "@tinyagents/conformance";
import type { FinishReason, JsonObject, ModelDelta } from "@tinyagents/core";

/** A failure as this server puts it. */
export class MemoryFailure extends Error {
  constructor(
    readonly failure: string,
    message: string,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/** One request that is being answered. */
export interface Exchange {
  readonly deltas: AsyncIterable<ModelDelta>;
  /** The client goes. */
  leave(): void;
}

/** A server without a network: it plays a scenario, and speaks in deltas. */
export class MemoryServer {
  readonly requests: RecordedRequest[] = [];
  readonly #scenario: Scenario;
  readonly #meet: <T>(value: T) => Promise<T>;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#meet = meeting(scenario.together ?? 1);
  }

  request(body: JsonObject, apiKey: string, whole: boolean): Exchange {
    let end = (_how: string): void => undefined;
    const ended = new Promise<string>((resolve) => (end = resolve));
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    this.requests.push({ body, ended });
    const play = this.#play(body, apiKey, whole, left);
    async function* deltas(): AsyncGenerator<ModelDelta> {
      yield* play;
      end("answered");
    }
    return {
      deltas: deltas(),
      leave() {
        leave();
        end("aborted");
      },
    };
  }

  async *#play(body: JsonObject, apiKey: string, whole: boolean, left: Promise<void>): AsyncGenerator<ModelDelta> {
    const { answer, failure, manner, retryAfterMs } = this.#scenario;
    if (failure !== undefined && answer?.text !== undefined) yield { type: "text", index: 1, text: answer.text };
    if (failure !== undefined) throw new MemoryFailure(failure, `refused: the key was ${apiKey}`, retryAfterMs);
    if (manner === "silence") await left;
    else if (manner === "echo") yield* this.#echo(body);
    else if (answer !== undefined) yield* this.#answer(answer, whole, left);
  }

  async *#answer(answer: ScenarioAnswer, whole: boolean, left: Promise<void>): AsyncGenerator<ModelDelta> {
    const { manner } = this.#scenario;
    const inPieces = manner === "pieces" || manner === "bytes" || manner === "random";
    if (manner === "cut" && whole) throw new MemoryFailure("cut", "the connection broke", undefined);
    if (manner === "noise") yield { type: "provider", providerMetadata: { memory: { x_unknown: "noise" } } };
    if (answer.reasoning !== undefined) yield { type: "reasoning", index: 0, text: answer.reasoning };
    for (const text of pieces(answer.text, inPieces)) yield { type: "text", index: 1, text };
    if (manner === "cut") throw new MemoryFailure("cut", "the connection broke", undefined);
    if (manner === "early_end") return;
    if (manner === "stall") return void (await left);
    if (answer.refusal !== undefined) yield { type: "refusal", index: 2, text: answer.refusal };
    for (const [at, { id, name, args }] of (answer.toolCalls ?? []).entries()) {
      const index = 3 + at;
      yield { type: "tool_call_start", index, id, name };
      for (const piece of pieces(args, inPieces)) yield { type: "tool_call_args", index, args: piece };
      yield { type: "tool_call_end", index };
    }
    if (manner === "metadata") yield { type: "provider", providerMetadata: { memory: { note: scenarioMetadata } } };
    if (answer.usage !== undefined) yield { type: "usage", usage: { ...answer.usage, source: "reported" } };
    yield finish(answer.finishReason);
  }

  async *#echo(body: JsonObject): AsyncGenerator<ModelDelta> {
    await this.#meet(undefined);
    const [message] = (body.messages as readonly { readonly content: readonly { readonly text: string }[] }[]).slice(
      -1,
    );
    yield { type: "text", index: 0, text: message?.content[0]?.text ?? "" };
    yield finish("stop");
  }
}

function pieces(text: string | undefined, split: boolean): readonly string[] {
  if (text === undefined || text === "") return [];
  return split ? [...text] : [text];
}

function finish(finishReason: FinishReason): ModelDelta {
  return { type: "finish", finishReason };
}
