import { z } from "zod";
import { type Contestant, nextCallId, PROMPT, runTool, SYSTEM, TOOL, turnAfter, type World, wait } from "./world.js";

/**
 * The limit: a loop written by hand for this one job, with what a real harness cannot leave out: schema validation,
 * events to one subscriber, abort checks, usage sums, errors told to the model.
 */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface HandMessage {
  readonly role: string;
  readonly content: string;
  readonly toolCalls?: readonly Call[];
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

type OnEvent = (event: {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data: unknown;
}) => void;

const input = z.object({ n: z.number() });

class HandLoop {
  readonly #world: World;
  readonly #signal: AbortSignal;
  readonly #onEvent: OnEvent;
  readonly messages: HandMessage[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: PROMPT },
  ];
  readonly usage = { input: 0, output: 0 };
  #seq = 0;

  constructor(world: World, signal: AbortSignal, onEvent: OnEvent) {
    this.#world = world;
    this.#signal = signal;
    this.#onEvent = onEvent;
  }

  async run(): Promise<string> {
    for (;;) {
      this.#signal.throwIfAborted();
      this.#emit("model.started", this.messages.length);
      const answer = await this.#ask();
      this.usage.input += answer.usage.input;
      this.usage.output += answer.usage.output;
      const message = { role: "assistant", content: answer.text, toolCalls: answer.toolCalls };
      this.messages.push(message);
      this.#emit("model.completed", message);
      const [first] = answer.toolCalls;
      if (first === undefined) return answer.text;
      if (answer.toolCalls.length === 1) this.messages.push(await this.#runTool(first));
      else this.messages.push(...(await Promise.all(answer.toolCalls.map((call) => this.#runTool(call)))));
    }
  }

  async #ask(): Promise<{ text: string; toolCalls: readonly Call[]; usage: { input: number; output: number } }> {
    const { turns, callsPerTurn, delayMs } = this.#world;
    if (delayMs > 0) await wait(delayMs);
    const last = this.messages.at(-1);
    const turn = turnAfter(last?.role === "tool" ? last.content : undefined);
    const usage = { input: 1, output: 1 };
    if (turn >= turns) return { text: `done:${turn}`, toolCalls: [], usage };
    const toolCalls = Array.from({ length: callsPerTurn }, () => ({
      id: nextCallId(),
      name: TOOL.name,
      arguments: `{"n":${turn}}`,
    }));
    return { text: "", toolCalls, usage };
  }

  async #runTool(call: Call): Promise<HandMessage> {
    this.#emit("tool.started", call);
    let content: string;
    let isError = false;
    try {
      if (call.name !== TOOL.name) throw new Error(`unknown tool ${call.name}`);
      const { n } = input.parse(JSON.parse(call.arguments));
      content = await execute(this.#world, n);
    } catch (error) {
      content = String(error);
      isError = true;
    }
    const message = { role: "tool", toolCallId: call.id, content, isError };
    this.#emit("tool.completed", message);
    return message;
  }

  #emit(type: string, data: unknown): void {
    this.#onEvent({ seq: this.#seq++, at: Date.now(), type, data });
  }
}

async function execute(world: World, n: number): Promise<string> {
  return runTool(world, n);
}

async function* fragments(count: number): AsyncGenerator<{ readonly type: "text"; readonly text: string }> {
  for (let i = 0; i < count; i++) yield { type: "text", text: "abcd " };
}

async function* streamed(
  count: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly seq: number; readonly text: string }> {
  let seq = 0;
  let whole = "";
  for await (const { text } of fragments(count)) {
    signal.throwIfAborted();
    whole += text;
    yield { seq: seq++, text };
  }
  if (whole.length !== count * 5) throw new Error("text was lost");
}

const signal = new AbortController().signal;

export const byHand: Contestant = {
  name: "by hand",
  async loop(of) {
    let events = 0;
    const text = await new HandLoop(of, signal, () => events++).run();
    if (events < of.turns * 4) throw new Error("events were lost");
    return text;
  },
  async stream(of, onFirst) {
    let count = 0;
    for await (const _ of streamed(of.fragments, signal)) {
      if (count === 0) onFirst();
      count++;
    }
    return count;
  },
};
