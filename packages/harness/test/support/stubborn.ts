import type { ChatModel, ModelCallContext, ModelDelta } from "@tinyagents/core";
import { scriptedModel } from "@tinyagents/testkit";

/** What a model does that nobody can stop: it says `text`, then waits for `gate`, whatever its signal says. */
export interface StubbornAnswer {
  readonly text?: string;
  readonly gate?: Promise<unknown>;
}

/** A model that never looks at its signal. */
export interface StubbornModel extends ChatModel {
  readonly calls: number;
  /** Resolves when it has said its text and begun to wait, for the `count`-th time. */
  waiting(count?: number): Promise<void>;
}

/** Plays `answers` in order; what a gate rejects with is thrown, an open gate is followed by a finish. */
export function stubbornModel(answers: readonly StubbornAnswer[]): StubbornModel {
  let calls = 0;
  let waits = 0;
  const waiters: { count: number; resolve: () => void }[] = [];
  async function* stream(): AsyncGenerator<ModelDelta, void, void> {
    const answer = answers[calls++];
    if (answer === undefined) throw new Error(`call ${calls} was not expected`);
    if (answer.text !== undefined) yield { type: "text", index: 0, text: answer.text };
    waits++;
    for (const { count, resolve } of waiters) if (count <= waits) resolve();
    await answer.gate;
    yield { type: "finish", finishReason: "stop" };
  }
  return {
    id: "test/stubborn",
    profile: scriptedModel([]).profile,
    get calls() {
      return calls;
    },
    waiting: (count = 1) =>
      new Promise((resolve) => {
        if (waits >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    stream: (_request, _call: ModelCallContext) => stream(),
  };
}

/** A promise that a test settles when it wants. */
export interface Latch<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function latch<T = void>(): Latch<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve: (value) => resolve(value), reject: (error) => reject(error) };
}

/** Lets everything that waits on promises alone go on. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
